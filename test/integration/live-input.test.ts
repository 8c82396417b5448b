import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSupervisor } from '../../src/adapters/process/supervisor.ts';
import type { LiveInput, ProcessSpec } from '../../src/ports/supervisor.ts';

const supervisor = createSupervisor();
let folder: string;
let marks = 0;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor live input ')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function spec(script: string, change: Partial<ProcessSpec> = {}): ProcessSpec {
  marks += 1;
  return {
    argv: [process.execPath, '-e', script],
    cwd: folder,
    confinement: null,
    env: { PATH: process.env.PATH ?? '' },
    stdin: null,
    stdoutPath: join(folder, 'stdout.txt'),
    stderrPath: join(folder, 'stderr.txt'),
    captureLimitBytes: 1_000_000,
    timeoutMs: 20_000,
    idleTimeoutMs: null,
    graceMs: 200,
    mark: `live-${process.pid}-${marks}`,
    signal: null,
    onStop: null,
    onLine: null,
    ...change,
  };
}

/** Keeps the reported input. */
function holdInput() {
  let held: LiveInput | null = null;
  return {
    onStart: (input: LiveInput) => {
      held = input;
    },
    input: (): LiveInput => {
      if (held === null) throw new Error('nothing was started');
      return held;
    },
  };
}

const ECHO =
  'process.stdin.on("data", (d) => process.stdout.write(`heard ${d}`)).on("end", () => console.log("end"))';

describe('the input of a process that runs', () => {
  it('takes answers to what it prints, until it is closed', async () => {
    const { onStart, input } = holdInput();
    const heard: string[] = [];
    const result = await supervisor.run(
      spec(`console.log('ready'); ${ECHO}`, {
        onStart,
        onOutput: (chunk) => {
          heard.push(chunk.toString());
          if (heard.length === 1) input().write('one\n');
          if (heard.length === 2) input().close();
        },
      }),
    );
    expect(heard.join('')).toBe('ready\nheard one\nend\n');
    expect(result.end).toEqual({ kind: 'exited', exitCode: 0 });
  });

  it('comes after the text that was given for it', async () => {
    const { stdout } = await supervisor.run(
      spec(
        'process.stdin.setEncoding("utf8"); let all = ""; process.stdin.on("data", (d) => { all += d }).on("end", () => console.log(all))',
        {
          stdin: 'first ',
          onStart: (input) => {
            input.write('second');
            input.close();
          },
        },
      ),
    );
    expect(stdout.lastLine).toBe('first second');
  });

  it('reports how much has not been read', async () => {
    const { onStart, input } = holdInput();
    const stop = new AbortController();
    const running = supervisor.run(
      spec('console.log("deaf"); setInterval(() => {}, 1000)', {
        onStart,
        signal: stop.signal,
        onOutput: () => {
          input().write('x'.repeat(5_000_000));
          expect(input().waitingBytes()).toBeGreaterThan(1_000_000);
          stop.abort();
        },
      }),
    );
    expect((await running).end).toEqual({ kind: 'cancelled' });
  });

  it('is lost on one that has ended', async () => {
    const { onStart, input } = holdInput();
    await supervisor.run(spec('process.exit(0)', { onStart }));
    input().write('too late');
    input().close();
    expect(input().waitingBytes()).toBe(0);
  });
});
