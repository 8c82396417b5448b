import type { Claim } from './claim.ts';

/** Files of the worktree that a statement about their creation names, such as `a new file src/a.ts with tests`. */
export function claimedPaths(object: string): Claim[] {
  const named = OBJECT.exec(object);
  const quoted = named?.[1];
  const plain = named?.[2];
  const path = (quoted ?? plain ?? '').replace(/:\d+(?:-\d+)?$/, '');
  const after = object.slice(named?.[0].length ?? 0);
  if (!isFile(path, quoted !== undefined) || OF_ANOTHER_KIND.test(after) || ELSEWHERE.test(after)) return [];
  return [{ kind: 'created', path }];
}

/** A list of files goes on with nothing but another one. */
export function isPathAlone(words: string): boolean {
  const named = ALONE.exec(words);
  return named !== null && isFile(named[1] ?? named[2] ?? '', named[1] !== undefined);
}

const NAME = '(?:`([^`\\s]+)`|((?:[\\w@.-]+/)*[\\w@.-]*\\.\\w+))(?=\\s|$|\\()';
const OBJECT = new RegExp(`^(?:(?:a|an|the|new|file|test|called|named|at) )*${NAME}`, 'i');
const ALONE = new RegExp(`^${NAME}(?:\\s*\\([^)]*\\))?$`);

/** What has a dot in its name and is no file. */
const OF_ANOTHER_KIND =
  /^ (?:branch|class|function|method|command|script|type|interface|component|table|endpoint|route|variable|app|application|project|server|service|package|module|namespace|release|tag|version|of)\b/i;
const ELSEWHERE = /\b(?:temp\w*|outside)\b/i;

/** Folders and files outside the worktree are in no diff, so nothing could bear the claim out. */
function isFile(path: string, quoted: boolean): boolean {
  if (/^[/~]|^\.\.(?:\/|$)|\/$|:\/\/|^[^/]+@[^/]+$|^(?:e\.g|i\.e)$/i.test(path)) return false;
  if (!/\.[A-Za-z][A-Za-z0-9]{0,7}$/.test(path))
    return quoted && /(?:^|\/)(?:[A-Z][a-z]+file|LICENSE|\.\w+)$/.test(path);
  return quoted || !/^[A-Z][a-z]+\.js$/.test(path);
}
