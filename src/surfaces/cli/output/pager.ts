import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Shows as much as fits without waiting, keeps colours, and leaves the text on the screen. */
const DEFAULT_PAGER = 'less -FRX';
/** Options for a `less` that `PAGER` names without any, as git sets them. */
const LESS_OPTIONS = 'FRX';
/** The exit codes of a shell that can't start a program. */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);

/** The command that shows long text; null if there is none to use. */
export function choosePager(env: NodeJS.ProcessEnv): string | null {
  const given = env.PAGER?.trim();
  if (given === undefined) return DEFAULT_PAGER;
  return given === '' || given === 'cat' ? null : given;
}

/**
 * Shows text in the user's pager on this terminal. A pager that the user quits early is fine. False if it can't be
 * started: the text was not shown.
 */
export async function showInPager(pager: string, text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', pager], {
    stdio: ['pipe', 'inherit', pager === DEFAULT_PAGER ? 'ignore' : 'inherit'],
    env: { ...env, LESS: env.LESS ?? LESS_OPTIONS },
  });
  // Ctrl-C is the pager's own: it must not end this process before the pager has restored the terminal.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  try {
    // The pager may exit before it has read everything.
    child.stdin.on('error', ignore);
    child.stdin.end(text);
    const [code] = (await once(child, 'close')) as [number | null];
    return code === null || !NOT_STARTED.has(code);
  } catch {
    return false;
  } finally {
    process.off('SIGINT', ignore);
  }
}
