import { plainWord, programOf, type Word } from '../grammar/shell-word.ts';
import { type OptionForm, type Parsed, parseOptions } from '../programs/options.ts';

/** A git call without its global options. */
export interface GitCall {
  readonly subcommand: string;
  /** The subcommand comes from an expansion, so only the running shell knows it. */
  readonly unknown: boolean;
  readonly rest: readonly Word[];
  /** Folders given by `-C`, `--git-dir` and `--work-tree`, in order. */
  readonly folders: readonly Word[];
  /** The folder given by `-C`, as written; empty without one. */
  readonly directory: string;
  /** Effects of the global options that can't be decided. */
  readonly problems: readonly string[];
  /** The value that `-c alias.NAME=VALUE` gives to the subcommand. */
  readonly alias: string | null;
}

const WITH_VALUE = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--super-prefix',
  '--config-env',
  '--exec-path',
  '--attr-source',
]);
/** A real call doesn't name more folders than this. */
const MAX_FOLDERS = 32;
const FOLDER_OPTIONS = new Set(['-C', '--git-dir', '--work-tree']);

/** Keys that only change formatting or similar and start no program. */
const HARMLESS_KEY =
  /^(?:user\.(?:name|email)|color\..*|advice\..*|log\..*|format\.pretty|core\.(?:quotepath|autocrlf|filemode|safecrlf|abbrev|longpaths|ignorecase)|init\.defaultbranch|(?:commit|tag)\.gpgsign|merge\.conflictstyle|diff\.(?:renames|renamelimit|algorithm|mnemonicprefix|noprefix|context|colormoved|wserrorhighlight)|pull\.(?:rebase|ff)|safe\.directory|gc\.auto|status\..*|grep\..*|column\..*|blame\..*|apply\.whitespace|fetch\.parallel|submodule\.recurse|maintenance\.auto)$/;
const HARMLESS_PAGER = /^(?:core\.pager|pager\.\w+)=(?:cat|less|more|false|true|)$/;

/** Null if the command is not git. */
export function readGit(words: readonly Word[]): GitCall | null {
  const [first, ...rest] = words;
  const program = programOf(first);
  if (program.startsWith('git-') && first !== undefined)
    return {
      subcommand: program.slice(4),
      unknown: false,
      rest,
      folders: [],
      directory: '',
      problems: [],
      alias: null,
    };
  if (program !== 'git' && program !== 'git.exe') return null;
  const folders: Word[] = [];
  const problems: string[] = [];
  const aliases = new Map<string, string>();
  let directory = '';
  let index = 0;
  for (; index < rest.length; index += 1) {
    const word = rest[index];
    if (word === undefined || !word.text.startsWith('-') || word.text === '-') break;
    if (folders.length > MAX_FOLDERS) {
      problems.push('git changes folders too often');
      break;
    }
    const at = word.text.startsWith('--') ? word.text.indexOf('=') : -1;
    const name = at < 0 ? word.text : word.text.slice(0, at);
    if (at < 0 && WITH_VALUE.has(name)) index += 1;
    const value = at < 0 ? rest[index] : { ...word, text: word.text.slice(at + 1) };
    if (name === '-C' && value !== undefined)
      directory = directory === '' || value.text.startsWith('/') ? value.text : `${directory}/${value.text}`;
    else if (FOLDER_OPTIONS.has(name) && value !== undefined) folders.push(below(directory, value));
    if (name === '-C' && value !== undefined) folders.push({ ...value, text: directory });
    const [, alias, meaning] =
      name === '-c' ? (/^alias\.([^=]+)=([\s\S]*)$/.exec(value?.text ?? '') ?? []) : [];
    if (alias !== undefined && meaning !== undefined) aliases.set(alias, meaning);
    const problem = optionProblem(name, value);
    if (problem !== null) problems.push(problem);
  }
  const subcommand = rest[index];
  return {
    subcommand: subcommand?.text ?? '',
    unknown: subcommand !== undefined && (subcommand.unknown || subcommand.pattern),
    rest: rest.slice(index + 1),
    folders,
    directory,
    problems,
    alias: aliases.get(subcommand?.text ?? '') ?? null,
  };
}

/** Resolves a relative word against the folder given by `-C`. */
export function below(directory: string, word: Word): Word {
  if (directory === '' || word.text.startsWith('/')) return word;
  const text = `${directory}/${word.text}`;
  return { ...word, text, raw: text };
}

function optionProblem(name: string, value: Word | undefined): string | null {
  if (name === '--config-env' || name === '--exec-path') return `git's ${name} can make git run a program`;
  if (name !== '-c') return null;
  const setting = value?.text ?? '';
  const key = setting.split('=')[0]?.toLowerCase() ?? '';
  if (value?.unknown === true) return 'a git setting comes from an expansion';
  if (key.startsWith('alias.')) return 'it defines a git alias';
  if (HARMLESS_KEY.test(key) || HARMLESS_PAGER.test(setting.toLowerCase())) return null;
  return `the setting ${key} can make git run a program`;
}

/** The words that a prefix is compared with: without git's global options. */
export function wordsWithoutGlobals(words: readonly Word[]): readonly Word[] {
  const [first] = words;
  const git = readGit(words);
  if (git === null || first === undefined) return words;
  if (programOf(first).startsWith('git-')) return [plainWord('git'), plainWord(git.subcommand), ...git.rest];
  return [first, ...words.slice(words.length - git.rest.length - (git.subcommand === '' ? 0 : 1))];
}

const FILE_ENDINGS = new Set(
  'c cc cfg cjs conf cpp cs css csv cts ex exs go gradle h hpp html ini java js json jsonc jsx kt kts less lock lua md mdx mjs ml mod mts php pl proto py pyi rb rs rst scala scss sh snap sql sum svelte svg swift tf toml ts tsx txt vue xml yaml yml zig'.split(
    ' ',
  ),
);

/** Whether a name looks like a file rather than a branch, so that `checkout` treats it as a file. */
export function isFileName(text: string): boolean {
  const [, ending = ''] = /\.([a-z]+)$/.exec(text) ?? [];
  return text.endsWith('/') || FILE_ENDINGS.has(ending);
}

const FORMS: Readonly<Record<string, OptionForm>> = {
  checkout: { letters: 'bB', names: ['--orphan', '--conflict', '--pathspec-from-file'] },
  switch: { letters: 'cC', names: ['--create', '--force-create', '--orphan', '--conflict'] },
  branch: { letters: 'u', names: ['--set-upstream-to', '--sort', '--format', '--points-at'] },
  push: { letters: 'o', names: ['--push-option', '--repo', '--receive-pack', '--exec'] },
  tag: { letters: 'mFu', names: ['--message', '--file', '--sort', '--format'] },
  config: { letters: 'f', names: ['--file', '--blob', '--type', '--default', '--value', '--comment'] },
  clone: {
    letters: 'bocuj',
    names: [
      '--branch',
      '--origin',
      '--config',
      '--depth',
      '--upload-pack',
      '--template',
      '--reference',
      '--filter',
    ],
  },
  archive: { letters: 'o', names: ['--output', '--format', '--prefix', '--remote', '--exec'] },
  'format-patch': { letters: 'oN', names: ['--output-directory', '--start-number', '--subject-prefix'] },
  diff: { letters: 'SGUO', names: ['--output'] },
  log: { letters: 'SGUOn', names: ['--output', '--grep', '--author', '--since', '--until', '--format'] },
  show: { letters: 'SGUO', names: ['--output'] },
  'checkout-index': { names: ['--prefix'] },
  worktree: { letters: 'bB', names: ['--reason'] },
  apply: { letters: 'pC', names: ['--directory', '--exclude', '--include'] },
  clean: { letters: 'e', names: ['--exclude'] },
  stash: { letters: 'm', names: ['--message'] },
  fetch: { letters: 'oj', names: ['--upload-pack', '--depth', '--server-option'] },
  pull: { letters: 'sXoj', names: ['--upload-pack', '--depth', '--strategy'] },
  restore: { letters: 's', names: ['--source', '--pathspec-from-file'] },
  'update-ref': { letters: 'm' },
  'symbolic-ref': { letters: 'm' },
};

export function parseGit(git: GitCall): Parsed {
  const form = Object.hasOwn(FORMS, git.subcommand) ? FORMS[git.subcommand] : undefined;
  return parseOptions(git.rest, { ...form, names: [...(form?.names ?? []), '--output'] });
}
