import {
  CASE_LIMIT,
  createFailure,
  type Invoked,
  type Reading,
  type TestResult,
  TOO_MANY_CASES,
  unreadable,
} from '../test-results.ts';
import { readTapLine, type TapLine } from './tap-lines.ts';
import { type TapNode, toResults } from './tap-results.ts';

/** What one level of a TAP document says about its tests. */
interface PlanFacts {
  /** The counts of its plan lines. */
  readonly plans: readonly number[];
  /** The number of test points. */
  readonly run: number;
  /** The numbers of the points that have one. */
  readonly numbers: readonly number[];
}

/** Maximum number of test numbers in a message; a runner that repeats one often repeats all of them. */
const SHOWN = 10;

/** Why the results of a level don't match its plan; such a document may have lost results. */
function planProblems({ plans, run, numbers }: PlanFacts): readonly string[] {
  const [planned] = plans;
  const repeated = findRepeated(numbers);
  if (planned === undefined)
    return run === 0 ? [] : [`the output ends after ${run} tests without a plan`, ...repeatProblem(repeated)];
  const outside = [...new Set(numbers.filter((number) => number < 1 || number > planned))];
  return [
    ...(plans.length > 1 ? ['the output has two plans'] : []),
    ...(run === planned ? [] : [`${planned} tests were planned, but ${run} have a result`]),
    ...repeatProblem(repeated),
    // If there are more results than planned, these numbers are expected.
    ...(outside.length === 0 || outside.length === run - planned
      ? []
      : [`${list(outside)} outside the plan 1..${planned}`]),
  ];
}

function findRepeated(numbers: readonly number[]): readonly number[] {
  const seen = new Set<number>();
  const repeated = new Set<number>();
  for (const number of numbers) {
    if (seen.has(number)) repeated.add(number);
    seen.add(number);
  }
  return [...repeated];
}

function repeatProblem(repeated: readonly number[]): readonly string[] {
  return repeated.length === 0 ? [] : [`${list(repeated)} reported more than once`];
}

function list(numbers: readonly number[]): string {
  const shown = numbers.slice(0, SHOWN).join(', ');
  const more = numbers.length > SHOWN ? ` and ${numbers.length - SHOWN} more` : '';
  return numbers.length === 1 ? `test ${shown} is` : `tests ${shown}${more} are`;
}

/** A level of indentation, which is a TAP document of its own. */
interface Level {
  readonly points: TapNode[];
  readonly plans: PlanLine[];
  /** Points of deeper levels without a summary point; their numbers don't belong to this level. */
  orphans: number;
  /** A point whose subtest is being read. */
  pending: TapNode | null;
}

type PlanLine = Extract<TapLine, { kind: 'plan' }>;

interface Parsing {
  readonly levels: Level[];
  /** Results of the documents before the current one. */
  readonly finished: TapNode[];
  /** Results that belong to no point: a plan that doesn't match, a bail-out. */
  readonly extra: TestResult[];
  durationMs: number | null;
  isTap: boolean;
  bailedOut: boolean;
  /** Number of points so far, including those of subtests. */
  count: number;
  /** The latest point, as long as only remarks have followed it. */
  latest: { readonly node: TapNode; readonly indent: number } | null;
}

const INDENT = 4;
const MAX_LEVELS = 64;
const MAX_REMARKS = 40;
/** Maximum number of lines in a block; the rest is ignored. */
const MAX_BLOCK = 10_000;
/** More than two plans on one level add no information. */
const MAX_PLANS = 2;
/** Comments that start a new section or sum up. */
const HEADING = /^#\s*(?:subtest\b|(?:tests|pass|fail|skip|todo)\s+\d+)/i;

/** Reads TAP 12 to 14 with subtests; ignores any other output in between. */
export function readTap(text: string, invoked: Invoked): Reading {
  const parsing = parse(text);
  if (!parsing.isTap) return unreadable('contains no TAP');
  if (parsing.count > CASE_LIMIT) return unreadable(TOO_MANY_CASES);
  finishDocument(parsing);
  const results = parsing.finished.flatMap((node) => toResults(node, invoked));
  return {
    ok: true,
    kind: 'unit',
    results: [...results, ...parsing.extra],
    durationMs: parsing.durationMs,
  };
}

/** Checks the current document and starts the next one. */
function finishDocument(parsing: Parsing): void {
  closeLevels(parsing, 1);
  const [top = emptyLevel()] = parsing.levels;
  keepPending(top);
  checkPlan(parsing, top, 'plan');
  for (const node of top.points) parsing.finished.push(node);
  const skipped = top.plans.find(({ count, skipReason }) => count === 0 && skipReason !== null);
  if (skipped !== undefined)
    parsing.extra.push({ ...createFailure('all tests', skipped.skipReason ?? ''), status: 'skipped' });
  parsing.levels.splice(0, parsing.levels.length, emptyLevel());
}

function parse(text: string): Parsing {
  const parsing: Parsing = {
    levels: [emptyLevel()],
    finished: [],
    extra: [],
    durationMs: null,
    isTap: false,
    bailedOut: false,
    count: 0,
    latest: null,
  };
  let block: Block | null = null;
  for (const line of linesOf(text)) {
    const indent = line.length - line.trimStart().length;
    if (block !== null) {
      const step: BlockStep = readBlockLine(block, indent, line.trim());
      if (step === 'text' && block.into.length < MAX_BLOCK)
        block.into.push(line.slice(Math.min(block.indent, indent)));
      if (step !== 'text') block = null;
      if (step !== 'not in the block') continue;
    }
    const described = line.trim() === '---' ? findDescribedPoint(parsing, indent) : null;
    if (described !== null) block = { indent, into: described.diagnostics, isDedented: false };
    else if (!takeLine(parsing, indent, line.trimStart())) addRemark(parsing, line);
    if (parsing.bailedOut || parsing.count > CASE_LIMIT) break;
  }
  return parsing;
}

interface Block {
  readonly indent: number;
  readonly into: string[];
  /** A less indented line was read, so the YAML is over. */
  isDedented: boolean;
}

type BlockStep = 'text' | 'end' | 'not in the block';

/**
 * A block ends at its `...` or where the indentation ends. Vitest doesn't indent the continuation lines of a
 * message, so text is still collected then, but a TAP line is parsed as one.
 */
function readBlockLine(block: Block, indent: number, text: string): BlockStep {
  if (text === '') return 'text';
  if (text === '...' && indent <= block.indent) return 'end';
  if (indent < block.indent) block.isDedented = true;
  if (!block.isDedented) return 'text';
  return text.startsWith('#') || (isLevel(indent) && endsBlock(text)) ? 'not in the block' : 'text';
}

/** A brace alone is more likely part of a printed object. */
function endsBlock(text: string): boolean {
  const kind = readTapLine(text)?.kind;
  return kind !== undefined && kind !== 'open' && kind !== 'close';
}

function isLevel(indent: number): boolean {
  return indent % INDENT === 0 && indent / INDENT < MAX_LEVELS;
}

/** Yields lines one at a time, because a list of all lines would take many times the memory of the text. */
function* linesOf(text: string): Generator<string> {
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    yield text.slice(start, text[end - 1] === '\r' ? Math.max(start, end - 1) : end);
    start = end + 1;
  }
}

/** The point that a block belongs to. Most runners indent the block by two, some by as much as a subtest. */
function findDescribedPoint({ levels, latest }: Parsing, indent: number): TapNode | null {
  const depth = Math.floor(indent / INDENT);
  const isUsual = indent % INDENT > 0 && levels.length === depth + 1;
  const last = isUsual ? levels[depth]?.points.at(-1) : undefined;
  if (last !== undefined) return last;
  return latest !== null && indent > latest.indent ? latest.node : null;
}

function addRemark({ latest }: Parsing, line: string): void {
  const text = line.trim();
  if (latest === null || text === '' || latest.node.remarks.length >= MAX_REMARKS) return;
  if (!HEADING.test(text)) latest.node.remarks.push(line.replace(/^\s*#\s?/, ''));
}

/** Returns whether it is a TAP line. */
function takeLine(parsing: Parsing, indent: number, text: string): boolean {
  const line = isLevel(indent) ? readTapLine(text) : null;
  if (line === null) return false;
  parsing.latest = null;
  takeKnown(parsing, indent / INDENT, line);
  return true;
}

function takeKnown(parsing: Parsing, depth: number, line: TapLine): void {
  switch (line.kind) {
    case 'version':
      // Several runners in one command, as in `npm test --workspaces`, print one document each.
      if (depth === 0 && parsing.isTap) finishDocument(parsing);
      parsing.isTap = true;
      return;
    case 'duration':
      parsing.durationMs = line.ms;
      return;
    case 'bail':
      parsing.isTap = true;
      parsing.bailedOut = true;
      parsing.extra.push(
        createFailure('bail out', line.reason === '' ? 'the runner bailed out' : line.reason),
      );
      return;
    case 'plan':
      parsing.isTap = true;
      addPlan(levelAt(parsing, depth), line);
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
  return { points: [], plans: [], orphans: 0, pending: null };
}

function addPlan({ plans }: Level, line: PlanLine): void {
  if (plans.length < MAX_PLANS) plans.push(line);
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

/** The points one level deeper, directly before a point, are the subtest that it sums up. */
function addPoint(parsing: Parsing, depth: number, { point, diagnostics, remarks }: TapNode): void {
  const level = levelAt(parsing, depth);
  // An unclosed brace belongs to a name, not to a subtest.
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

/** Keeps subtests without a summary point, one level higher. */
function closeLevels(parsing: Parsing, down: number): void {
  while (parsing.levels.length > down) {
    const orphan = parsing.levels.pop();
    const above = parsing.levels.at(-1);
    if (orphan === undefined || above === undefined) return;
    keepPending(orphan);
    above.orphans += orphan.points.length;
    for (const node of orphan.points) above.points.push(node);
  }
}

function checkPlan({ extra, bailedOut }: Parsing, { points, plans, orphans }: Level, id: string): void {
  if (bailedOut) return;
  const numbered = orphans > 0 ? [] : points.filter(({ point }) => !isFileOfNode(point.name));
  const numbers = numbered.flatMap(({ point }) => point.number ?? []);
  const problems = planProblems({ plans: plans.map(({ count }) => count), run: points.length, numbers });
  if (problems.length > 0) extra.push({ ...createFailure(id, ''), observations: problems });
}

/** Node's runner reports a file without tests under its path, numbered among the files. */
function isFileOfNode(name: string): boolean {
  return /^(?:\/|[A-Za-z]:\\).*\.[cm]?[jt]sx?$/.test(name);
}
