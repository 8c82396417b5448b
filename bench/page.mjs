// What the server of the page takes for a transcript of 1 GB, a diff of 10,000 files, 10,000 runs and 2,000 items: its
// memory, the size of its answers, and how long they take. Exits 1 when a limit is broken, 2 when nothing could be
// measured. `--short` uses less of everything.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { get, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitWith } from './outcome.mjs';
import { align } from './report.mjs';

const IS_SHORT = process.argv.includes('--short');
const MEGABYTES = IS_SHORT ? 128 : 1024;
const FILES = IS_SHORT ? 1_000 : 10_000;
const RUNS = IS_SHORT ? 500 : 10_000;
const ITEMS = IS_SHORT ? 300 : 2_000;

const LIMIT_MEGABYTES = 300;
const FIRST_PREV = '0'.repeat(64);
const ROOT = join(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'dist', 'bin', 'conductor.js');

/** Names of the recorded run are replaced, and its log chains again. */
function chainLog(text, runId, edit = (event) => event) {
  let prev = FIRST_PREV;
  let chained = '';
  for (const line of text.trimEnd().split('\n')) {
    const event = JSON.stringify({ ...edit(JSON.parse(line)), run_id: runId, prev });
    prev = createHash('sha256').update(event).digest('hex');
    chained += `${event}\n`;
  }
  return chained;
}

function makeRun(recorded, runsDir, at, { whole }) {
  const runId = `01a1e5be-${at.toString(16).padStart(4, '0')}-7000-8000-000000000000`;
  const folder = join(runsDir, runId);
  if (whole) cpSync(recorded.path, folder, { recursive: true });
  else mkdirSync(folder);
  writeFileSync(join(folder, 'events.ndjson'), chainLog(recorded.log, runId));
  writeFileSync(join(folder, 'status.json'), JSON.stringify({ ...recorded.status, run_id: runId }));
  if (!whole) writeFileSync(join(folder, 'workflow.yaml'), recorded.workflow);
  return { runId, folder };
}

/** Lines as tools print them, some of them coloured. */
function writeTranscript(path) {
  const block = Array.from(
    { length: 10_000 },
    (_, at) =>
      `${at % 50 === 0 ? '\u001b[32mok\u001b[0m' : 'ok'} ${at} some test of the suite passed in ${at % 97} ms`,
  ).join('\n');
  const bytes = Buffer.from(`${block}\n`);
  const file = openSync(path, 'w');
  try {
    for (let left = MEGABYTES * 1024 ** 2; left > 0; left -= bytes.length)
      writeSync(file, bytes, 0, Math.min(left, bytes.length));
  } finally {
    closeSync(file);
  }
}

function writePatch(path) {
  const lines = Array.from({ length: 30 }, (_, at) =>
    at % 3 === 0 ? `+  added(${at});` : `   kept(${at});`,
  );
  const added = lines.filter((line) => line.startsWith('+')).length;
  const hunk = `@@ -1,${lines.length - added} +1,${lines.length} @@\n${lines.join('\n')}\n`;
  const file = openSync(path, 'w');
  try {
    for (let at = 0; at < FILES; at += 1) {
      const name = `src/folder-${at % 100}/module-${at}.ts`;
      writeSync(
        file,
        `diff --git a/${name} b/${name}\nindex 1111111..2222222 100644\n--- a/${name}\n+++ b/${name}\n${hunk}`,
      );
    }
  } finally {
    closeSync(file);
  }
}

async function writeItems(root) {
  const built = join(ROOT, 'dist', 'src', 'adapters', 'work-local');
  const { createWorkDatabase } = await import(join(built, 'database.js'));
  const { createLocalJournal } = await import(join(built, 'journal.js'));
  mkdirSync(join(root, '.tnh', 'work'), { recursive: true });
  const database = createWorkDatabase(join(root, '.tnh', 'work', 'items.db'));
  const journal = createLocalJournal({ database, clock: { now: () => new Date() } });
  const item = (at) => ({
    id: String(at + 1),
    title: `Item ${at + 1}, which changes something in the program`,
    status: ['pending', 'pending', 'approved', 'closed'][at % 4],
    type: 'implement',
    priority: 'medium',
    complexity: 'low',
    blockedBy: at % 4 === 1 ? [String(at)] : [],
    createdAt: '2026-01-02T03:04:05.000Z',
    linkedRevision: null,
  });
  const body = '## Objective\n\nChange something.\n\n## In Scope\n\n- src/module.ts\n';
  try {
    await journal.withLock((append) =>
      append(
        Array.from({ length: ITEMS }, (_, at) => ({
          type: 'item_created',
          item: item(at),
          body,
          labels: [],
        })),
      ),
    );
  } finally {
    await journal.close();
  }
}

function makeRepository(folder) {
  const root = join(folder, 'repository');
  mkdirSync(join(root, '.tnh', 'run'), { recursive: true });
  writeFileSync(join(root, '.tnh', 'config.yaml'), 'agents: {}\n');
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  for (const args of [
    ['init', '-q'],
    ['commit', '-q', '--allow-empty', '-m', 'start'],
  ]) {
    const made = spawnSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`git ${args[0]}: ${made.stderr}`);
  }
  return root;
}

function fillRuns(root) {
  const recordedRuns = join(ROOT, 'test', 'replay', 'v2', 'prepared-again');
  const path = join(recordedRuns, readdirSync(recordedRuns)[0]);
  const recorded = {
    path,
    log: readFileSync(join(path, 'events.ndjson'), 'utf8'),
    status: JSON.parse(readFileSync(join(path, 'status.json'), 'utf8')),
    workflow: readFileSync(join(path, 'workflow.yaml')),
  };
  const runsDir = join(root, '.tnh', 'run');
  for (let at = 0; at < RUNS; at += 1) makeRun(recorded, runsDir, at, { whole: false });
  const large = makeRun(recorded, runsDir, RUNS, { whole: true });
  writeTranscript(join(large.folder, 'artifacts', 'implement', 'transcript.txt'));
  writePatch(join(large.folder, 'diff.patch'));
  return large.runId;
}

async function startServer(root, folder) {
  const env = { ...process.env, HOME: folder, XDG_STATE_HOME: join(folder, 'state') };
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--print-code', '--repo', root], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const found = new Promise((resolve, reject) => {
    const look = (chunk) => {
      printed += chunk;
      const match = /(http:\/\/127\.0\.0\.1:(\d+)\/)#pair=(\S+)/.exec(printed);
      if (match !== null) resolve({ origin: match[1].slice(0, -1), code: match[3] });
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.on('exit', () => reject(new Error(`the server has ended: ${printed}`)));
  });
  return { child, ...(await found) };
}

function send(origin, path, { method = 'GET', body = null, cookie = '', keep = true } = {}) {
  const headers = {
    cookie,
    'accept-encoding': 'gzip',
    ...(body === null ? {} : { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin' }),
  };
  return new Promise((resolve, reject) => {
    const call = method === 'GET' ? get : request;
    const sent = call(`${origin}${path}`, { method, headers }, (response) => {
      let bytes = 0;
      const chunks = [];
      response.on('data', (chunk) => {
        bytes += chunk.length;
        if (keep) chunks.push(chunk);
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          bytes,
          body: Buffer.concat(chunks),
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    if (method !== 'GET') sent.end(body);
  });
}

/** The most memory that the process had at a time, and what it has now, in MB. */
function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1024;
  return { peak: read('VmHWM'), now: read('VmRSS') };
}

/** User and system time of the process so far, in ms. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** What each request may send, in kB, and the CPU time that it may take, in ms. */
function requestsFor(runId) {
  const run = `/runs/${runId}`;
  const output = `${run}/steps/implement/output`;
  const lines = Math.floor((MEGABYTES * 1024 ** 2) / 50);
  return [
    ['first page of the transcript', `${output}?line=1&limit=200`, 100, 1_000],
    ['end of the transcript', `${output}?line=end&limit=200`, 100, 1_000],
    ['middle of the transcript', `${output}?line=${Math.floor(lines / 2)}&limit=200`, 100, 8_000],
    ['the same again', `${output}?line=${Math.floor(lines / 2)}&limit=200`, 100, 1_000],
    ['end, with line numbers', `${output}?line=end&limit=200`, 100, 8_000],
    ['first 200 files of the diff', `${run}/changes?limit=200`, 100, 4_000],
    ['last files of the diff', `${run}/changes?offset=${FILES - 200}&limit=200`, 100, 500],
    ['one file of the diff', `${run}/changes/file?path=src%2Ffolder-7%2Fmodule-7.ts`, 20, 500],
    ['first page of the runs', '/runs?limit=50', 200, 5_000],
    ['the same again', '/runs?limit=50', 200, 2_000],
    ['runs by a word, the first time', '/runs?limit=50&text=01a1e5be', 200, IS_SHORT ? 5_000 : 90_000],
    ['the same again', '/runs?limit=50&text=01a1e5be', 200, 2_000],
    ['runs by day', '/days', 20, 2_000],
    ['the board', '/items?limit=500', 400, 6_000],
    ['all items', '/items?limit=2000', 1_600, 6_000],
    ['the run', run, 60, 1_000],
    ['the report', '/report?since=1h', 2_000, 20_000],
  ];
}

async function measure(server, repo, cookie, runId) {
  const rows = [['request', 'sent', 'limit', 'CPU', 'limit', 'memory', '']];
  let isBroken = false;
  for (const [name, path, kilobytes, cpuMs] of requestsFor(runId)) {
    const before = cpuOf(server.child.pid);
    const answer = await send(server.origin, `/api/repos/${repo}${path}`, { cookie });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.toString('utf8')}`);
    const cpu = cpuOf(server.child.pid) - before;
    const { now } = memoryOf(server.child.pid);
    const sent = answer.bytes / 1024;
    const broken = sent > kilobytes || cpu > cpuMs;
    isBroken ||= broken;
    rows.push([
      name,
      `${sent.toFixed(1)} kB`,
      `${kilobytes} kB`,
      `${cpu} ms`,
      `${cpuMs} ms`,
      `${now.toFixed(0)} MB`,
      broken ? 'BROKEN' : 'ok',
    ]);
  }
  const file = await send(
    server.origin,
    `/api/repos/${repo}/runs/${runId}/files/artifacts/implement/transcript.txt`,
    { cookie, keep: false },
  ).catch(() => null);
  if (file?.bytes !== MEGABYTES * 1024 ** 2) throw new Error('the transcript was not downloaded as a whole');
  process.stdout.write(`${align(rows)}\n`);
  return isBroken;
}

async function main() {
  if (process.platform !== 'linux') throw new Error('memory is read from /proc, which only Linux has');
  if (!existsSync(PROGRAM)) throw new Error('nothing is built; npm run setup builds it');
  const folder = mkdtempSync(join(tmpdir(), 'conductor-bench-page-'));
  let server = null;
  try {
    const root = makeRepository(folder);
    const runId = fillRuns(root);
    await writeItems(root);
    server = await startServer(root, folder);
    const paired = await send(server.origin, '/api/pair', {
      method: 'POST',
      body: JSON.stringify({ code: server.code }),
    });
    const cookie = (paired.headers['set-cookie'] ?? [''])[0].split(';')[0];
    const session = await send(server.origin, '/api/session', { cookie });
    const [{ id }] = JSON.parse(session.body.toString('utf8')).repos;
    const isBroken = await measure(server, id, cookie, runId);
    const { peak } = memoryOf(server.child.pid);
    const isOver = peak > LIMIT_MEGABYTES;
    process.stdout.write(
      `${MEGABYTES} MB of transcript, ${FILES} changed files, ${RUNS} runs, ${ITEMS} items: the server took ${peak.toFixed(0)} MB at most, of ${LIMIT_MEGABYTES} MB: ${isOver ? 'BROKEN' : 'ok'}\n`,
    );
    return isBroken || isOver ? 1 : 0;
  } finally {
    server?.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

await exitWith(main);
