#!/usr/bin/env node
// A stand-in for agents and for scripts under test: a real process that does, line by line, what its arguments
// or its prompt say. A line that starts with `@2` is for the second attempt alone.
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const AGES = 600_000;
const attempt = process.env.CONDUCTOR_ATTEMPT ?? '1';
const [, , ...given] = process.argv;
const lines = given.length > 0 ? given : linesOfPrompt(readFileSync(0, 'utf8'));
const result = {};

/** What the conductor adds to a prompt starts with a heading and is not for this actor. */
function linesOfPrompt(prompt) {
  return prompt.split(/^## /m)[0].split('\n');
}

function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function report(change) {
  const cases = [{ id: 'a', kind: 'unit', status: 'passed', repro: 'a', observations: [], artifacts: [] }];
  const summary = { passed: 1, failed: 0, flaky: 0, duration_ms: 1 };
  const base = { suite_id: 'suite', version: '1.0.0', generated_at: '2026-01-01T00:00:00Z', cases, summary };
  put('harness_report.json', JSON.stringify({ ...base, ...JSON.parse(change) }));
}

/** A process of another session that its parent does not wait for. */
function leaveBehind() {
  const script = `setTimeout(() => {}, ${AGES})`;
  spawn(process.execPath, ['-e', script], { detached: true, stdio: 'ignore' }).unref();
}

async function chatter() {
  for (;;) {
    console.log('still here');
    await pause(50);
  }
}

const acts = {
  write: (path, text) => put(path, `${text.replaceAll('\\n', '\n')}\n`),
  bytes: (path, hex) => put(path, Buffer.from(hex, 'hex')),
  append: (path, text) => appendFileSync(path, `${text}\n`),
  delete: (path) => rmSync(path, { recursive: true }),
  executable: (path) => chmodSync(path, 0o755),
  expect: (path) => existsSync(path) || process.exit(9),
  environment: (path) => put(path, JSON.stringify(process.env)),
  say: (...words) => console.log(words.join(' ')),
  claim: (...words) => (result.claims = [...(result.claims ?? []), words.join(' ')]),
  blocker: (code, ...words) =>
    (result.blockers = [...(result.blockers ?? []), { code, summary: words.join(' ') }]),
  verdict: (verdict) => (result.verdict = verdict),
  finding: (...words) => (result.findings = [...(result.findings ?? []), { summary: words.join(' ') }]),
  usage: (tokens, cost) => (result.usage = { input_tokens: Number(tokens), cost_usd: Number(cost) }),
  report: (...words) => report(words.join(' ') || '{}'),
  commit: () => spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qam', 'mine']),
  behind: () => leaveBehind(),
  deaf: () => process.on('SIGTERM', () => {}),
  hang: () => pause(AGES),
  pause: (ms) => pause(Number(ms)),
  chatter: () => chatter(),
  exit: (code) => process.exit(Number(code)),
  die: () => process.kill(process.pid, 'SIGKILL'),
};

for (const line of lines) {
  const [, only, act, rest] = /^(?:@(\d+) )?(\w+) ?(.*)$/.exec(line.trim()) ?? [];
  if (act === undefined || (only !== undefined && only !== attempt)) continue;
  const [path, ...words] = rest.split(' ');
  await (act === 'write' || act === 'append' ? acts[act](path, words.join(' ')) : acts[act](path, ...words));
  const file = process.env.CONDUCTOR_RESULT;
  if (file !== undefined && Object.keys(result).length > 0) writeFileSync(file, JSON.stringify(result));
}
