import { plainWord, programOf, SUPPLIED_WORD, type Word } from '../shell/shell-word.ts';
import { foundPaths } from './listed-paths.ts';
import { hasOption, type OptionForm, optionValues, type Parsed, parseOptions } from './options.ts';
import { withoutBackup } from './script-text.ts';

/** What a command does to a file or a folder that its words name. */
export interface FileEffect {
  /** To visit is to work in a folder without saying what there; the index is what git records, not the file. */
  readonly kind: 'write' | 'delete' | 'visit' | 'index';
  readonly target: Word;
  /** What would land in the target if that is a folder. */
  readonly into: readonly Word[];
  /** All that lies below is meant as well. */
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

/** The first operand says how, unless an option does: `-x` is a mode, and `--reference` names a file that has one. */
function writeAfterFirst(letters: string): Effects {
  return (parsed) => {
    const told = parsed.options.some(({ name }) =>
      name.startsWith('--') ? '--reference'.startsWith(name) : !letters.includes(name.slice(1)),
    );
    const recursive = hasOption(parsed, '-R', '--recursive');
    return parsed.operands.slice(told ? 0 : 1).map((word) => write(word, [], recursive));
  };
}
const removeAll: Effects = (parsed) =>
  parsed.operands.map((word) => remove(word, hasOption(parsed, '-r', '-R', '--recursive')));

const makeFolders: Effects = (parsed) =>
  hasOption(parsed, '-d', '--directory') ? writeAll(parsed) : writeLast(parsed);

/** A copy that is a link opens a way as well. */
const copyLast: Effects = (parsed) =>
  hasOption(parsed, '-s', '--symbolic-link', '-l', '--link') ? link(parsed) : writeLast(parsed);

/** The last operand receives the others, unless `-t` names the folder. */
const writeLast: Effects = (parsed) => {
  const folders = optionValues(parsed, '-t', '--target-directory');
  if (folders.length > 0) return folders.map((folder) => write(folder, parsed.operands));
  const target = parsed.operands.at(-1);
  return target === undefined ? [] : [write(target, parsed.operands.slice(0, -1))];
};

/** What is moved leaves its place, with all that is below. */
const moveLast: Effects = (parsed) => {
  const stays = hasOption(parsed, '-t', '--target-directory') ? parsed.operands.length : -1;
  const sources = parsed.operands.slice(0, stays === -1 ? -1 : stays);
  return [...writeLast(parsed), ...sources.map((word) => write(word, [], true))];
};

/** A link opens a way to what it points at. */
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

/** A symbolic link is followed from the folder it lies in. */
function folderOf(name: Word | undefined): string {
  return name === undefined ? '' : name.text.slice(0, name.text.lastIndexOf('/') + 1);
}

const editInPlace: Effects = (parsed) => {
  if (!hasOption(parsed, '-i', '--in-place', '-I')) return [];
  const scripted = hasOption(parsed, '-e', '--expression', '-f', '--file');
  return parsed.operands.slice(scripted ? 0 : 1).map((word) => write(word));
};

/** `perl -i` and `ruby -i` edit their operands; the first one is the program unless `-e` gives it. */
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

/** Each file becomes another one beside it. */
const pressAll: Effects = (parsed) =>
  hasOption(parsed, '-c', '--stdout', '-l', '--list', '-t', '--test') ? [] : writeAll(parsed);
const writeSecond: Effects = ({ operands }) => operands.slice(1, 2).map((word) => write(word));

/** The template, unless it is for the temporary folder. */
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
  gzip: { form: { letters: 'S' }, effects: pressAll },
  gunzip: { form: { letters: 'S' }, effects: pressAll },
  bzip2: { form: {}, effects: pressAll },
  bunzip2: { form: {}, effects: pressAll },
  xz: { form: { letters: 'TS' }, effects: pressAll },
  unxz: { form: { letters: 'TS' }, effects: pressAll },
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

/** What the words of a command tell of the files that it changes. */
export function fileEffects(words: readonly Word[]): readonly FileEffect[] {
  const [first, ...rest] = words;
  const name = programOf(first);
  if (name === 'find') return findEffects(rest);
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (program === undefined) return [];
  return program.effects(parseOptions(operandsOf(name, rest), program.form));
}

function operandsOf(name: string, words: readonly Word[]): readonly Word[] {
  switch (name) {
    case 'tar':
      return withDash(words);
    case 'sed':
    case 'gsed':
      return withoutBackup(words);
    default:
      return words;
  }
}

const PATCHED = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gm;

/** The files that a patch of Codex names. */
export function patchEffects(text: string): readonly FileEffect[] {
  return [...text.matchAll(PATCHED)].map(([, verb, path = '']) =>
    verb === 'Delete File' ? remove(plainWord(path.trim())) : write(plainWord(path.trim())),
  );
}

/** Tar takes its letters without a dash as well. */
function withDash(words: readonly Word[]): readonly Word[] {
  const [first, ...rest] = words;
  if (first === undefined || first.text.startsWith('-')) return words;
  // Without a dash the values come behind all letters, in their order.
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
