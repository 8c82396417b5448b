import { nodeTestRepro } from './repro-lines.ts';
import { readDiagnostics, readTapLine, type TapLine, type TapPoint } from './tap-lines.ts';
import {
  CASE_LIMIT,
  failureOf,
  type Invoked,
  pathFrom,
  type Reading,
  type TestResult,
  TOO_MANY_CASES,
  unreadable,
} from './test-results.ts';

/** A test point with what belongs to it. */
interface Node {
  readonly point: TapPoint;
  readonly children: readonly Node[];
  readonly diagnostics: string[];
  /** What else is printed right behind it, which is where some runners say why it failed. */
  readonly remarks: string[];
}

/** A level of indentation, which is a document of its own. */
interface Level {
  readonly points: Node[];
  planned: number | null;
  /** A point whose subtest is being read. */
  pending: Node | null;
}

interface Parsing {
  readonly levels: Level[];
  /** Trouble that belongs to no point, with the depth where it was seen. */
  readonly failures: TestResult[];
  durationMs: number | null;
  isTap: boolean;
  bailedOut: boolean;
  /** Points so far, those of subtests too. */
  count: number;
  /** The point behind which nothing but remarks has come. */
  latest: { readonly node: Node; readonly indent: number } | null;
}

const INDENT = 4;
const MAX_LEVELS = 64;
const MAX_REMARKS = 40;
/** Lines of one block; the rest of it is passed over. */
const MAX_BLOCK = 10_000;
/** Comments that begin something new, or sum up. */
const HEADING = /^#\s*(?:subtest\b|(?:tests|pass|fail|skip|todo)\s+\d+)/i;
const OBSERVED_KEYS = [
  'error',
  'message',
  'diff',
  'values',
  'expected',
  'wanted',
  'actual',
  'got',
  'found',
  'operator',
  'stack',
  'at',
  'location',
] as const;

/** Reads TAP 13 and 14 with subtests; whatever else is printed between is passed over. */
export function readTap(text: string, invoked: Invoked): Reading {
  const parsing = parse(text);
  if (!parsing.isTap) return unreadable('holds no TAP');
  if (parsing.count > CASE_LIMIT) return unreadable(TOO_MANY_CASES);
  closeLevels(parsing, 1);
  const [top = emptyLevel()] = parsing.levels;
  keepPending(top);
  checkPlan(parsing, top, 'plan');
  const results = top.points.flatMap((node) => resultsOf(node, [], invoked));
  return {
    ok: true,
    kind: 'unit',
    results: [...results, ...parsing.failures],
    durationMs: parsing.durationMs,
  };
}

function parse(text: string): Parsing {
  const parsing: Parsing = {
    levels: [emptyLevel()],
    failures: [],
    durationMs: null,
    isTap: false,
    bailedOut: false,
    count: 0,
    latest: null,
  };
  let block: { readonly indent: number; readonly into: string[] } | null = null;
  for (const line of linesOf(text)) {
    const indent = line.length - line.trimStart().length;
    if (block !== null) {
      if (indent === block.indent && line.trim() === '...') block = null;
      else if (block.into.length < MAX_BLOCK) block.into.push(line.slice(Math.min(block.indent, indent)));
      continue;
    }
    const depth = Math.floor(indent / INDENT);
    const told = line.trim() === '---' ? toldAbout(parsing, indent) : null;
    if (told !== null) block = { indent, into: told.diagnostics };
    else if (indent % INDENT === 0 && depth < MAX_LEVELS && takeLine(parsing, depth, line.trimStart())) {
      // It was a line of TAP.
    } else remark(parsing, line);
    if (parsing.bailedOut || parsing.count > CASE_LIMIT) break;
  }
  return parsing;
}

/** One after the other: a list of them all would take many times the memory of the text. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield text.slice(start, text[end - 1] === '\r' ? Math.max(start, end - 1) : end);
    start = end + 1;
  }
}

/** The point that a block belongs to. Most runners indent it by two, some by as much as a subtest. */
function toldAbout({ levels, latest }: Parsing, indent: number): Node | null {
  const depth = Math.floor(indent / INDENT);
  const isUsual = indent % INDENT > 0 && levels.length === depth + 1;
  const last = isUsual ? levels[depth]?.points.at(-1) : undefined;
  if (last !== undefined) return last;
  return latest !== null && indent > latest.indent ? latest.node : null;
}

function remark({ latest }: Parsing, line: string): void {
  const text = line.trim();
  if (latest === null || text === '' || latest.node.remarks.length >= MAX_REMARKS) return;
  if (!HEADING.test(text)) latest.node.remarks.push(line.replace(/^\s*#\s?/, ''));
}

/** Whether it is a line of TAP. */
function takeLine(parsing: Parsing, depth: number, text: string): boolean {
  const line = readTapLine(text);
  if (line === null) return false;
  parsing.latest = null;
  takeKnown(parsing, depth, line);
  return true;
}

function takeKnown(parsing: Parsing, depth: number, line: TapLine): void {
  switch (line.kind) {
    case 'version':
      parsing.isTap = true;
      return;
    case 'duration':
      parsing.durationMs = line.ms;
      return;
    case 'bail':
      parsing.isTap = true;
      parsing.bailedOut = true;
      parsing.failures.push(failureOf('bail out', line.reason === '' ? 'the run was given up' : line.reason));
      return;
    case 'plan':
      parsing.isTap = true;
      levelAt(parsing, depth).planned = line.count;
      return;
    case 'open':
      reopen(parsing, depth);
      return;
    case 'close':
      closeBraces(parsing, depth);
      return;
    case 'point':
      parsing.isTap = true;
      parsing.count += 1;
      addPoint(parsing, depth, { point: line, children: [], diagnostics: [], remarks: [] });
      if (line.opens) reopen(parsing, depth);
  }
}

function emptyLevel(): Level {
  return { points: [], planned: null, pending: null };
}

function reopen(parsing: Parsing, depth: number): void {
  const level = parsing.levels[depth];
  if (level !== undefined && level.pending === null) level.pending = level.points.pop() ?? null;
}

function closeBraces(parsing: Parsing, depth: number): void {
  const level = parsing.levels[depth];
  if (level === undefined || level.pending === null) return;
  const { pending } = level;
  level.pending = null;
  addPoint(parsing, depth, pending);
}

/** What stands one level deeper right before a point is the subtest that the point sums up. */
function addPoint(parsing: Parsing, depth: number, { point, diagnostics, remarks }: Node): void {
  const level = levelAt(parsing, depth);
  // Braces that are never closed belong to a name, not to a subtest.
  keepPending(level);
  closeLevels(parsing, depth + 2);
  const below = parsing.levels[depth + 1];
  if (below !== undefined) {
    keepPending(below);
    checkPlan(parsing, below, `plan of ${point.name}`);
  }
  parsing.levels.length = depth + 1;
  const node = { point, children: below?.points ?? [], diagnostics, remarks };
  level.points.push(node);
  parsing.latest = { node, indent: depth * INDENT };
}

function keepPending(level: Level): void {
  if (level.pending !== null) level.points.push(level.pending);
  level.pending = null;
}

function levelAt(parsing: Parsing, depth: number): Level {
  while (parsing.levels.length <= depth) parsing.levels.push(emptyLevel());
  return parsing.levels[depth] ?? emptyLevel();
}

/** Subtests that no point sums up are kept, one level higher. */
function closeLevels(parsing: Parsing, down: number): void {
  while (parsing.levels.length > down) {
    const orphan = parsing.levels.pop();
    if (orphan !== undefined) keepPending(orphan);
    for (const node of orphan?.points ?? []) parsing.levels.at(-1)?.points.push(node);
  }
}

function checkPlan({ failures, bailedOut }: Parsing, level: Level, id: string): void {
  if (bailedOut) return;
  const { planned, points } = level;
  const run = points.length;
  if (planned === null) {
    if (run > 0) failures.push(failureOf(id, `the output ends after ${run} tests without a plan`));
  } else if (run !== planned)
    failures.push(failureOf(id, `${planned} tests were planned and ${run} have a result`));
}

function resultsOf(node: Node, names: readonly string[], invoked: Invoked): TestResult[] {
  const { point, children } = node;
  const told = readDiagnostics(node.diagnostics);
  const name = pathFrom(invoked.folders, point.name);
  const inner = children.flatMap((child) => resultsOf(child, [...names, name], invoked));
  const failed = !point.ok && point.directive === null;
  const isSuite = children.length > 0 || told.get('type') === 'suite';
  // Node's runner tells a suite that failed by itself, as at a hook, from one that only sums up.
  const ownFailure = failed && !['subtestsFailed', undefined].includes(told.get('failureType'));
  if (isSuite && !ownFailure && (!failed || inner.some(({ status }) => status === 'failed'))) return inner;
  return [...inner, resultOf(node, [...names, name], told, invoked)];
}

function resultOf(
  { point, remarks }: Node,
  names: readonly string[],
  told: ReadonlyMap<string, string>,
  invoked: Invoked,
): TestResult {
  const status = statusOf(point);
  const name = names.at(-1) ?? '';
  return {
    id: names.filter((part) => part !== '').join(' > ') || 'unnamed test',
    status,
    repro: reproOf(point, told, invoked),
    observations: status === 'passed' ? [] : observationsOf(point, told, remarks, name),
    attachments: [],
    durationMs: numberOf(told.get('duration_ms')) ?? point.durationMs,
  };
}

function statusOf({ ok, directive }: TapPoint): TestResult['status'] {
  if (directive === 'skip') return 'skipped';
  if (ok) return 'passed';
  return directive === 'todo' ? 'skipped' : 'failed';
}

function observationsOf(
  { directive, reason }: TapPoint,
  told: ReadonlyMap<string, string>,
  remarks: readonly string[],
  name: string,
): string[] {
  if (directive === 'todo')
    return [`still to be done, and fails as expected${reason === '' ? '' : `: ${reason}`}`];
  if (directive === 'skip') return [reason];
  const lines = OBSERVED_KEYS.flatMap((key) => {
    const value = told.get(key)?.trim() ?? '';
    if (value === '') return [];
    return [key === 'error' || key === 'message' || key === 'stack' ? value : `${key}: ${value}`];
  });
  if (lines.length > 0) return [lines.join('\n')];
  return [remarks.length > 0 ? remarks.join('\n') : `not ok: ${name}`];
}

/** Only Node's runner says where a test stands in this form; a passed one is found by its name. */
function reproOf(
  point: TapPoint,
  told: ReadonlyMap<string, string>,
  { command, folders }: Invoked,
): string | null {
  const location = told.get('location');
  if (location === undefined && !command.includes('--test')) return null;
  const file = location === undefined ? null : pathFrom(folders, location.replace(/(?::\d+){1,2}$/, ''));
  const name = pathFrom(folders, point.name);
  return nodeTestRepro(command, file, name === file || name !== point.name ? null : point.name);
}

function numberOf(text: string | undefined): number | null {
  const value = Number(text ?? '');
  return text === undefined || text.trim() === '' || !Number.isFinite(value) || value < 0 ? null : value;
}
