import { nodeTestRepro } from '../repro-lines.ts';
import { type Invoked, pathFrom, type TestResult } from '../test-results.ts';
import { readDiagnostics, type TapPoint } from './tap-lines.ts';

/** A test point with its subtests, diagnostics and remarks. */
export interface TapNode {
  readonly point: TapPoint;
  readonly children: readonly TapNode[];
  readonly diagnostics: string[];
  /** Other output directly after it, where some runners report why it failed. */
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

/** The parents of a point, outermost first. */
interface Parents {
  readonly names: readonly string[];
  /** The parents that are tests, not suites. */
  readonly tests: readonly string[];
}

const TOP: Parents = { names: [], tests: [] };

/** The cases of a point: itself, or those of its subtest. */
export function toResults(node: TapNode, invoked: Invoked, parents: Parents = TOP): TestResult[] {
  const { point, children } = node;
  const diagnostics = readDiagnostics(node.diagnostics);
  const name = pathFrom(invoked.folders, point.name);
  const within: Parents = {
    names: [...parents.names, name],
    tests: isTest(point, diagnostics, invoked) ? [...parents.tests, point.name] : parents.tests,
  };
  const listed = children.flatMap((child) => toResults(child, invoked, within));
  const inner = point.directive === null ? listed : listed.map(excuseFailure);
  const failed = !point.ok && point.directive === null;
  const isSuite = children.length > 0 || diagnostics.get('type') === 'suite';
  // Node's runner distinguishes a suite that failed by itself, for example in a hook, from one that only sums up
  // its tests.
  const ownFailure = failed && !['subtestsFailed', undefined].includes(diagnostics.get('failureType'));
  if (isSuite && !ownFailure && (!failed || inner.some(({ status }) => status === 'failed'))) return inner;
  return [...inner, toResult(node, within, diagnostics, invoked)];
}

/** Whether a point is a test: neither a suite nor the point for a file, which is named by its path. */
function isTest({ name }: TapPoint, diagnostics: ReadonlyMap<string, string>, { folders }: Invoked): boolean {
  return (
    diagnostics.get('type') !== 'suite' &&
    pathFrom(folders, name) === name &&
    name !== fileOf(diagnostics, folders)
  );
}

/** A directive applies to the whole subtest that its point sums up. */
function excuseFailure(result: TestResult): TestResult {
  return result.status === 'failed' ? { ...result, status: 'skipped' } : result;
}

function toResult(
  { point, remarks }: TapNode,
  { names, tests }: Parents,
  diagnostics: ReadonlyMap<string, string>,
  invoked: Invoked,
): TestResult {
  const status = toStatus(point);
  const name = names.at(-1) ?? '';
  return {
    id: names.filter((part) => part !== '').join(' > ') || 'unnamed test',
    status,
    repro: reproOf(tests, diagnostics, invoked),
    observations: status === 'passed' ? [] : observationsOf(point, diagnostics, remarks, name),
    location: locationOf(diagnostics, invoked),
    attachments: [],
    durationMs: parseNumber(diagnostics.get('duration_ms')) ?? point.durationMs,
  };
}

function toStatus({ ok, directive }: TapPoint): TestResult['status'] {
  // A to-do test checks nothing, even if its empty body passes.
  if (directive !== null) return 'skipped';
  return ok ? 'passed' : 'failed';
}

function observationsOf(
  { ok, directive, reason }: TapPoint,
  diagnostics: ReadonlyMap<string, string>,
  remarks: readonly string[],
  name: string,
): string[] {
  if (directive === 'todo')
    return [`still to be done${ok ? '' : ', and fails as expected'}${reason === '' ? '' : `: ${reason}`}`];
  if (directive === 'skip') return [reason];
  const lines = OBSERVED_KEYS.flatMap((key) => {
    const value = diagnostics.get(key)?.trim() ?? '';
    if (value === '') return [];
    return [key === 'error' || key === 'message' || key === 'stack' ? value : `${key}: ${value}`];
  });
  if (lines.length > 0) return [lines.join('\n')];
  return [remarks.length > 0 ? remarks.join('\n') : `not ok: ${name}`];
}

/** Only Node's runner reports a location in this form; a passed test is selected by its name. */
function reproOf(
  tests: readonly string[],
  diagnostics: ReadonlyMap<string, string>,
  { command, folders }: Invoked,
): string | null {
  const file = fileOf(diagnostics, folders);
  if (file === null && !command.includes('--test')) return null;
  return nodeTestRepro(command, file, tests);
}

function fileOf(diagnostics: ReadonlyMap<string, string>, folders: Invoked['folders']): string | null {
  const location = diagnostics.get('location');
  return location === undefined ? null : pathFrom(folders, location.replace(/(?::\d+){1,2}$/, ''));
}

/** With the line, without the column. */
function locationOf(diagnostics: ReadonlyMap<string, string>, { folders }: Invoked): string | null {
  const location = diagnostics.get('location') ?? diagnostics.get('at');
  if (location === undefined || !/:\d+$/.test(location)) return null;
  return pathFrom(folders, location.replace(/(:\d+):\d+$/, '$1'));
}

function parseNumber(text: string | undefined): number | null {
  const value = Number(text ?? '');
  return text === undefined || text.trim() === '' || !Number.isFinite(value) || value < 0 ? null : value;
}
