import { readFileSync, readlinkSync } from 'node:fs';

/** What Linux reports about a process in `/proc/<pid>/stat`. */
export interface ProcStat {
  /** One letter, such as `R` or `S`; empty if it is unknown. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** In ticks since the boot; empty if it is unknown. */
  readonly startTime: string;
}

/** The fields follow the command name, which is free text in parentheses. */
export function parseProcStat(text: string): ProcStat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[0] ?? '',
    parent: Number(fields[1] ?? 0) || 0,
    group: Number(fields[2] ?? 0) || 0,
    startTime: fields[19] ?? '',
  };
}

/** Whether a process has exited and only its entry is left until its parent asks for it. */
export function hasExited({ state }: ProcStat): boolean {
  return state === 'Z' || state === 'X';
}

/** Empty if the file is missing or unreadable: a process has exited, or this is not Linux. */
export function readSystemFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Empty like `readSystemFile`. */
export function readSystemLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
