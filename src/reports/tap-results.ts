import { nodeTestRepro } from './repro-lines.ts';
import { readDiagnostics, type TapPoint } from './tap-lines.ts';
import { type Invoked, pathFrom, type TestResult } from './test-results.ts';

/** A test point with what belongs to it. */
export interface TapNode {
  readonly point: TapPoint;
  readonly children: readonly TapNode[];
  readonly diagnostics: string[];
  /** What else is printed right behind it, which is where some runners say why it failed. */
  readonly remarks: string[];
}

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

/** The points around a point, outermost first. */
interface Around {
  readonly names: readonly string[];
  /** Those of them that are tests and not suites. */
  readonly tests: readonly string[];
}

const TOP: Around = { names: [], tests: [] };

/** The cases of a point: itself, or those of its subtest. */
export function resultsOf(node: TapNode, invoked: Invoked, around: Around = TOP): TestResult[] {
  const { point, children } = node;
  const told = readDiagnostics(node.diagnostics);
  const name = pathFrom(invoked.folders, point.name);
  const within: Around = {
    names: [...around.names, name],
    tests: isTest(point, told, invoked) ? [...around.tests, point.name] : around.tests,
  };
  const listed = children.flatMap((child) => resultsOf(child, invoked, within));
  const inner = point.directive === null ? listed : listed.map(excused);
  const failed = !point.ok && point.directive === null;
  const isSuite = children.length > 0 || told.get('type') === 'suite';
  // Node's runner tells a suite that failed by itself, as at a hook, from one that only sums up.
  const ownFailure = failed && !['subtestsFailed', undefined].includes(told.get('failureType'));
  if (isSuite && !ownFailure && (!failed || inner.some(({ status }) => status === 'failed'))) return inner;
  return [...inner, resultOf(node, within, told, invoked)];
}

/** Neither a suite nor the program that runs a file, which is a point named by its path. */
function isTest({ name }: TapPoint, told: ReadonlyMap<string, string>, { folders }: Invoked): boolean {
  return told.get('type') !== 'suite' && pathFrom(folders, name) === name && name !== fileOf(told, folders);
}

/** A directive holds for the whole subtest that its point sums up. */
function excused(result: TestResult): TestResult {
  return result.status === 'failed' ? { ...result, status: 'skipped' } : result;
}

function resultOf(
  { point, remarks }: TapNode,
  { names, tests }: Around,
  told: ReadonlyMap<string, string>,
  invoked: Invoked,
): TestResult {
  const status = statusOf(point);
  const name = names.at(-1) ?? '';
  return {
    id: names.filter((part) => part !== '').join(' > ') || 'unnamed test',
    status,
    repro: reproOf(tests, told, invoked),
    observations: status === 'passed' ? [] : observationsOf(point, told, remarks, name),
    location: placeOf(told, invoked),
    attachments: [],
    durationMs: numberOf(told.get('duration_ms')) ?? point.durationMs,
  };
}

function statusOf({ ok, directive }: TapPoint): TestResult['status'] {
  // A test that is still to be done checks nothing, even if its empty body passes.
  if (directive !== null) return 'skipped';
  return ok ? 'passed' : 'failed';
}

function observationsOf(
  { ok, directive, reason }: TapPoint,
  told: ReadonlyMap<string, string>,
  remarks: readonly string[],
  name: string,
): string[] {
  if (directive === 'todo')
    return [`still to be done${ok ? '' : ', and fails as expected'}${reason === '' ? '' : `: ${reason}`}`];
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
  tests: readonly string[],
  told: ReadonlyMap<string, string>,
  { command, folders }: Invoked,
): string | null {
  const file = fileOf(told, folders);
  if (file === null && !command.includes('--test')) return null;
  return nodeTestRepro(command, file, tests);
}

function fileOf(told: ReadonlyMap<string, string>, folders: Invoked['folders']): string | null {
  const location = told.get('location');
  return location === undefined ? null : pathFrom(folders, location.replace(/(?::\d+){1,2}$/, ''));
}

/** With the line, and without the column. */
function placeOf(told: ReadonlyMap<string, string>, { folders }: Invoked): string | null {
  const location = told.get('location') ?? told.get('at');
  if (location === undefined || !/:\d+$/.test(location)) return null;
  return pathFrom(folders, location.replace(/(:\d+):\d+$/, '$1'));
}

function numberOf(text: string | undefined): number | null {
  const value = Number(text ?? '');
  return text === undefined || text.trim() === '' || !Number.isFinite(value) || value < 0 ? null : value;
}
