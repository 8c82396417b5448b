import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, lstat, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { sweepMarked } from '../../src/adapters/process/mark-sweep.ts';
import { resolveProgram } from '../../src/adapters/process/program.ts';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import { outerMarksOf } from '../../src/contracts/run/process-mark.ts';
import type { ProcessSpec } from '../../src/ports/supervisor.ts';

const node = process.execPath;
/** Written in two parts, so that no scanner takes this file for a leak. */
const joined = (...parts: readonly string[]): string => parts.join('');
const supervisor = createSupervisor();
let folder: string;
let marks = 0;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor supervisor ')));
});
afterEach(async () => {
  if (existsSync(join(folder, 'pid'))) endSurvivor(pidOf('pid'));
  await rm(folder, { recursive: true, force: true });
});

function spec(script: string, change: Partial<ProcessSpec> = {}): ProcessSpec {
  marks += 1;
  return {
    argv: [node, '-e', script],
    cwd: folder,
    confinement: null,
    env: { PATH: process.env.PATH ?? '' },
    stdin: null,
    stdoutPath: join(folder, 'out', 'stdout.txt'),
    stderrPath: join(folder, 'out', 'stderr.txt'),
    captureLimitBytes: 1_000_000,
    timeoutMs: 20_000,
    idleTimeoutMs: null,
    graceMs: 200,
    mark: `test-${process.pid}-${marks}`,
    signal: null,
    onStop: null,
    onLine: null,
    ...change,
  };
}

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

/** A test that fails must not leave its process behind, nor end one that only has the same number. */
function endSurvivor(pid: number): void {
  if (!isAlive(pid) || readlinkSync(`/proc/${pid}/cwd`) !== folder) return;
  process.kill(pid, 'SIGKILL');
}

const pidOf = (name: string): number => Number(readFileSync(join(folder, name), 'utf8'));

/** Starts a program of its own session whose parent ends at once, and returns when it runs. */
const daemonScript = (pidFile: string, rest: string): string => `
  const { spawn } = require('node:child_process');
  const fs = require('node:fs');
  const daemon = ${JSON.stringify(`require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`)};
  const middle = 'require("node:child_process").spawn(process.execPath, ["-e", ' + JSON.stringify(daemon) + '], { detached: true, stdio: "STDIO" }).unref()';
  spawn(process.execPath, ['-e', middle.replace('STDIO', process.env.DAEMON_STDIO ?? 'ignore')], { detached: true, stdio: 'inherit' });
  const poll = setInterval(() => {
    if (!fs.existsSync(${JSON.stringify(pidFile)}) || fs.readFileSync(${JSON.stringify(pidFile)}, 'utf8') === '') return;
    clearInterval(poll);
    ${rest}
  }, 10);
`;

describe('how a process ends', () => {
  it.each([
    ['process.exit(0)', { kind: 'exited', exitCode: 0 }],
    ['process.exit(7)', { kind: 'exited', exitCode: 7 }],
    ['process.kill(process.pid, "SIGUSR2")', { kind: 'signalled', signal: 'SIGUSR2' }],
  ])('%s is %o', async (script, end) => {
    const result = await supervisor.run(spec(script));
    expect(result.end).toEqual(end);
    expect(result.leftovers).toBe(0);
  });

  it('past the wall clock is a timeout, although the process then exits 0', async () => {
    const script = 'process.on("SIGTERM", () => process.exit(0)); setInterval(() => console.log("busy"), 20)';
    const result = await supervisor.run(spec(script, { timeoutMs: 600, idleTimeoutMs: 10_000 }));
    expect(result.end).toEqual({ kind: 'timeout' });
    expect(result.durationMs).toBeGreaterThanOrEqual(600);
  });

  it.each([
    ['timeout', { timeoutMs: 1_500 }],
    ['idle', { idleTimeoutMs: 1_500 }],
  ] as const)('is reported to the caller before the signal is sent: %s', async (reason, limits) => {
    const script =
      'process.on("SIGTERM", () => { console.log("asked"); process.exit(0) }); setInterval(() => {}, 1000)';
    const seen: string[] = [];
    const onStop: ProcessSpec['onStop'] = async (why) => {
      await new Promise((later) => setImmediate(later));
      seen.push(
        why.kind === 'bound' ? why.bound : why.kind,
        readFileSync(join(folder, 'out', 'stdout.txt'), 'utf8'),
      );
    };
    const result = await supervisor.run(spec(script, { ...limits, onStop, graceMs: 5_000 }));
    expect(result.end).toEqual({ kind: reason });
    expect(seen).toEqual([reason, '']);
    expect(result.stdout.lastLine).toBe('asked');
  });

  it('is ended even where the record of it fails', async () => {
    const onStop = (): Promise<void> => Promise.reject(new Error('disk full'));
    const result = await supervisor.run(spec('setInterval(() => {}, 1000)', { timeoutMs: 300, onStop }));
    expect(result.end).toEqual({ kind: 'timeout' });
  });

  it('in silence is idle', async () => {
    const script = 'console.log("once"); setInterval(() => {}, 1000)';
    const result = await supervisor.run(spec(script, { idleTimeoutMs: 1500 }));
    expect(result.end).toEqual({ kind: 'idle' });
    expect(result.stdout.lastLine).toBe('once');
  });

  it('is not idle while it writes on either stream, however long it takes', async () => {
    const script =
      'let n = 0; const t = setInterval(() => { n += 1; (n % 2 ? console.log : console.error)(n); if (n === 20) clearInterval(t); }, 100)';
    const result = await supervisor.run(spec(script, { idleTimeoutMs: 1500 }));
    expect(result.end).toEqual({ kind: 'exited', exitCode: 0 });
    expect(result.durationMs).toBeGreaterThan(1500);
  });

  it('that ignores TERM is killed after the grace', async () => {
    const abort = new AbortController();
    const script = `
      process.on('SIGTERM', () => console.log('no'));
      require('node:fs').writeFileSync('pid', String(process.pid));
      console.log('ready');
      setInterval(() => {}, 1000)`;
    const limits = { signal: abort.signal, onLine: () => abort.abort(), graceMs: 400 };
    const result = await supervisor.run(spec(script, limits));
    expect(result.end).toEqual({ kind: 'cancelled' });
    expect(result.stdout.lastLine).toBe('no');
    expect(result.durationMs).toBeGreaterThanOrEqual(400);
    expect(isAlive(pidOf('pid'))).toBe(false);
  });

  it('by TERM does not wait for the rest of the grace', async () => {
    const graceMs = 60_000;
    const result = await supervisor.run(spec('setInterval(() => {}, 1000)', { timeoutMs: 300, graceMs }));
    expect(result.end).toEqual({ kind: 'timeout' });
    expect(result.durationMs).toBeLessThan(graceMs);
  });

  it('on an abort is cancelled', async () => {
    const abort = new AbortController();
    const script = 'console.log("ready"); setInterval(() => {}, 1000)';
    const running = spec(script, { signal: abort.signal, onLine: () => abort.abort() });
    expect((await supervisor.run(running)).end).toEqual({ kind: 'cancelled' });
  });

  it('before it starts when the signal is already aborted', async () => {
    const script = 'require("node:fs").writeFileSync("ran", "")';
    const result = await supervisor.run(spec(script, { signal: AbortSignal.abort() }));
    expect(result.end).toEqual({ kind: 'cancelled' });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  it('is not a timeout where the limit is longer than a timer can be', async () => {
    const result = await supervisor.run(spec('setTimeout(() => {}, 50)', { timeoutMs: 40 * 86_400_000 }));
    expect(result.end).toEqual({ kind: 'exited', exitCode: 0 });
  });
});

describe('what cannot start', () => {
  it.each([
    [
      'a command that is not there',
      ['no-such-command-here'],
      'ENOENT',
      'command not found: no-such-command-here',
    ],
    ['a path that is not there', ['./nothing.sh'], 'ENOENT', 'no such program: ./nothing.sh'],
    ['a file without the run bit', ['./plain.txt'], 'EACCES', 'not executable: ./plain.txt'],
    [
      'a script whose interpreter is missing',
      ['./lost.sh'],
      'ENOENT',
      'cannot start ./lost.sh: the interpreter it names was not found',
    ],
  ] as const)('%s is named', async (_, argv, code, message) => {
    await writeFile(join(folder, 'plain.txt'), 'text');
    await writeFile(join(folder, 'lost.sh'), '#!/no/such/interpreter\n', { mode: 0o755 });
    const result = await supervisor.run(spec('', { argv: [...argv] as [string] }));
    expect(result.end).toEqual({ kind: 'spawn_failed', code, message });
    expect(readFileSync(result.stdout.path, 'utf8')).toBe('');
  });

  it('a missing folder is named, not the program', async () => {
    const cwd = join(folder, 'gone');
    const result = await supervisor.run(spec('', { cwd }));
    expect(result.end).toMatchObject({ kind: 'spawn_failed', message: `no such folder: ${cwd}` });
  });

  it('an argument with a NUL is a failed start and not an exception', async () => {
    const result = await supervisor.run(spec('', { argv: [node, 'a\0b'] }));
    expect(result.end.kind).toBe('spawn_failed');
  });
});

describe('what it is given', () => {
  it('is the whole environment and the mark, and nothing of ours', async () => {
    const given = spec('console.log(JSON.stringify(process.env))', { env: { ONLY: 'this' } });
    const result = await supervisor.run(given);
    expect(JSON.parse(result.stdout.lastLine ?? '')).toEqual({ ONLY: 'this', CONDUCTOR_MARK: given.mark });
  });

  it('is the text on stdin, then its end', async () => {
    const stdin = 'é'.repeat(300_000);
    const script =
      'let n = 0; process.stdin.on("data", (d) => { n += d.length; }).on("end", () => console.log(n))';
    expect((await supervisor.run(spec(script, { stdin }))).stdout.lastLine).toBe('600000');
  });

  it('is an empty stdin where there is no text', async () => {
    const script = 'process.stdin.resume().on("end", () => console.log("ended"))';
    expect((await supervisor.run(spec(script))).stdout.lastLine).toBe('ended');
  });

  it.each([
    ['left unread', 'process.exit(3)'],
    [
      'shut by a process that goes on',
      'require("node:fs").closeSync(0); setTimeout(() => process.exit(3), 200)',
    ],
  ])('may be %s', async (_, script) => {
    const result = await supervisor.run(spec(script, { stdin: 'x'.repeat(5_000_000) }));
    expect(result.end).toEqual({ kind: 'exited', exitCode: 3 });
  });

  it('is passed without a shell', async () => {
    const argv = [node, '-e', 'console.log(process.argv[1])', '$(id) "a b" * ;'] as const;
    expect((await supervisor.run(spec('', { argv }))).stdout.lastLine).toBe('$(id) "a b" * ;');
  });
});

describe('what it prints', () => {
  it('goes to two files and, line by line, to the listener', async () => {
    const lines: string[] = [];
    const script = 'process.stdout.write("one\\r\\ntwo\\n\\n  \\nend"); process.stderr.write("err\\n")';
    const result = await supervisor.run(spec(script, { onLine: (line) => lines.push(line) }));
    expect(await readFile(result.stdout.path, 'utf8')).toBe('one\r\ntwo\n\n  \nend');
    expect(await readFile(result.stderr.path, 'utf8')).toBe('err\n');
    expect(lines.filter((line) => line !== 'err')).toEqual(['one', 'two', '', '  ', 'end']);
    expect(result.stdout).toMatchObject({ bytes: 16, cutBytes: 0, lastLine: 'end' });
    expect(result.stderr.lastLine).toBe('err');
  });

  it('keeps its head and one line that counts the rest when it is too long', async () => {
    const script = 'process.stdout.write("a".repeat(100) + "b".repeat(5000))';
    const result = await supervisor.run(spec(script, { captureLimitBytes: 100 }));
    expect(await readFile(result.stdout.path, 'utf8')).toBe(
      `${'a'.repeat(100)}\n[conductor: 5000 bytes cut]\n`,
    );
    expect(result.stdout).toMatchObject({ bytes: 5100, cutBytes: 5000 });
  });

  it('is not marked as cut when it just fits', async () => {
    const result = await supervisor.run(spec('process.stdout.write("12345")', { captureLimitBytes: 5 }));
    expect(await readFile(result.stdout.path, 'utf8')).toBe('12345');
  });

  it('may contain NUL and bytes that are not UTF-8: the file keeps them, lines are readable', async () => {
    const script = 'process.stdout.write(Buffer.from([0x61, 0x00, 0xff, 0xfe, 0x62, 0x0a]))';
    const result = await supervisor.run(spec(script));
    expect(await readFile(result.stdout.path)).toEqual(Buffer.from([0x61, 0x00, 0xff, 0xfe, 0x62, 0x0a]));
    expect(result.stdout.lastLine).toBe('a\uFFFD\uFFFD\uFFFDb');
  });

  it('may contain a character that arrives in two chunks', async () => {
    const script =
      'process.stdout.write(Buffer.from([0xe2, 0x82]), () => setTimeout(() => process.stdout.write(Buffer.from([0xac, 0x0a])), 100))';
    expect((await supervisor.run(spec(script))).stdout.lastLine).toBe('€');
  });

  it('is cut to 4 kB for a long line, between characters', async () => {
    const lines: string[] = [];
    const script = 'process.stdout.write("x" + "é".repeat(100000) + "\\nnext\\n")';
    await supervisor.run(spec(script, { onLine: (line) => lines.push(line) }));
    expect(lines).toEqual([`x${'é'.repeat(2047)}`, 'next']);
  });

  it('does not fill the memory: 200 MB of it grow this process by less than 100 MB', {
    timeout: 60_000,
  }, async () => {
    const script =
      'const b = Buffer.from(("y".repeat(99) + "\\n").repeat(1000)); for (let i = 0; i < 2000; i++) require("node:fs").writeSync(1, b)';
    const before = process.memoryUsage().rss;
    let peak = before;
    const sampling = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 5);
    const result = await supervisor.run(spec(script, { timeoutMs: 50_000, onLine: () => undefined }));
    clearInterval(sampling);
    expect(result.end).toEqual({ kind: 'exited', exitCode: 0 });
    expect(result.stdout).toMatchObject({ bytes: 200_000_000, cutBytes: 199_000_000 });
    expect(peak - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('is known by its newest line even where it is too long to keep', async () => {
    const secret = joined('ghp_', 'A1b2C3d4E5f6A7b8C9d0E1f2A3b4C5d6E7f8');
    const script = `const b = 'y'.repeat(99) + '\\n'; for (let i = 0; i < 5000; i++) require('node:fs').writeSync(1, b); console.log('last: ${secret} \\0é')`;
    const lines: string[] = [];
    const result = await supervisor.run(
      spec(script, { captureLimitBytes: 1000, onLine: (line) => lines.push(line) }),
    );
    expect(result.stdout.lastLine).toBe('last: [masked] \uFFFDé');
    expect(lines.join('\n')).not.toContain(secret);
    expect(readFileSync(result.stdout.path, 'utf8')).toMatch(
      /^(?:y{99}\n){10}\[conductor: \d+ bytes cut\]\n$/,
    );
  });

  it.each([
    ['nothing', 'rm "$OUT"'],
    ['a pipe', 'rm "$OUT"; mkfifo "$OUT"'],
    ['a link', 'ln -sf /dev/zero "$OUT"'],
    ['a folder', 'rm "$OUT"; mkdir "$OUT"; echo x > "$OUT/x"'],
  ])('is kept although the process puts %s in the place of the file', async (_kind, script) => {
    const stdoutPath = join(folder, 'out', 'stdout.txt');
    const argv = ['sh', '-c', `echo first; ${script.replaceAll('$OUT', stdoutPath)}; echo second`] as const;
    const { stdout } = await supervisor.run(spec('', { argv, stdoutPath }));
    expect((await lstat(stdout.path)).isFile()).toBe(true);
    expect(await readFile(stdout.path, 'utf8')).toBe('first\nsecond\n');
  });

  it('is never written through a link at the path', async () => {
    await mkdir(join(folder, 'out'));
    await writeFile(join(folder, 'precious'), 'keep');
    await symlink(join(folder, 'precious'), join(folder, 'out', 'stdout.txt'));
    const result = await supervisor.run(spec('console.log("new")'));
    expect(await readFile(join(folder, 'precious'), 'utf8')).toBe('keep');
    expect((await lstat(result.stdout.path)).isFile()).toBe(true);
  });

  it('to a listener that throws ends the process, and the error is reported', async () => {
    const script =
      'require("node:fs").writeFileSync("pid", String(process.pid)); console.log("x"); setInterval(() => {}, 1000)';
    const onLine = (): void => {
      throw new Error('broken view');
    };
    await expect(supervisor.run(spec(script, { onLine }))).rejects.toThrow('broken view');
    expect(isAlive(pidOf('pid'))).toBe(false);
  });
});

describe('a secret in what it prints', () => {
  const token = joined('npm_', 'A1b2C3d4E5f6A7b8C9d0E1f2A3b4C5d6E7f8');

  it('is masked in both files and in every line, though it comes in two pieces', async () => {
    const lines: string[] = [];
    const script = `process.stderr.write('e ${token}\\n'); process.stdout.write('a ${token.slice(0, 9)}', () => setTimeout(() => process.stdout.write('${token.slice(9)} b\\n'), 100))`;
    const result = await supervisor.run(spec(script, { onLine: (line) => lines.push(line) }));
    expect(readFileSync(result.stdout.path, 'utf8')).toBe('a [masked] b\n');
    expect(readFileSync(result.stderr.path, 'utf8')).toBe('e [masked]\n');
    expect(lines.sort()).toEqual(['a [masked] b', 'e [masked]']);
    expect(result.stdout).toMatchObject({ lastLine: 'a [masked] b', bytes: token.length + 5, cutBytes: 0 });
  });

  it('is masked where it is the value of a variable that it was given or that the conductor has', async () => {
    const masking = createSupervisor({ sandbox: null, secrets: ['of the conductor'] });
    const script = 'console.log(process.env.MY_PASSWORD, "of the conductor", process.env.PLAIN)';
    const env = { MY_PASSWORD: 'käse und brot', PLAIN: 'käse' };
    const { stdout } = await masking.run(spec(script, { env }));
    expect(readFileSync(stdout.path, 'utf8')).toBe('[masked] [masked] käse\n');
  });

  it('does not change bytes around it that are not text', async () => {
    const script = `process.stdout.write(Buffer.concat([Buffer.from([0xff, 0x00, 0x20]), Buffer.from('${token}'), Buffer.from([0x20, 0xc3, 0x28])]))`;
    const { stdout } = await supervisor.run(spec(script));
    expect(readFileSync(stdout.path).toString('latin1')).toBe('\u00ff\u0000 [masked] \u00c3(');
  });
});

describe.runIf(process.platform === 'linux')('what it leaves behind', () => {
  it('is ended: a child in the group that outlives a normal end', async () => {
    const script = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      require('node:fs').writeFileSync('pid', String(child.pid));
      process.exit(0)`;
    const result = await supervisor.run(spec(script));
    expect(result).toMatchObject({ end: { kind: 'exited', exitCode: 0 }, leftovers: 1 });
    expect(isAlive(pidOf('pid'))).toBe(false);
  });

  it('is ended: a child in the group that cleared its environment', async () => {
    const script = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', env: {} });
      require('node:fs').writeFileSync('pid', String(child.pid));
      process.exit(0)`;
    expect((await supervisor.run(spec(script))).leftovers).toBe(1);
    expect(isAlive(pidOf('pid'))).toBe(false);
  });

  it('is ended: a daemon in a session of its own, after a normal end', async () => {
    const result = await supervisor.run(spec(daemonScript(join(folder, 'pid'), 'process.exit(0)')));
    expect(result).toMatchObject({ end: { kind: 'exited', exitCode: 0 }, leftovers: 1 });
    expect(isAlive(pidOf('pid'))).toBe(false);
  });

  it('is ended: what a conductor started that was itself started by the process', async () => {
    const outer = spec('');
    const inner = createSupervisor({
      sandbox: null,
      secrets: [],
      outerMarks: outerMarksOf({
        CONDUCTOR_MARK: `${outer.mark}/step`,
        CONDUCTOR_OUTER_MARKS: 'around\nthat',
      }),
    });
    const script =
      'require("node:fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)';
    const running = inner.run(spec(script, { mark: `other-${outer.mark}` }));
    await expect.poll(() => existsSync(join(folder, 'pid'))).toBe(true);
    expect(await sweepMarked(`${outer.mark}/st`)).toBe(0);
    expect(await sweepMarked(outer.mark)).toBe(1);
    expect((await running).end).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  });

  it('is ended: a daemon in a session of its own, after a cancel', async () => {
    const script = daemonScript(join(folder, 'pid'), 'console.log("daemon is up")');
    const abort = new AbortController();
    const running = spec(`${script}; setInterval(() => {}, 1000)`, {
      signal: abort.signal,
      onLine: () => abort.abort(),
    });
    expect((await supervisor.run(running)).leftovers).toBe(1);
    expect(isAlive(pidOf('pid'))).toBe(false);
  });

  it('does not delay the result: a grandchild that keeps stdout open', async () => {
    const given = spec(daemonScript(join(folder, 'pid'), 'console.log("last word"); process.exit(0)'), {
      env: { PATH: process.env.PATH ?? '', DAEMON_STDIO: 'inherit' },
    });
    const result = await supervisor.run(given);
    expect(result).toMatchObject({ end: { kind: 'exited', exitCode: 0 }, stdout: { lastLine: 'last word' } });
    expect(isAlive(pidOf('pid'))).toBe(false);
  });

  it('does not delay the result even where it escaped every search', async () => {
    const script = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', env: {}, detached: true });
      child.unref();
      require('node:fs').writeFileSync('pid', String(child.pid));`;
    const result = await supervisor.run(spec(script));
    expect(result).toMatchObject({ end: { kind: 'exited', exitCode: 0 }, leftovers: 0 });
    expect(isAlive(pidOf('pid'))).toBe(true);
  });

  it('is only its own: a process with another mark is left alone', async () => {
    const ready = new AbortController();
    onTestFinished(() => ready.abort());
    const other = spec('console.log("up"); setInterval(() => {}, 1000)', { signal: ready.signal });
    let otherIsUp: () => void = () => undefined;
    const up = new Promise<void>((settle) => {
      otherIsUp = settle;
    });
    const running = supervisor.run({ ...other, mark: `${other.mark}x`, onLine: () => otherIsUp() });
    await up;
    expect(await sweepMarked(other.mark)).toBe(0);
    expect(await sweepMarked('')).toBe(0);
    ready.abort();
    expect((await running).end).toEqual({ kind: 'cancelled' });
  });

  it('is found after a crash by its mark, and by the mark above it', async () => {
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const given = spec('console.log("up"); setInterval(() => {}, 1000)', { signal: abort.signal });
    let isUp: () => void = () => undefined;
    const up = new Promise<void>((settle) => {
      isUp = settle;
    });
    const running = supervisor.run({ ...given, mark: `${given.mark}/step`, onLine: () => isUp() });
    await up;
    expect(await sweepMarked(given.mark)).toBe(1);
    expect((await running).end).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
    expect(await sweepMarked(given.mark)).toBe(0);
  });
});

describe('finding a program', () => {
  it('searches the PATH for a bare name and resolves one with a slash in the folder', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
    await writeFile(join(bin, 'data'), '');
    await chmod(join(bin, 'data'), 0o644);
    const place = { cwd: folder, path: `/nowhere:${bin}` };
    expect(await resolveProgram('tool', place)).toBe(join(bin, 'tool'));
    expect(await resolveProgram('bin/tool', place)).toBe(join(bin, 'tool'));
    expect(await resolveProgram('tool', { cwd: folder, path: '/nowhere' })).toBeNull();
    expect(await resolveProgram('data', place)).toBeNull();
    expect(await resolveProgram('bin', { cwd: folder, path: folder })).toBeNull();
    expect(await resolveProgram('', place)).toBeNull();
    expect(await resolveProgram('sh', { cwd: folder, path: undefined })).toMatch(/\/sh$/);
  });
});
