import { plainWord, type Word } from '../grammar/shell-word.ts';
import type { FileEffect } from '../programs/file-effects.ts';
import { hasOption, optionValues, type Parsed } from '../programs/options.ts';
import { below, type GitCall, isFileName, parseGit } from './git-words.ts';

/** Subcommands that change nothing in the folder they run in. */
const READ_ONLY_SUBCOMMANDS = new Set(
  'archive blame cat-file check-attr check-ignore cherry count-objects describe diff diff-files diff-index diff-tree for-each-ref fsck grep help log ls-files ls-remote ls-tree merge-base name-rev patch-id range-diff rev-list rev-parse shortlog show show-branch show-ref status var verify-commit verify-tag version whatchanged'.split(
    ' ',
  ),
);

/** Files that a git call names and would change. */
export function gitEffects(git: GitCall): FileEffect[] {
  const parsed = parseGit(git);
  const [verb, ...operands] = parsed.operands;
  const outputs = optionValues(parsed, '-o', '--output-directory');
  const effects = [
    ...optionValues(parsed, '--output').map(write),
    ...(['archive', 'format-patch'].includes(git.subcommand) ? outputs.map(write) : []),
    ...restoredPaths(git, parsed).map(write),
    ...createdPaths(git, verb, operands).map(write),
    ...(git.subcommand === 'checkout-index' ? optionValues(parsed, '--prefix').map(write) : []),
    ...(git.subcommand === 'remote' && REMOTE_CHANGES.has(verb?.text ?? '')
      ? [write(plainWord('.git/config'))]
      : []),
    ...(git.subcommand === 'config' ? configEffects(git) : []),
    ...(git.subcommand === 'rm' && !hasOption(parsed, '-n', '--dry-run')
      ? parsed.operands.map((word) => removed(word, hasOption(parsed, '--cached')))
      : []),
    ...(git.subcommand === 'add' || git.subcommand === 'stage' ? parsed.operands.map(record) : []),
    ...(git.subcommand === 'update-index' && !hasOption(parsed, '--refresh')
      ? parsed.operands.map(record)
      : []),
    ...(git.subcommand === 'mv' ? parsed.operands.map(write) : []),
    ...(git.subcommand === 'apply' ? optionValues(parsed, '--directory').map(write) : []),
  ];
  return [
    ...(READ_ONLY_SUBCOMMANDS.has(git.subcommand) ? [] : git.folders.map(visit)),
    ...effects.map((effect) => ({ ...effect, target: below(git.directory, effect.target) })),
  ];
}

const REMOTE_CHANGES = new Set(['add', 'remove', 'rm', 'rename', 'set-url', 'set-head', 'set-branches']);

function visit(target: Word): FileEffect {
  return { kind: 'visit', target, into: [], recursive: false };
}

function write(target: Word): FileEffect {
  return { kind: 'write', target, into: [], recursive: false };
}

/** Only the index entry changes; the file stays as it is. */
function record(target: Word): FileEffect {
  return { kind: 'index', target: pathspec(target), into: [], recursive: false };
}

function removed(target: Word, isCached: boolean): FileEffect {
  return isCached ? record(target) : { kind: 'delete', target, into: [], recursive: true };
}

/** Git expands patterns itself, so quoting doesn't prevent it. */
function pathspec(word: Word): Word {
  return /[*?[]/.test(word.text) ? { ...word, pattern: true } : word;
}

function createdPaths(git: GitCall, verb: Word | undefined, operands: readonly Word[]): readonly Word[] {
  switch (git.subcommand) {
    case 'clone':
      return operands.slice(0, 1);
    case 'init':
      return verb === undefined ? [] : [verb];
    case 'worktree':
      return verb?.text === 'add' ? operands.slice(0, 1) : [];
    case 'bundle':
      return verb?.text === 'create' ? operands.slice(0, 1) : [];
    default:
      return [];
  }
}

/** Paths that `restore` names, and that `checkout` names after `--` or after a revision. */
function restoredPaths({ subcommand, rest }: GitCall, parsed: Parsed): readonly Word[] {
  const indexOnly = hasOption(parsed, '-S', '--staged') && !hasOption(parsed, '-W', '--worktree');
  if (subcommand === 'restore') return indexOnly ? [] : parsed.operands;
  if (subcommand !== 'checkout') return [];
  const at = rest.findIndex(({ text }) => text === '--');
  if (at >= 0) return rest.slice(at + 1);
  const [first, ...others] = parsed.operands;
  return first !== undefined && isFileName(first.text) ? parsed.operands : others;
}

const CONFIG_READS = [
  '--get',
  '--get-all',
  '--get-regexp',
  '--get-urlmatch',
  '--get-color',
  '--get-colorbool',
  '-l',
  '--list',
];
const CONFIG_VERBS = new Set(['get', 'list']);

function configEffects(git: GitCall): FileEffect[] {
  const parsed = parseGit(git);
  const [first] = parsed.operands;
  if (hasOption(parsed, ...CONFIG_READS) || CONFIG_VERBS.has(first?.text ?? '')) return [];
  const changes = hasOption(
    parsed,
    '--unset',
    '--unset-all',
    '--add',
    '--replace-all',
    '--rename-section',
    '--remove-section',
    '-e',
    '--edit',
  );
  if (!changes && parsed.operands.length < 2) return [];
  if (hasOption(parsed, '--global')) return [write(plainWord('~/.gitconfig'))];
  if (hasOption(parsed, '--system')) return [write(plainWord('/etc/gitconfig'))];
  const files = optionValues(parsed, '-f', '--file');
  return files.length > 0 ? files.map(write) : [write(plainWord('.git/config'))];
}
