import { plainWord, programOf, SUPPLIED_WORD, type Word } from '../grammar/shell-word.ts';
import { foundPaths } from './listed-paths.ts';
import { hasOption, type OptionForm, optionValues, type Parsed, parseOptions } from './options.ts';
import { withoutBackup } from './script-text.ts';

/** The effect of a command on a file or folder that its words name. */
export interface FileEffect {
  /** `visit`: works in a folder without saying on which files. `index`: changes git's index, not the file. */
  readonly kind: 'write' | 'delete' | 'visit' | 'index';
  readonly target: Word;
  /** The sources that would be placed in the target if it is a folder. */
  readonly into: readonly Word[];
  /** The effect includes everything below the target. */
  readonly recursive: boolean;
}

type Effects = (parsed: Parsed) => readonly FileEffect[];

interface Program {
  readonly form: OptionForm;
  readonly effects: Effects;
}

function write(target: Word, into: readonly Word[] = [], recursive = false): FileEffect {
  return { kind: 'write', target, into, recursive };
}

function remove(target: Word, recursive = false): FileEffect {
  return { kind: 'delete', target, into: [], recursive };
}

const writeAll: Effects = ({ operands }) => operands.map((word) => write(word));

/**
 * The first operand is the mode or owner, unless an option replaces it: `-x` is a mode, and `--reference` names a
 * file to copy it from.
 */
function writeAfterFirst(letters: string): Effects {
  return (parsed) => {
    const isGivenByOption = parsed.options.some(({ name }) =>
      name.startsWith('--') ? '--reference'.startsWith(name) : !letters.includes(name.slice(1)),
    );
    const recursive = hasOption(parsed, '-R', '--recursive');
    return parsed.operands.slice(isGivenByOption ? 0 : 1).map((word) => write(word, [], recursive));
  };
}
const removeAll: Effects = (parsed) =>
  parsed.operands.map((word) => remove(word, hasOption(parsed, '-r', '-R', '--recursive')));

const makeFolders: Effects = (parsed) =>
  hasOption(parsed, '-d', '--directory') ? writeAll(parsed) : writeLast(parsed);

/** A copy made as a link also gives access to its source. */
const copyLast: Effects = (parsed) =>
  hasOption(parsed, '-s', '--symbolic-link', '-l', '--link') ? link(parsed) : writeLast(parsed);

/** The last operand receives the others, unless `-t` names the folder. */
const writeLast: Effects = (parsed) => {
  const folders = optionValues(parsed, '-t', '--target-directory');
  if (folders.length > 0) return folders.map((folder) => write(folder, parsed.operands));
  const target = parsed.operands.at(-1);
  return target === undefined ? [] : [write(target, parsed.operands.slice(0, -1))];
};

/** Moving removes the source, including everything below it. */
const moveLast: Effects = (parsed) => {
  const stays = hasOption(parsed, '-t', '--target-directory') ? parsed.operands.length : -1;
  const sources = parsed.operands.slice(0, stays === -1 ? -1 : stays);
  return [...writeLast(parsed), ...sources.map((word) => write(word, [], true))];
};

/** A link gives access to its target. */
const link: Effects = (parsed) => {
  const [given] = optionValues(parsed, '-t', '--target-directory');
  const alone = given === undefined && parsed.operands.length === 1;
  const sources = alone || given !== undefined ? parsed.operands : parsed.operands.slice(0, -1);
  const name = given === undefined ? parsed.operands.at(-1) : { ...given, text: `${given.text}/` };
  const folder = hasOption(parsed, '-s', '--symbolic') ? folderOf(alone ? undefined : name) : '';
  return [
    ...(alone ? [] : writeLast(parsed)),
    ...sources.map((word) =>
      write({ ...word, text: word.text.startsWith('/') ? word.text : folder + word.text }, [], true),
    ),
  ];
};

/** A symbolic link is resolved relative to its own folder. */
function folderOf(name: Word | undefined): string {
  return name === undefined ? '' : name.text.slice(0, name.text.lastIndexOf('/') + 1);
}

const editInPlace: Effects = (parsed) => {
  if (!hasOption(parsed, '-i', '--in-place', '-I')) return [];
  const scripted = hasOption(parsed, '-e', '--expression', '-f', '--file');
  return parsed.operands.slice(scripted ? 0 : 1).map((word) => write(word));
};

/** `perl -i` and `ruby -i` edit their operands; the first one is the program unless `-e` provides it. */
const rewriteInPlace: Effects = (parsed) =>
  hasOption(parsed, '-i')
    ? parsed.operands.slice(hasOption(parsed, '-e', '-E') ? 0 : 1).map((word) => write(word))
    : [];

function writeOptions(...names: readonly string[]): Effects {
  return (parsed) => optionValues(parsed, ...names).map((word) => write(word));
}

const copyBlocks: Effects = ({ operands }) =>
  operands.flatMap((word) =>
    word.text.startsWith('of=')
      ? [write({ ...word, text: word.text.slice(3), raw: word.text.slice(3) })]
      : [],
  );

const unpack: Effects = (parsed) => {
  const folders = optionValues(parsed, '-C', '--directory');
  const creates = hasOption(parsed, '-c', '--create', '-r', '--append', '-u', '--update');
  const anywhere = !creates && hasOption(parsed, '-P', '--absolute-names') ? [SUPPLIED_WORD] : [];
  const archives = creates ? optionValues(parsed, '-f', '--file') : [];
  return [...folders, ...anywhere, ...archives].map((word) => write(word));
};

/** Replaces each file with another one next to it. */
const compressAll: Effects = (parsed) =>
  hasOption(parsed, '-c', '--stdout', '-l', '--list', '-t', '--test') ? [] : writeAll(parsed);
const writeSecond: Effects = ({ operands }) => operands.slice(1, 2).map((word) => write(word));

/** Writes at the template, unless it is for the temporary folder. */
const makeTemporary: Effects = (parsed) => {
  const folders = optionValues(parsed, '-p', '--tmpdir');
  const isElsewhere = hasOption(parsed, '-p', '--tmpdir', '-t');
  return [...folders, ...(isElsewhere ? [] : parsed.operands)].map((word) => write(word));
};
const writeFirst: Effects = ({ operands }) => operands.slice(0, 1).map((word) => write(word));

const COPY_FORM = {
  letters: 'tSmgo',
  names: ['--target-directory', '--suffix', '--mode', '--group', '--owner'],
};

const PROGRAMS: Readonly<Record<string, Program>> = {
  tee: { form: {}, effects: writeAll },
  sponge: { form: {}, effects: writeAll },
  touch: { form: { letters: 'dtr', names: ['--date', '--reference'] }, effects: writeAll },
  truncate: { form: { letters: 'sr', names: ['--size', '--reference'] }, effects: writeAll },
  mkdir: { form: { letters: 'm', names: ['--mode'] }, effects: writeAll },
  mktemp: { form: { letters: 'p', names: ['--suffix'] }, effects: makeTemporary },
  mkfifo: { form: { letters: 'm' }, effects: writeAll },
  cp: { form: COPY_FORM, effects: copyLast },
  gcp: { form: COPY_FORM, effects: copyLast },
  install: { form: COPY_FORM, effects: makeFolders },
  rsync: {
    form: { letters: 'efTB', names: ['--rsh', '--exclude', '--include', '--filter', '--files-from'] },
    effects: writeLast,
  },
  scp: { form: { letters: 'cFiJloPSXD' }, effects: writeLast },
  mv: { form: COPY_FORM, effects: moveLast },
  gmv: { form: COPY_FORM, effects: moveLast },
  ln: { form: COPY_FORM, effects: link },
  link: { form: {}, effects: link },
  dd: { form: {}, effects: copyBlocks },
  sed: { form: { letters: 'efl', names: ['--expression', '--file', '--line-length'] }, effects: editInPlace },
  gsed: {
    form: { letters: 'efl', names: ['--expression', '--file', '--line-length'] },
    effects: editInPlace,
  },
  perl: { form: { letters: 'eEIMmxF', clusterValues: 'i0lCD' }, effects: rewriteInPlace },
  ruby: { form: { letters: 'eEIrCF', clusterValues: 'i0KW' }, effects: rewriteInPlace },
  rm: { form: {}, effects: removeAll },
  grm: { form: {}, effects: removeAll },
  rmdir: { form: {}, effects: removeAll },
  unlink: { form: {}, effects: removeAll },
  trash: { form: {}, effects: removeAll },
  shred: { form: { letters: 'ns', names: ['--iterations', '--size'] }, effects: removeAll },
  rimraf: { form: {}, effects: ({ operands }) => operands.map((word) => remove(word, true)) },
  chmod: { form: { names: ['--reference'] }, effects: writeAfterFirst('RvcfHLP') },
  chown: { form: { names: ['--reference', '--from'] }, effects: writeAfterFirst('RvcfhHLP') },
  chgrp: { form: { names: ['--reference'] }, effects: writeAfterFirst('RvcfhHLP') },
  chattr: { form: { letters: 'vp' }, effects: writeAfterFirst('RVfvp') },
  setfacl: { form: { letters: 'mxMX' }, effects: writeAll },
  patch: {
    form: { letters: 'dioprBDFgVYzx', names: ['--directory', '--input', '--output', '--strip'] },
    effects: (parsed) =>
      [
        ...parsed.operands.slice(0, 1),
        ...optionValues(parsed, '-d', '-o', '-r', '--directory', '--output'),
      ].map((word) => write(word)),
  },
  tar: { form: { letters: 'CfbTXI', names: ['--directory', '--file', '--exclude'] }, effects: unpack },
  bsdtar: { form: { letters: 'CfbTXI', names: ['--directory', '--file', '--exclude'] }, effects: unpack },
  zip: { form: { letters: 'bix' }, effects: writeFirst },
  gzip: { form: { letters: 'S' }, effects: compressAll },
  gunzip: { form: { letters: 'S' }, effects: compressAll },
  bzip2: { form: {}, effects: compressAll },
  bunzip2: { form: {}, effects: compressAll },
  xz: { form: { letters: 'TS' }, effects: compressAll },
  unxz: { form: { letters: 'TS' }, effects: compressAll },
  uniq: { form: { letters: 'fsw' }, effects: writeSecond },
  dos2unix: { form: {}, effects: writeAll },
  unix2dos: { form: {}, effects: writeAll },
  unzip: { form: { letters: 'dx' }, effects: writeOptions('-d') },
  curl: {
    form: {
      letters: 'oHXduAebcTwFEmKxrD',
      names: [
        '--output',
        '--output-dir',
        '--header',
        '--data',
        '--request',
        '--user',
        '--dump-header',
        '--cookie-jar',
        '--trace',
        '--trace-ascii',
        '--stderr',
      ],
    },
    effects: writeOptions(
      '-o',
      '--output',
      '--output-dir',
      '-D',
      '--dump-header',
      '-c',
      '--cookie-jar',
      '--trace',
      '--trace-ascii',
      '--stderr',
    ),
  },
  wget: {
    form: { letters: 'OPoaUti', names: ['--output-document', '--directory-prefix', '--output-file'] },
    effects: writeOptions('-O', '-P', '-o', '-a', '--output-document', '--directory-prefix', '--output-file'),
  },
  sort: { form: { letters: 'oktST', names: ['--output', '--key'] }, effects: writeOptions('-o', '--output') },
  shuf: {
    form: { letters: 'oin', names: ['--output', '--input-range', '--head-count', '--random-source'] },
    effects: writeOptions('-o', '--output'),
  },
  csplit: {
    form: { letters: 'bfn', names: ['--prefix', '--suffix-format', '--digits'] },
    effects: writeOptions('-f', '--prefix'),
  },
  gcc: { form: { letters: 'oIL' }, effects: writeOptions('-o') },
  split: {
    form: { letters: 'abClnt' },
    effects: ({ operands }) => operands.slice(1).map((word) => write(word)),
  },
};

/** The file effects that can be read from the words of a command. */
export function fileEffects(words: readonly Word[]): readonly FileEffect[] {
  const [first, ...rest] = words;
  const name = programOf(first);
  if (name === 'find') return findEffects(rest);
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (program === undefined) return [];
  return program.effects(parseOptions(normaliseArguments(name, rest), program.form));
}

function normaliseArguments(name: string, words: readonly Word[]): readonly Word[] {
  switch (name) {
    case 'tar':
      return addDashes(words);
    case 'sed':
    case 'gsed':
      return withoutBackup(words);
    default:
      return words;
  }
}

const PATCHED = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gm;

/** The files that a Codex patch names. */
export function patchEffects(text: string): readonly FileEffect[] {
  return [...text.matchAll(PATCHED)].map(([, verb, path = '']) =>
    verb === 'Delete File' ? remove(plainWord(path.trim())) : write(plainWord(path.trim())),
  );
}

/** Tar also accepts its option letters without a dash. */
function addDashes(words: readonly Word[]): readonly Word[] {
  const [first, ...rest] = words;
  if (first === undefined || first.text.startsWith('-')) return words;
  // Without a dash the values follow after all letters, in order.
  const given = [...rest];
  const options = Array.from(first.text).flatMap((letter) => {
    const value = 'CfbTXI'.includes(letter) ? given.shift() : undefined;
    return [plainWord(`-${letter}`), ...(value === undefined ? [] : [value])];
  });
  return [...options, ...given];
}

const FIND_FILES = new Set(['-fprint', '-fprint0', '-fprintf', '-fls']);

function findEffects(words: readonly Word[]): FileEffect[] {
  const effects = words.flatMap((word, index) => {
    const file = words[index + 1];
    return FIND_FILES.has(word.text) && file !== undefined ? [write(file)] : [];
  });
  if (!words.some(({ text }) => text === '-delete')) return effects;
  return [...effects, ...foundPaths(words).map((word) => remove(word))];
}
