import type { Notice } from '../../../contracts/run/workspace-change.ts';
import { type Git, GitError } from '../git/git-command.ts';
import { readRefs } from '../git/ref-files.ts';
import { salvageRefOf } from '../result/salvage-refs.ts';
import { addUserRef } from '../result/user-refs.ts';

/** The user's refs and the status of their checkout, compared around an agent step that no sandbox confines. */
export interface CheckoutState {
  /** Object ids by full name, without conductor's own refs; `HEAD` is the branch that is checked out. */
  readonly refs: ReadonlyMap<string, string>;
  /** Status letters by path. */
  readonly files: ReadonlyMap<string, string>;
}

const OWN_REFS = /^refs\/(?:conductor|heads\/conductor\/(?:run|item))(?:\/|$)/;

export function isOwnRef(name: string): boolean {
  return OWN_REFS.test(name);
}

/** At most this many files get a notice of their own; one more notice counts the rest. */
const FILES_NAMED = 20;

export async function readCheckout(git: Git, gitDir: string): Promise<CheckoutState> {
  const [refs, status] = await Promise.all([
    readRefs(git, gitDir, isOwnRef),
    git(['status', '--porcelain=v2', '--branch', '--no-ahead-behind', '-z', '--ignore-submodules=all']),
  ]);
  const { head, files } = parseStatus(status.stdout.toString('utf8'));
  return { refs: head === null ? refs : new Map([...refs, ['HEAD', head]]), files };
}

/** Reads what `git status --porcelain=v2 --branch -z` prints. */
export function parseStatus(statusRecords: string): {
  readonly head: string | null;
  readonly files: ReadonlyMap<string, string>;
} {
  let head: string | null = null;
  const files = new Map<string, string>();
  const records = statusRecords.split('\0');
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? '';
    const kind = record[0];
    if (record.startsWith('# branch.head ')) head = record.slice('# branch.head '.length);
    else if (kind === '?') files.set(record.slice(2), '??');
    else if (kind === '1') files.set(fieldsFrom(record, 8), record.slice(2, 4));
    else if (kind === 'u') files.set(fieldsFrom(record, 10), record.slice(2, 4));
    else if (kind === '2') {
      files.set(fieldsFrom(record, 9), record.slice(2, 4));
      // The next record is the old path of the rename.
      at += 1;
    }
  }
  return { head, files };
}

function fieldsFrom(record: string, count: number): string {
  return record.split(' ').slice(count).join(' ');
}

/** Reports each difference as a notice. If a ref's old commit is no longer reachable, a salvage ref keeps it. */
export async function compareCheckouts(
  git: Git,
  { runId, stepId }: { readonly runId: string; readonly stepId: string },
  before: CheckoutState,
  after: CheckoutState,
): Promise<Notice[]> {
  const notices: Notice[] = [];
  for (const { subject, old, now } of findDifferences(before.refs, after.refs)) {
    const salvageRef = await keepIfLost(git, runId, subject, old);
    notices.push(createNotice(stepId, { subject, old, new: now, salvageRef }));
  }
  const files = findDifferences(before.files, after.files);
  for (const { subject, old, now } of files.slice(0, FILES_NAMED))
    notices.push(createNotice(stepId, { subject, old, new: now, salvageRef: null }));
  const more = files.length - FILES_NAMED;
  if (more > 0)
    notices.push(
      createNotice(stepId, { subject: `${more} more files`, old: null, new: null, salvageRef: null }),
    );
  return notices;
}

function createNotice(
  stepId: string,
  change: Pick<Notice, 'subject' | 'old' | 'new' | 'salvageRef'>,
): Notice {
  const message = `changed in your checkout while \`${stepId}\` ran; conductor can't tell by whom`;
  return { kind: 'checkout_changed', ...change, message };
}

function findDifferences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const subjects = [...new Set([...before.keys(), ...after.keys()])].sort();
  return subjects.flatMap((subject) => {
    const [old, now] = [before.get(subject) ?? null, after.get(subject) ?? null];
    return old === now ? [] : [{ subject, old, now }];
  });
}

async function keepIfLost(git: Git, runId: string, ref: string, old: string | null): Promise<string | null> {
  if (old === null || ref === 'HEAD') return null;
  try {
    const found = await git(
      ['rev-list', '--max-count=1', old, '--not', '--exclude=refs/conductor/base/*', '--all'],
      { answers: [128] },
    );
    // A tag may point at something other than a commit, and a pruned commit can't be kept.
    if (found.exitCode !== 0 || found.stdout.length === 0) return null;
    return await addUserRef(git, salvageRefOf(runId, ref.replace(/^refs\//, 'ref/')), old);
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}
