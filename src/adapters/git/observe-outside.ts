import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { OutsideChange, OutsidePlace } from '../../contracts/surroundings.ts';
import type { FileChange } from '../../contracts/workspace-change.ts';
import { kindOf } from './file-kind.ts';
import type { Git } from './git-command.ts';
import { stampOf } from './observe-checkout.ts';

const LINK_MODE = '120000';
/** Folders behind links, and records, are looked at up to this many files. */
const FILES_LIMIT = 5000;
const DIGEST_LIMIT_BYTES = 1024 * 1024;

/** Files of a home folder that start or steer other programs, and that no step has a reason to write. */
const HOME_FILES = [
  '.gitconfig',
  '.config/git/config',
  '.config/git/ignore',
  '.config/git/attributes',
  '.ssh/authorized_keys',
  '.ssh/config',
  '.profile',
  '.bashrc',
  '.bash_profile',
  '.zshrc',
  '.zprofile',
  '.zshenv',
  '.config/conductor/config.yaml',
];

/** Prints of files by the name they are told under. */
export type Prints = ReadonlyMap<string, string>;

export interface OutsideState {
  readonly home: Prints;
  readonly records: Prints;
  readonly otherRuns: Prints;
  readonly behindLinks: Prints;
}

export interface OutsideRequest {
  readonly home: string | undefined;
  readonly runsDir: string;
  readonly runDir: string;
  readonly evidenceDir: string;
  /** Where links led before the step: whoever takes a link away takes nothing away behind it. */
  readonly linksOut: readonly LinkOut[];
  /** Folders that are looked at in other ways, or change whatever the step does; a link may lead above them. */
  readonly apart: readonly string[];
}

export interface LinkOut {
  /** Relative to the worktree. */
  readonly link: string;
  readonly target: string;
}

export async function readOutside(request: OutsideRequest): Promise<OutsideState> {
  const [home, records, otherRuns, behindLinks] = await Promise.all([
    readHome(request.home),
    readRecords(request),
    readOtherRuns(request),
    readBehindLinks(request),
  ]);
  return { home, records, otherRuns, behindLinks };
}

export function compareOutside(before: OutsideState, after: OutsideState): OutsideChange[] {
  return [
    ...differences('home', before.home, after.home),
    ...differences('record', before.records, after.records),
    // Runs begin and end, and are cleaned up; what they said once does not change.
    ...differences('record', before.otherRuns, after.otherRuns).filter(({ verb }) => verb === 'changed'),
    ...differences('behind_link', before.behindLinks, after.behindLinks),
  ];
}

function differences(place: OutsidePlace, before: Prints, after: Prints): OutsideChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((subject): OutsideChange[] => {
    const [old, now] = [before.get(subject), after.get(subject)];
    if (old === now) return [];
    const verb = old === undefined ? 'created' : now === undefined ? 'deleted' : 'changed';
    return [{ place, subject, verb, excuse: null, putBack: false }];
  });
}

/** The links of a tree. */
export async function linksOf(git: Git, tree: string): Promise<string[]> {
  const listed = (await git(['ls-tree', '-r', '-z', tree])).stdout.toString('utf8').split('\0');
  return listed
    .filter((line) => line.startsWith(LINK_MODE))
    .map((line) => line.slice(line.indexOf('\t') + 1));
}

/** Links that a step made or turned elsewhere, and that lead out of the worktree. */
export async function findLinksOut(
  worktreePath: string,
  changes: readonly FileChange[],
): Promise<OutsideChange[]> {
  const found: OutsideChange[] = [];
  const top = await realpath(worktreePath);
  for (const { path, status, newMode } of changes) {
    if (newMode !== LINK_MODE || status === 'D') continue;
    const target = await targetOf(worktreePath, path);
    if (target === null || isInside(top, target)) continue;
    const verb = status === 'A' ? 'created' : 'changed';
    found.push({ place: 'link', subject: `${path} -> ${target}`, verb, excuse: null, putBack: false });
  }
  return found;
}

async function readHome(home: string | undefined): Promise<Prints> {
  const prints = new Map<string, string>();
  if (home === undefined) return prints;
  for (const name of HOME_FILES) {
    const print = await printOf(join(home, name));
    if (print !== null) prints.set(`~/${name}`, print);
  }
  return prints;
}

/** What steps before this one left as evidence: nobody writes it any more. */
async function readRecords({ runDir, evidenceDir }: OutsideRequest): Promise<Prints> {
  const evidence = await filesBelow(join(runDir, 'artifacts'), [evidenceDir]);
  return printsOf(dirname(runDir), [join(runDir, 'workflow.yaml'), ...evidence]);
}

async function readOtherRuns({ runsDir, runDir }: OutsideRequest): Promise<Prints> {
  const names = await readdir(runsDir).catch((): string[] => []);
  const others = names.map((name) => join(runsDir, name)).filter((folder) => folder !== runDir);
  return printsOf(
    runsDir,
    others.flatMap((folder) => [join(folder, 'workflow.yaml'), join(folder, 'final-state.txt')]),
  );
}

async function printsOf(top: string, paths: readonly string[]): Promise<Prints> {
  const prints = new Map<string, string>();
  for (const path of paths) {
    const print = await printOf(path);
    if (print !== null) prints.set(relative(top, path), print);
  }
  return prints;
}

/** Those of the links that lead out of the worktree. */
export async function linksOutOf(worktreePath: string, links: readonly string[]): Promise<LinkOut[]> {
  const found: LinkOut[] = [];
  const top = await realpath(worktreePath);
  for (const link of links) {
    const target = await targetOf(worktreePath, link);
    if (target !== null && !isInside(top, target)) found.push({ link, target });
  }
  return found;
}

async function readBehindLinks({ linksOut, apart }: OutsideRequest): Promise<Prints> {
  const prints = new Map<string, string>();
  for (const { link, target } of linksOut) {
    const real = await realpath(target).catch(() => null);
    if (real === null) continue;
    if ((await kindOf(real)) !== 'folder') prints.set(link, (await stampOf(real))?.text ?? '');
    else
      for (const path of await filesBelow(real, apart))
        prints.set(`${link}/${relative(real, path)}`, (await stampOf(path))?.text ?? '');
  }
  return prints;
}

/** Where a link leads, as far as the folders on the way exist; null when it is none. */
async function targetOf(worktreePath: string, link: string): Promise<string | null> {
  const path = join(worktreePath, link);
  const written = await readlink(path).catch(() => null);
  if (written === null) return null;
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return resolve(folder, written);
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}

async function filesBelow(folder: string, except: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const open = [folder];
  for (let next = open.pop(); next !== undefined && found.length < FILES_LIMIT; next = open.pop()) {
    if (except.includes(next)) continue;
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => []))
      (entry.isDirectory() ? open : found).push(join(next, entry.name));
  }
  return found.slice(0, FILES_LIMIT).sort();
}

/** Content tells best; large files go by their stamp. */
async function printOf(path: string): Promise<string | null> {
  const kind = await kindOf(path);
  if (kind === 'missing' || kind === 'folder') return null;
  if (kind === 'link') return `link ${await readlink(path).catch(() => '')}`;
  const found = await lstat(path).catch(() => null);
  // To open a pipe would wait for ever for somebody to write.
  if (found === null || !found.isFile() || found.size > DIGEST_LIMIT_BYTES)
    return (await stampOf(path))?.text ?? null;
  const content = await readFile(path).catch(() => null);
  return content === null ? 'unreadable' : createHash('sha256').update(content).digest('hex');
}
