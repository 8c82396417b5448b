import { readlinkSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { isatty } from 'node:tty';
import { MARK_VARIABLE, OUTER_MARKS_VARIABLE } from '../../contracts/run/process-mark.ts';
import { parseProcStat } from '../../node/proc.ts';
import type { Answerer } from '../../ports/answerer.ts';
import { readProcNow } from './mark-sweep.ts';

/** More ancestors than any process has; a longer chain is a cycle. */
const ANCESTORS_LIMIT = 1000;

/** Identifies who gives an answer, by what the operating system reports and not by what the process claims. */
export function findAnswerer(): Answerer {
  const parent = readProcNow(process.ppid, 'comm').trim();
  return {
    origin: {
      user: userInfo().username,
      terminal: isatty(0) ? terminalName() : null,
      session: null,
      process: { pid: process.pid, host: hostname(), parent: parent === '' ? null : parent },
    },
    runMark: findRunMark(),
  };
}

function terminalName(): string {
  try {
    return readlinkSync('/proc/self/fd/0');
  } catch {
    return 'a terminal';
  }
}

/**
 * Finds the run mark in the environment of this process or of an ancestor. A process that was detached from its parents
 * still has the mark it was started with. Only Linux shows the environments of other processes.
 */
function findRunMark(): string | null {
  const own = findMark(Object.entries(process.env).map(([name, value]) => `${name}=${value}`));
  if (own !== null) return own;
  let pid = process.pid;
  for (let steps = 0; pid > 0 && steps < ANCESTORS_LIMIT; steps += 1) {
    const mark = findMark(readProcNow(pid, 'environ').split('\0'));
    if (mark !== null) return mark;
    pid = parentOf(pid);
  }
  return null;
}

function findMark(entries: readonly string[]): string | null {
  for (const variable of [MARK_VARIABLE, OUTER_MARKS_VARIABLE]) {
    const entry = entries.find((each) => each.startsWith(`${variable}=`));
    const [mark = ''] = entry?.slice(variable.length + 1).split('\n') ?? [];
    if (mark !== '') return mark;
  }
  return null;
}

/** Zero if there is no parent. */
function parentOf(pid: number): number {
  return parseProcStat(readProcNow(pid, 'stat')).parent;
}
