import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { RoleState } from '../../src/ports/work/role-runner.ts';
import type { WorkCommand } from '../../src/work/engine/command.ts';

const LIFE = join(import.meta.dirname, 'work-life.mjs');

export type Step = 'recover' | 'settle' | WorkCommand;

export interface HandRequest {
  readonly root: string;
  /** Makes a user's commands the same when it is repeated. */
  readonly name: string;
  /** What became of runs, by id; those that are not here are driven elsewhere. */
  readonly runs: Readonly<Record<string, RoleState>>;
  readonly steps: readonly Step[];
  readonly killAt: number | null;
}

/** How many points the request went past. */
export type HandAnswer = { readonly kind: 'done'; readonly points: number } | { readonly kind: 'killed' };

/** A process that executes requests until one makes it kill itself; the next request gets another process. */
export interface Hand {
  readonly ask: (request: HandRequest) => Promise<HandAnswer>;
  readonly end: () => Promise<void>;
}

interface Life {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: AsyncIterator<string>;
  readonly reader: Interface;
  readonly errors: string[];
  readonly exit: Promise<NodeJS.Signals | null>;
}

export function createHand(): Hand {
  // Starting costs more than most requests, so the next process starts while another one works.
  let life = begin();
  return {
    ask: async (request) => {
      const { child, lines, errors, exit } = life;
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const line = await lines.next();
      if (line.done !== true) return answerOf(request, line.value);
      const signal = await exit;
      life = begin();
      if (signal === 'SIGKILL' && request.killAt !== null) return { kind: 'killed' };
      throw new Error(`${request.name} ended by ${signal ?? 'itself'}: ${errors.join('')}`);
    },
    end: async () => {
      const { child, exit, reader } = life;
      child.stdin.end();
      await exit;
      reader.close();
    },
  };
}

function answerOf({ name }: HandRequest, line: string): HandAnswer {
  const { points, problem } = JSON.parse(line) as { points: number; problem: string | null };
  if (problem !== null) throw new Error(`${name}: ${problem}`);
  return { kind: 'done', points };
}

function begin(): Life {
  const child = spawn(process.execPath, [LIFE]);
  const reader = createInterface({ input: child.stdout });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString('utf8')));
  const exit = new Promise<NodeJS.Signals | null>((resolve) => {
    child.on('exit', (_, signal) => resolve(signal));
  });
  return { child, reader, lines: reader[Symbol.asyncIterator](), errors, exit };
}
