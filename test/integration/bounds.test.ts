import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessBounds } from '../../src/adapters/process/bound-watch.ts';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import { createBubblewrap } from '../../src/adapters/sandbox/bubblewrap.ts';
import type { StopCause } from '../../src/contracts/run/process-end.ts';
import type { ProcessResult } from '../../src/ports/supervisor.ts';
import { markedProcesses } from '../e2e/marked-processes.ts';
import { sandboxHere } from './sandbox-here.ts';

const hogs = fileURLToPath(new URL('hogs', import.meta.url));
const BOUNDS: ProcessBounds = { memoryBytes: 200e6, processes: 60, writtenBytes: 60e6 };

let folder: string;
let work: string;
let causes: StopCause[];
let marks = 0;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-bounds-')));
  work = join(folder, 'work');
  await mkdir(work);
  causes = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(argv: readonly [string, ...string[]], isSandboxed: boolean): Promise<ProcessResult> {
  marks += 1;
  const sandbox = createBubblewrap({
    command: sandboxHere.ok ? sandboxHere.command : ['bwrap'],
    home: folder,
    tempFolder: tmpdir(),
    searchPath: process.env.PATH,
    resolveProgram,
    privateBytes: 4e6,
    rootOnly: () => Promise.resolve({ files: [], folders: [] }),
  });
  const supervisor = createSupervisor({
    sandbox: isSandboxed ? sandbox : null,
    secrets: [],
    bounds: BOUNDS,
  });
  return supervisor.run({
    argv,
    cwd: work,
    confinement: { writable: [work], readable: [hogs], hidden: [], network: 'deny' },
    env: { PATH: process.env.PATH ?? '' },
    stdin: null,
    stdoutPath: join(folder, 'stdout.txt'),
    stderrPath: join(folder, 'stderr.txt'),
    captureLimitBytes: 1_000_000,
    timeoutMs: 60_000,
    idleTimeoutMs: null,
    graceMs: 400,
    mark: `bounds-${process.pid}-${marks}/step`,
    signal: null,
    onStop: async (cause) => void causes.push(cause),
    onLine: null,
  });
}

const node = process.execPath;
const HOGS: [string, readonly [string, ...string[]], RegExp][] = [
  ['processes', ['sh', join(hogs, 'processes.sh'), '9'], /more than 60 processes .* limits\.processes is 60/],
  [
    'memory',
    [node, join(hogs, 'memory.mjs'), '2000'],
    /^it used \d+ MB of memory; limits\.memory allows 200 MB$/,
  ],
  ['written_bytes', [node, join(hogs, 'disk.mjs'), '2000'], /more than 60\.0 MB .* limits\.written_bytes/],
  ['written_bytes', [node, join(hogs, 'disk.mjs'), '2000', 'unlinked'], /more than 60\.0 MB/],
];

describe.each([
  ['in the sandbox', true],
  ['without a sandbox', false],
])('a process that passes a bound %s', (_, isSandboxed) => {
  it.runIf(sandboxHere.ok || !isSandboxed).each(HOGS)(
    'is stopped with all that it started, and the end names %s: %j',
    async (bound, argv, message) => {
      const ran = await run(argv, isSandboxed);
      expect(ran.end).toEqual({ kind: 'bound', bound, message: expect.stringMatching(message) });
      expect(causes).toEqual([{ kind: 'bound', bound, message: expect.stringMatching(message) }]);
      expect(markedProcesses(`bounds-${process.pid}-${marks}`)).toEqual([]);
    },
    60_000,
  );

  it.runIf(sandboxHere.ok || !isSandboxed)('leaves one alone that stays below them', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      for (let count = 0; count < 20; count += 1) spawn('sleep', ['1']);
      require('node:fs').writeFileSync('small.bin', Buffer.alloc(20e6));
      const some = Buffer.alloc(50e6, 1);
      setTimeout(() => process.exit(some[0] - 1), 1500);`;
    expect((await run([node, '-e', script], isSandboxed)).end).toEqual({ kind: 'exited', exitCode: 0 });
  });
});

describe.runIf(sandboxHere.ok)('memory that is no process', () => {
  it.each(['/tmp', '/var/tmp', '/dev/shm', '/run'])('is bounded in %s', async (place) => {
    const script = `head -c 9000000 /dev/zero > ${place}/hog; stat -c %s ${place}/hog`;
    await run(['sh', '-c', script], true);
    expect(Number(readFileSync(join(folder, 'stdout.txt'), 'utf8'))).toBeLessThanOrEqual(4_100_000);
    expect(existsSync(`${place}/hog`)).toBe(false);
  });

  it.each(['/dev', '/proc'])("can't be had in %s", async (place) => {
    const { end } = await run(['sh', '-c', `echo x > ${place}/hog`], true);
    expect(end).not.toEqual({ kind: 'exited', exitCode: 0 });
  });
});
