import type { NoteKind } from '../../policy/content/content-note.ts';
import type { DecidingKind } from '../../policy/files/deciding-files.ts';
import { oneLine } from '../../text/outside-text.ts';
import { quoteLines } from '../evidence/last-message.ts';
import type { GateRequest } from './gate-request.ts';

/** Above this number, the other files are counted by folder instead of named. */
const MAX_NAMED_FILES = 8;
/** How many notes of one kind are shown per file; the patch contains the rest. */
const MAX_NOTES = 8;

const KINDS: Readonly<Record<DecidingKind, string>> = {
  test: 'test',
  check_configuration: 'check configuration',
  script: 'script',
  dependencies: 'dependencies',
  ci: 'CI',
  git_hook: 'git hook',
  agent_instructions: 'agent instructions',
  secret: 'looks like a secret',
  approval: '',
};

const NOTES: Readonly<Record<NoteKind, string>> = {
  hidden_characters: 'hidden characters:',
  skipped_case: 'skips a test:',
  deleted_case: 'deletes a test:',
  swallowed_error: 'swallows an error:',
  stub: 'stub:',
  unfinished: 'unfinished:',
  empty_file: '',
  same_program: '',
};

type Shown = NonNullable<GateRequest['diff']>['files'][number];

function formatFile({ status, path, old_path, insertions, deletions }: Shown): string {
  const name = old_path === null ? oneLine(path) : `${oneLine(old_path)} -> ${oneLine(path)}`;
  return `${status} ${name}  ${insertions === null ? 'binary' : `+${insertions} -${deletions ?? 0}`}`;
}

/**
 * Lists every changed file that influences whether the work is accepted, and the results of the checks with and without
 * these edits. Never truncated: a reviewer must see all of it.
 */
export function formatDecidingFiles(request: GateRequest): string[] {
  const { deciding, approvals = [], verdicts = [] } = request;
  if (deciding === undefined) return [];
  // Code that detects test runs has verdicts, too, although its file isn't in `deciding`.
  if (deciding.length === 0 && verdicts.length === 0)
    return ['nothing: no test, check configuration, script, lock file, CI file, hook or agent instruction'];
  const globs = new Map(approvals.map(({ path, glob }) => [path, glob]));
  const files = deciding.map((file) => {
    const glob = globs.get(file.path) ?? (file.old_path === null ? undefined : globs.get(file.old_path));
    const labels = [KINDS[file.kind], glob === undefined ? '' : `needs approval (${glob})`];
    return `${formatFile(file)}  ${labels.filter((label) => label !== '').join(', ')}`;
  });
  return [...files, ...verdicts.map(oneLine)];
}

/** The other files: by name if there are few, else counts by folder. */
export function formatOtherFiles(request: GateRequest): string[] {
  const { diff, deciding, folders = [] } = request;
  if (diff === undefined) return [];
  // Requests of earlier versions have no folders.
  if (deciding === undefined) return diff.files.map(formatFile);
  const decides = new Set(deciding.map(({ path }) => path));
  const others = diff.files.filter(({ path }) => !decides.has(path));
  const count = folders.reduce((sum, { files }) => sum + files, 0);
  if (count <= MAX_NAMED_FILES && others.length === count) return others.map(formatFile);
  return folders.map(({ folder, files, insertions, deletions }) => {
    const name = folder === '' ? 'top folder' : oneLine(folder);
    return `${name}  ${files} ${files === 1 ? 'file' : 'files'}, +${insertions} -${deletions}`;
  });
}

/** `3 files, +10 -2`. */
export function formatTotal({ diff }: GateRequest): string | null {
  if (diff === undefined) return null;
  if (diff.file_count === 0) return 'no file changed';
  return `${diff.file_count} ${diff.file_count === 1 ? 'file' : 'files'}, +${diff.insertions} -${diff.deletions}`;
}

/** Notes about the content of the change: stubs, skipped tests, hidden characters. */
export function formatContentNotes({ content = [], uninspected = 0, diff }: GateRequest): string[] {
  const same = content.filter(({ kind }) => kind === 'same_program');
  const isAll = diff !== undefined && same.length > 0 && same.length === diff.file_count;
  const shown = isAll ? content.filter(({ kind }) => kind !== 'same_program') : content;
  const counts = new Map<string, number>();
  const lines = shown.flatMap(({ path, line, kind, text }) => {
    const key = `${kind} ${path}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > MAX_NOTES) return [];
    const place = line === null ? oneLine(path) : `${oneLine(path)}:${line}`;
    return [`${place}  ${`${NOTES[kind]} ${oneLine(text)}`.trim()}`];
  });
  const hidden = [...counts.values()].reduce((sum, count) => sum + Math.max(0, count - MAX_NOTES), 0);
  return [
    ...(isAll ? ['the whole change leaves the program as it was: only comments, white space or types'] : []),
    ...lines,
    ...(hidden > 0 ? [`… and ${hidden} more like these in gate_request.json`] : []),
    ...(uninspected > 0 ? [`${uninspected} more changed files were not inspected`] : []),
  ];
}

export function formatLastMessage({ final_response: message }: GateRequest): string[] {
  return message == null ? [] : quoteLines(message);
}
