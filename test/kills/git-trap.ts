import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What happens to a git command whose conductor is killed. */
export const GIT_VARIANTS = ['continues', 'starts late', 'has ended', 'dies too'] as const;
export type GitVariant = (typeof GIT_VARIANTS)[number];

/** For a shell: kills the conductor that started it. If that is dead already, the parent is another process and stays alive. */
export const END_PARENT = 'end_parent() { grep -aq node "/proc/$PPID/cmdline" && kill -9 "$PPID"; }';

/**
 * Makes a folder for the PATH with a `git` that counts the calls of a conductor whose run has its first event, and kills
 * that conductor at one of them. Agents have another environment, so their calls are not counted.
 */
export async function makeGitTrap(folder: string): Promise<string> {
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'git');
  await writeFile(
    path,
    `#!/bin/sh
${END_PARENT}
[ -n "$KILLS_GIT_LOG" ] || exec ${git} "$@"
for log in "$KILLS_RUNS"/*/events.ndjson; do [ -s "$log" ] || exec ${git} "$@"; done
printf . >> "$KILLS_GIT_LOG"
[ "$(wc -c < "$KILLS_GIT_LOG")" -eq "$KILLS_GIT_AT" ] || exec ${git} "$@"
case "$KILLS_GIT_VARIANT" in
  'continues') end_parent; exec ${git} "$@" ;;
  'starts late')
    end_parent; sleep 4; ${git} "$@"
    case "$CONDUCTOR_MARK" in git/*) date +%s%3N ;; *) echo 0 ;; esac >> "$KILLS_GIT_LOG.late" ;;
  'has ended') ${git} "$@"; end_parent ;;
  'dies too') ${git} "$@" <&0 & child=$!; sleep "$KILLS_GIT_PAUSE"; end_parent; kill -9 $child ;;
esac
`,
  );
  await chmod(path, 0o755);
  return folder;
}

/** When each command ended that started late, in milliseconds; 0 for one that did not work on the run. */
export function lateEnds(gitLog: string): readonly number[] {
  const path = `${gitLog}.late`;
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1).map(Number) : [];
}
