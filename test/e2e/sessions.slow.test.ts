import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CONFIG, type Scene, test } from './scene.ts';

/** Claude Code as far as sessions go: it keeps each in a file of the home, and corrects its answer when it gets the error. */
const CLAUDE = `import { appendFileSync, existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
const print = (event) => console.log(JSON.stringify(event));
const at = process.argv.indexOf('--resume');
const resumed = at < 0 ? null : process.argv[at + 1];
const prompt = readFileSync(0, 'utf8');
const id = resumed ?? randomUUID();
const folder = process.env.HOME + '/.claude/projects/-work';
const file = folder + '/' + id + '.jsonl';
const usage = { input_tokens: 100, output_tokens: 10 };
const result = (fields) => print({ type: 'result', session_id: id, permission_denials: [], ...fields });
if (resumed !== null && (!existsSync(file) || existsSync(process.env.HOME + '/forgets'))) {
  console.error('No conversation found with session ID: ' + resumed);
  result({ subtype: 'error_during_execution', is_error: true, usage: { input_tokens: 0, output_tokens: 0 } });
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
appendFileSync(file, JSON.stringify({ prompt, key: process.env.ANTHROPIC_API_KEY }) + '\\n');
print({ type: 'system', subtype: 'init', session_id: id });
const limited = process.env.HOME + '/limited';
if (resumed !== null && existsSync(limited)) {
  unlinkSync(limited);
  result({ subtype: 'success', is_error: true, result: 'API Error: 429 rate limit exceeded', api_error_status: 429, usage });
  process.exit(1);
}
const line = /^[0-9a-f]{16}$/m.exec(prompt)?.[0];
if (line !== undefined) writeFileSync('conductor-check.txt', line + '\\n');
writeFileSync('answer.txt', prompt.includes('What the last evaluation asks for') ? '42\\n' : '41\\n');
result({ subtype: 'success', is_error: false, result: 'Done.', usage });
`;

const ENDS = 'error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';

function workflow(change: { readonly partial?: string; readonly step?: string } = {}): string {
  const { partial = 'implement', step = '' } = change;
  return `workflow_id: driven
version: 1
description: An agent works until its tests pass.
entry_step: implement
defaults: { limits: { timeout: 90s, idle_timeout: 60s, max_visits: 3 } }
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: coder
    prompt: Make the tests pass.
${step}    routes: { completed: check, ${ENDS} }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: judge, ${ENDS.replace('error: STOP', 'error: judge')} }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [${partial}, STOP]
    routes: { success: STOP, partial: ${partial}, blocked: STOP, unsafe: STOP, needs_human: STOP }
${
  partial === 'undo'
    ? `  - id: undo
    opcode: ROLLBACK
    target: pre_step
    routes: { completed: implement, ${ENDS} }
`
    : ''
}`;
}

function sceneOf(document: string) {
  const agent = '  coder: { kind: claude-code, command: [node, tools/claude.mjs], retries: 0 }\n';
  return {
    config: `${CONFIG.replace('validators:', `${agent}validators:`)}limits: { park: 3s }\n`,
    files: { 'tools/claude.mjs': CLAUDE, 'driven.yaml': document },
  };
}

async function drive(scene: Scene, ...args: readonly string[]) {
  const env = { ANTHROPIC_API_KEY: 'key-of-a-test-0123456789' };
  const result = await scene.cli.run(['run', 'driven.yaml', ...args], { env });
  const runId = result.stdout.split('\n')[0] ?? '';
  const record = scene.record(runId);
  const read = (entry: string, name: string) =>
    readFileSync(join(record.path, 'artifacts', entry, name), 'utf8');
  return {
    ...result,
    runId,
    record,
    prompt: (entry: string) => read(entry, 'prompt.md'),
    runner: (entry: string) => JSON.parse(read(entry, 'runner.json')) as Record<string, unknown>,
  };
}

describe('a later visit by an agent that keeps sessions', () => {
  test('continues the session, with what is new and nothing else', async ({ openScene }) => {
    const scene = await openScene(sceneOf(workflow()));
    const { code, stderr, runId, record, prompt, runner } = await drive(scene);
    expect(code, stderr).toBe(0);
    expect(runner('implement@2')).toMatchObject({
      session_id: runner('implement').session_id,
      session_resumed: true,
      session_folder: 'sessions/implement@2',
    });
    expect(prompt('implement')).toBe('Make the tests pass.\n');
    expect(prompt('implement@2')).toContain('visit 2');
    expect(prompt('implement@2')).not.toContain('Make the tests pass.');
    expect(record.metadata.usage).toMatchObject({ input_tokens: 200, output_tokens: 20 });
    expect(readdirSync(join(scene.home, '.claude/projects'))).toEqual([]);
    const file = join(
      record.path,
      `sessions/implement@2/projects/-work/${String(runner('implement').session_id)}.jsonl`,
    );
    const kept = readFileSync(file, 'utf8');
    expect(kept.split('\n')).toHaveLength(3);
    expect(kept).not.toContain('key-of-a-test');
    expect((await scene.conductor('verify', runId)).code).toBe(0);
    expect((await scene.conductor('clean', '--keep-runs', '0')).code).toBe(0);
    expect(existsSync(record.path)).toBe(false);
  });

  test.for([
    ['its step says so', workflow({ step: '    session: fresh\n' }), 'implement@2'],
    ['a ROLLBACK came in between', workflow({ partial: 'undo' }), 'implement@2'],
  ] as const)('starts anew, without a note, if %s', async ([, document, entry], { openScene }) => {
    const { stderr, prompt, runner } = await drive(await openScene(sceneOf(document)));
    expect(runner(entry), stderr).toMatchObject({ session_resumed: false });
    expect(runner(entry).session_id).not.toBe(runner('implement').session_id);
    expect(prompt(entry)).toContain('Make the tests pass.');
    expect(stderr).not.toContain('session');
  });

  test("starts anew with the whole prompt and a note if the session can't be continued", async ({
    openScene,
  }) => {
    const scene = await openScene(sceneOf(workflow()));
    writeFileSync(join(scene.home, 'forgets'), '');
    const { code, record, prompt, runner } = await drive(scene);
    expect(code).toBe(0);
    expect(prompt('implement@2')).toContain('Make the tests pass.');
    expect(runner('implement@2')).toMatchObject({ session_resumed: false });
    const notes = record.eventsOf('status_updated').map(({ payload }) => payload.note);
    expect(notes).toEqual([expect.stringMatching(/^session .* could not be continued .* whole prompt$/)]);
    expect(record.metadata.usage).toMatchObject({ input_tokens: 200, output_tokens: 20 });
  });

  test('continues the session as the first visit left it, after a limit has parked the second', async ({
    openScene,
  }) => {
    const scene = await openScene(sceneOf(workflow()));
    writeFileSync(join(scene.home, 'limited'), '');
    const { code, stderr, record, prompt, runner } = await drive(scene, '--wait');
    expect(code, stderr).toBe(0);
    expect(record.eventsOf('step_waiting')).toHaveLength(1);
    expect(runner('implement@3')).toMatchObject({
      session_id: runner('implement').session_id,
      session_resumed: true,
    });
    expect(prompt('implement@3')).toBe(prompt('implement@2'));
    const [file = ''] = readdirSync(join(record.path, 'sessions/implement@3/projects/-work'));
    const kept = readFileSync(join(record.path, 'sessions/implement@3/projects/-work', file), 'utf8');
    expect(kept.trim().split('\n')).toHaveLength(2);
    expect(record.metadata.usage).toMatchObject({ input_tokens: 300, output_tokens: 30 });
  });
});

describe('agents test', () => {
  test('shows whether a second visit continues the session', async ({ openScene }) => {
    const scene = await openScene(sceneOf(workflow()));
    const { code, stdout } = await scene.conductor('agents', 'test', 'coder');
    expect([code, stdout]).toEqual([0, expect.stringContaining('a second visit continued it')]);
    writeFileSync(join(scene.home, 'forgets'), '');
    const again = await scene.conductor('agents', 'test', 'coder', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      ok: true,
      continues_session: false,
      session_reason: expect.stringContaining('could not be continued'),
      usage: { input_tokens: 200, output_tokens: 20 },
    });
    const other = await scene.conductor('agents', 'test', 'actor', '--json');
    expect(JSON.parse(other.stdout)).toMatchObject({ continues_session: null });
    expect(readdirSync(join(scene.home, '.claude/projects'))).toEqual([]);
  });
});
