import type { Operation } from '../../../contracts/documents/policy.ts';
import type { Word } from '../grammar/shell-word.ts';
import { hasOption, optionValues, type Parsed } from '../programs/options.ts';
import { type GitCall, isFileName, parseGit } from './git-words.ts';

/** The effects of a git call that matter to a policy. */
export interface GitCallEffects {
  readonly operations: readonly Operation[];
  /** Branches that the call would move, create or delete. */
  readonly branches: readonly Word[];
  readonly network: boolean;
  /** The call rewrites files of the checkout. */
  readonly rewrites: boolean;
  /** Why the programs that it runs or the refs that it moves are unknown. */
  readonly problem: string | null;
  /** The call moves every branch, including protected ones. */
  readonly movesAll: boolean;
}

const COMMITS = new Set([
  'commit',
  'merge',
  'cherry-pick',
  'revert',
  'rebase',
  'am',
  'pull',
  'commit-tree',
  'fast-import',
  'notes',
  'quiltimport',
]);
const NETWORK = new Set([
  'push',
  'fetch',
  'pull',
  'clone',
  'ls-remote',
  'send-pack',
  'fetch-pack',
  'http-push',
  'http-fetch',
  'send-email',
  'imap-send',
  'svn',
  'p4',
  'remote-http',
  'remote-https',
]);
const PUSHES = new Set(['push', 'send-pack', 'http-push']);
const REWRITES = new Set(['filter-branch', 'filter-repo', 'replace', 'reflog', 'prune', 'gc']);

export function classifyGitCall(git: GitCall): GitCallEffects {
  const parsed = parseGit(git);
  const { subcommand } = git;
  const operations = new Set<Operation>();
  if (isCommit(subcommand, parsed)) operations.add('commit');
  if (isPush(subcommand, parsed)) operations.add('push');
  if (isForce(subcommand, parsed)) operations.add('force');
  if (isBranchSwitch(subcommand, git, parsed)) operations.add('branch_switch');
  if (subcommand === 'rm' && !hasOption(parsed, '--cached', '-n', '--dry-run')) operations.add('delete');
  if (subcommand === 'clean' && !hasOption(parsed, '-n', '--dry-run')) operations.add('delete');
  return {
    operations: [...operations],
    branches: movedBranches(subcommand, parsed),
    network: isNetwork(subcommand, parsed),
    rewrites: isRewrite(subcommand, parsed),
    problem: startedProgram(subcommand, parsed) ?? unknownRefs(subcommand, parsed),
    movesAll: movesAll(subcommand, parsed),
  };
}

function verbOf({ operands }: Parsed): string {
  return operands[0]?.text ?? '';
}

function isCommit(subcommand: string, parsed: Parsed): boolean {
  if (subcommand === 'stash') return !['list', 'show'].includes(verbOf(parsed));
  if (
    subcommand === 'merge' ||
    subcommand === 'rebase' ||
    subcommand === 'am' ||
    subcommand === 'revert' ||
    subcommand === 'cherry-pick'
  )
    return !hasOption(parsed, '--abort', '--quit', '--show-current-patch');
  if (subcommand === 'notes') return !['', 'list', 'show'].includes(verbOf(parsed));
  if (subcommand === 'commit') return !hasOption(parsed, '--dry-run');
  if (subcommand === 'branch') return branchesNamed(parsed).length > 0;
  if (subcommand === 'tag') return parsed.operands.length > 0 && !hasOption(parsed, ...TAG_LIST_OPTIONS);
  return COMMITS.has(subcommand);
}

const REWRITING = new Set(
  'am apply checkout checkout-index cherry-pick clean merge mv pull rebase restore revert rm stash switch'.split(
    ' ',
  ),
);
const DRY_RUN_OPTIONS = ['-n', '--dry-run', '--stat', '--numstat', '--summary', '--check'];

function isRewrite(subcommand: string, parsed: Parsed): boolean {
  if (subcommand === 'reset') return hasOption(parsed, '--hard', '--merge', '--keep');
  if (subcommand === 'stash') return !['list', 'show', 'create', 'store'].includes(verbOf(parsed));
  const isDryRun =
    ['apply', 'clean', 'mv', 'rm'].includes(subcommand) && hasOption(parsed, ...DRY_RUN_OPTIONS);
  return REWRITING.has(subcommand) && !isDryRun && !(subcommand === 'rm' && hasOption(parsed, '--cached'));
}

function isPush(subcommand: string, parsed: Parsed): boolean {
  if (PUSHES.has(subcommand)) return true;
  if (subcommand === 'subtree' || subcommand === 'lfs') return verbOf(parsed) === 'push';
  return subcommand === 'svn' && verbOf(parsed) === 'dcommit';
}

function isNetwork(subcommand: string, parsed: Parsed): boolean {
  if (NETWORK.has(subcommand)) return true;
  if (subcommand === 'remote') return ['update', 'show', 'prune'].includes(verbOf(parsed));
  if (subcommand === 'submodule') return ['add', 'update'].includes(verbOf(parsed));
  if (subcommand === 'lfs') return ['push', 'pull', 'fetch', 'clone'].includes(verbOf(parsed));
  return subcommand === 'archive' && hasOption(parsed, '--remote');
}

function isForce(subcommand: string, parsed: Parsed): boolean {
  const isForced = hasOption(parsed, '-f', '--force');
  switch (subcommand) {
    case 'push':
      return (
        isForced ||
        hasOption(
          parsed,
          '--force-with-lease',
          '--force-if-includes',
          '--mirror',
          '--delete',
          '-d',
          '--prune',
        ) ||
        parsed.operands.some(({ text }) => text.startsWith('+') || text.startsWith(':'))
      );
    case 'reset':
      return hasOption(parsed, '--hard', '--merge', '--keep');
    case 'checkout':
      return isForced || hasOption(parsed, '-B');
    case 'switch':
      return isForced || hasOption(parsed, '-C', '--force-create', '--discard-changes');
    case 'branch':
      return isForced || hasOption(parsed, '-D', '-M', '-C');
    case 'tag':
      return isForced || hasOption(parsed, '-d', '--delete');
    case 'update-ref':
      return true;
    case 'worktree':
    case 'rm':
    case 'mv':
    case 'fetch':
      return isForced;
    case 'commit':
      return hasOption(parsed, '--amend');
    case 'reflog':
      return ['expire', 'delete'].includes(verbOf(parsed));
    case 'gc':
      return hasOption(parsed, '--prune');
    default:
      return REWRITES.has(subcommand);
  }
}

/** `checkout` takes both branches and paths; after `--` or a revision an operand is certainly a path. */
function isBranchSwitch(subcommand: string, git: GitCall, parsed: Parsed): boolean {
  switch (subcommand) {
    case 'switch':
    case 'bisect':
      return true;
    case 'checkout': {
      if (hasOption(parsed, '-b', '-B', '--orphan', '--detach', '-t', '--track', '-d')) return true;
      const at = git.rest.findIndex(({ text }) => text === '--');
      if (at >= 0 && at < git.rest.length - 1) return false;
      // Operands after a revision are files, so `checkout` doesn't switch the branch.
      const [first, ...others] = parsed.operands;
      if (first === undefined || others.length > 0 || isFileName(first.text)) return false;
      const isPath = /^(?:\.{1,2}|:.*)(?:\/.*)?$/.test(first.text);
      return !isPath && !hasOption(parsed, '-p', '--patch', '--ours', '--theirs');
    }
    case 'symbolic-ref':
      return parsed.operands.length > 1 || hasOption(parsed, '-d', '--delete');
    case 'stash':
      return verbOf(parsed) === 'branch';
    case 'worktree':
      return ['add', 'move', 'remove'].includes(verbOf(parsed));
    case 'rebase':
      return parsed.operands.length > 1;
    default:
      return false;
  }
}

/** The branches that a call moves, by name or as a full ref. */
function movedBranches(subcommand: string, parsed: Parsed): readonly Word[] {
  const { operands } = parsed;
  switch (subcommand) {
    case 'branch':
      return branchesNamed(parsed);
    case 'update-ref':
    case 'symbolic-ref':
      return operands.slice(0, subcommand === 'update-ref' || operands.length > 1 ? 1 : 0);
    case 'checkout':
    case 'switch':
      return optionValues(parsed, '-B', '-C', '-b', '-c', '--create', '--force-create', '--orphan');
    case 'push':
    case 'fetch':
    case 'pull':
      return operands.slice(1).flatMap((word) => refTarget(subcommand, word));
    case 'rebase':
      return operands.slice(1, 2);
    case 'worktree':
      return optionValues(parsed, '-b', '-B');
    default:
      return [];
  }
}

const TAG_LIST_OPTIONS = [
  '-l',
  '--list',
  '-v',
  '--verify',
  '--contains',
  '--no-contains',
  '--merged',
  '--points-at',
  '-n',
];
const BRANCH_LIST_OPTIONS = ['-l', '--list', '-a', '-r', '--contains', '--merged', '--no-merged'];
const BRANCH_RENAMES = ['-d', '-D', '--delete', '-m', '-M', '--move', '-c', '-C', '--copy'];

/** By default the second name is only the start point of the branch. */
function branchesNamed(parsed: Parsed): readonly Word[] {
  if (hasOption(parsed, ...BRANCH_LIST_OPTIONS)) return [];
  return hasOption(parsed, ...BRANCH_RENAMES) ? parsed.operands : parsed.operands.slice(0, 1);
}

/** A refspec moves the ref after its colon; a push without a colon moves the branch of the same name. */
function refTarget(subcommand: string, word: Word): Word[] {
  const text = word.text.replace(/^\+/, '');
  const at = text.indexOf(':');
  if (at >= 0) return [{ ...word, text: text.slice(at + 1) }];
  return subcommand === 'push' ? [{ ...word, text }] : [];
}

function movesAll(subcommand: string, parsed: Parsed): boolean {
  if (subcommand === 'push' && hasOption(parsed, '--all', '--branches', '--mirror')) return true;
  return movedBranches(subcommand, parsed).some(
    ({ text, unknown }) => !unknown && (text === '' || text.includes('*')),
  );
}

/** Why the moved refs are unknown, or null. */
function unknownRefs(subcommand: string, parsed: Parsed): string | null {
  const stdin =
    ['update-ref', 'fetch-pack', 'send-pack'].includes(subcommand) && hasOption(parsed, '--stdin');
  if (stdin || subcommand === 'fast-import') return `git ${subcommand} reads the refs to move from elsewhere`;
  return movedBranches(subcommand, parsed).some((word) => word.unknown || word.pattern)
    ? 'the branch name is an expansion'
    : null;
}

function startedProgram(subcommand: string, parsed: Parsed): string | null {
  const names = (...options: string[]) => hasOption(parsed, ...options);
  const started =
    (subcommand === 'rebase' && names('-x', '--exec')) ||
    (subcommand === 'bisect' && verbOf(parsed) === 'run') ||
    (subcommand === 'submodule' && verbOf(parsed) === 'foreach') ||
    (subcommand === 'maintenance' && ['start', 'register'].includes(verbOf(parsed))) ||
    (subcommand === 'difftool' && names('-x', '--extcmd')) ||
    (subcommand === 'grep' && names('-O', '--open-files-in-pager')) ||
    (subcommand === 'clone' && names('-c', '--config', '--template', '-u')) ||
    names('--upload-pack', '--receive-pack') ||
    (['archive', 'push', 'fetch-pack'].includes(subcommand) && names('--exec')) ||
    (subcommand === 'apply' && names('--unsafe-paths')) ||
    (subcommand === 'send-email' && names('--sendmail-cmd', '--to-cmd', '--cc-cmd', '--header-cmd')) ||
    subcommand === 'filter-branch' ||
    parsed.operands.some(({ text }) => text.startsWith('ext::'));
  return started ? `git ${subcommand} runs a program that its options name` : null;
}

/** The full ref of a branch that a command names. */
export function branchRef(name: string): string {
  if (name.startsWith('refs/')) return name;
  return name.startsWith('heads/') ? `refs/${name}` : `refs/heads/${name}`;
}

const KNOWN =
  'add am apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone commit commit-graph commit-tree config count-objects credential describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref format-patch fsck gc grep hash-object help index-pack init interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo maintenance merge merge-base merge-file merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune pull push quiltimport range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule subtree svn switch symbolic-ref tag unpack-file unpack-objects update-index update-ref var verify-commit verify-pack verify-tag version whatchanged worktree write-tree';
const SUBCOMMANDS: ReadonlySet<string> = new Set(KNOWN.split(' '));

/** Whether git ships the subcommand. Any other may be an alias, which can run anything. */
export function isKnownSubcommand(name: string): boolean {
  return name === '' || SUBCOMMANDS.has(name);
}
