import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { ESCAPE } from '../plain-text.ts';
import { CASE_LIMIT, TOO_MANY_CASES } from '../test-results.ts';

/** A `testcase` element with its context. */
export interface JunitCase {
  readonly name: string;
  readonly className: string;
  readonly file: string | null;
  /** Names of the surrounding suites, outermost first. */
  readonly suites: readonly string[];
  readonly seconds: string | null;
  /** The outcome given by attributes alone, for runners that write no element for it. */
  readonly outcome: 'failed' | 'skipped' | null;
  readonly outcomeElements: readonly OutcomeElement[];
  readonly output: string;
}

/** A child of a `testcase` or a `testsuite` that reports an outcome; its tag is the element name. */
export interface OutcomeElement {
  readonly tag: string;
  readonly type: string;
  readonly message: string;
  readonly text: string;
}

/** A suite that failed although none of its cases did. */
export interface BrokenSuite {
  readonly name: string;
  readonly suites: readonly string[];
  readonly observation: string;
}

export interface JunitDocument {
  /** Attributes of the root element. */
  readonly root: Readonly<Record<string, string>>;
  readonly suiteNames: readonly string[];
  readonly properties: readonly string[];
  readonly cases: readonly JunitCase[];
  readonly brokenSuites: readonly BrokenSuite[];
  /** Durations of the outermost suites. */
  readonly seconds: readonly (string | null)[];
  /** From a comment that Node's reporter writes. */
  readonly durationMs: number | null;
}

export type JunitParsing =
  | { readonly ok: true; readonly document: JunitDocument }
  | { readonly ok: false; readonly why: string };

interface OpenSuite {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly outcomeElements: OutcomeElement[];
  failures: number;
}

type OpenCase = Omit<JunitCase, 'outcomeElements' | 'output'> & {
  readonly outcomeElements: OutcomeElement[];
  output: string;
};

interface ParserState {
  readonly path: string[];
  readonly suites: OpenSuite[];
  readonly document: {
    root: Readonly<Record<string, string>>;
    suiteNames: string[];
    properties: string[];
    cases: JunitCase[];
    brokenSuites: BrokenSuite[];
    seconds: (string | null)[];
    durationMs: number | null;
  };
  testCase: OpenCase | null;
  openOutcome: { tag: string; type: string; message: string; text: string } | null;
}

const MAX_DEPTH = 64;
const CHUNK_LENGTH = 65_536;
/** Limit for one failure or for the output of a test; no more than this is ever shown. */
const TEXT_LIMIT = 65_536;
/** Number of characters at the end of the text that are searched for the end of the report. */
const TAIL_LENGTH = 65_536;

export const FAILURE_TAGS: readonly string[] = ['failure', 'error'];
export const RERUN_TAGS: readonly string[] = ['flakyFailure', 'flakyError', 'rerunFailure', 'rerunError'];
export const SKIP_TAGS: readonly string[] = ['skipped', 'disabled'];
const OUTCOME_TAGS: readonly string[] = [...FAILURE_TAGS, ...RERUN_TAGS, ...SKIP_TAGS];
const OUTPUT_TAGS: readonly string[] = ['system-out', 'system-err'];
/** Values of `status` and `result`, as GoogleTest, CTest and others write them. */
const NOT_RUN: readonly string[] = ['notrun', 'disabled', 'suppressed', 'skipped', 'ignored', 'pending'];
const NOT_PASSED: readonly string[] = ['failed', 'fail', 'failure', 'error', 'broken'];

/** Colour codes; strict encoders write a replacement character instead of the escape character. */
const COLOUR = new RegExp(`(?:[${ESCAPE}\ufffd]|&#(?:27|x1b);)\\[[0-9;]*m`, 'gi');
/** Characters that XML forbids, literal or as references; some runners print them anyway. */
const FORBIDDEN = /(?![\t\n\r\u007f-\u009f])\p{Cc}|[\ufffe\uffff]/gu;
const FORBIDDEN_REFERENCE = /&#(?:x0*(?:[0-8bcef]|1[0-9a-f])|0*(?:[0-8]|1[12]|1[4-9]|2[0-9]|3[01]));/gi;

class Refused extends Error {}

/** Reads nothing outside the text and expands no entities; rejects any document type declaration. */
export function parseJunitXml(text: string): JunitParsing {
  if (text.includes('\0')) return { ok: false, why: 'contains a NUL character' };
  const parser = new SaxesParser();
  const state = emptyState();
  parser.on('error', (error) => {
    throw new Refused(`is not well-formed XML: ${error.message}`);
  });
  parser.on('doctype', () => {
    throw new Refused('declares a document type, which is not supported');
  });
  parser.on('opentag', (tag) => open(state, tag));
  parser.on('closetag', (tag) => close(state, tag.name));
  parser.on('text', (piece) => addText(state, piece));
  parser.on('cdata', (piece) => addText(state, piece));
  parser.on('comment', (comment) => {
    const duration = /^\s*duration_ms ([\d.]+)\s*$/.exec(comment)?.[1];
    if (duration !== undefined) state.document.durationMs = Number(duration);
  });
  try {
    const allowed = extractReport(text)
      .replace(COLOUR, '')
      .replace(FORBIDDEN, '')
      .replace(FORBIDDEN_REFERENCE, '');
    for (let at = 0; at < allowed.length; at += CHUNK_LENGTH)
      parser.write(allowed.slice(at, at + CHUNK_LENGTH));
    parser.close();
  } catch (error) {
    if (error instanceof Refused) return { ok: false, why: error.message };
    throw error;
  }
  return { ok: true, document: state.document };
}

/** Removes output before and after the report, as in `npm test > report.xml`. */
function extractReport(text: string): string {
  const plain = text.replace(/^\ufeff/, '').trimStart();
  const found = plain.startsWith('<') ? 0 : plain.search(/^[ \t\ufeff]*<(?:\?xml|testsuites?)\b/m);
  if (found < 0) return plain;
  const report = plain.slice(found).replace(/^[\s\ufeff]+/, '');
  const ending = /<\/testsuites?>[^<]*$/.exec(report.slice(-TAIL_LENGTH));
  if (ending === null) return report;
  const rest = ending[0].slice(ending[0].indexOf('>') + 1);
  return report.slice(0, report.length - rest.length);
}

function emptyState(): ParserState {
  return {
    path: [],
    suites: [],
    document: {
      root: {},
      suiteNames: [],
      properties: [],
      cases: [],
      brokenSuites: [],
      seconds: [],
      durationMs: null,
    },
    testCase: null,
    openOutcome: null,
  };
}

function open(state: ParserState, { name: tag, attributes }: SaxesTagPlain): void {
  const { path, document } = state;
  if (path.length === 0) {
    if (tag !== 'testsuites' && tag !== 'testsuite')
      throw new Refused(`is not a JUnit report: its root element is \`${tag}\``);
    document.root = attributes;
  }
  path.push(tag);
  if (path.length > MAX_DEPTH) throw new Refused(`is nested deeper than ${MAX_DEPTH} elements`);
  if (state.testCase === null) openOutside(state, tag, attributes);
  else if (state.openOutcome === null && OUTCOME_TAGS.includes(tag))
    state.openOutcome = createOutcome(tag, attributes);
}

function openOutside(state: ParserState, tag: string, attributes: Readonly<Record<string, string>>): void {
  const { suites, document } = state;
  if (tag === 'testsuite') {
    if (suites.length === 0) document.seconds.push(attributes.time ?? null);
    const name = attributes.name ?? '';
    if (document.suiteNames.length >= CASE_LIMIT) throw new Refused(TOO_MANY_CASES);
    document.suiteNames.push(name);
    suites.push({ name, attributes, outcomeElements: [], failures: 0 });
  } else if (tag === 'testcase') {
    state.testCase = {
      name: attributes.name ?? '',
      className: attributes.classname ?? attributes.class ?? '',
      file: attributes.file ?? suites.at(-1)?.attributes.file ?? null,
      suites: suites.map((suite) => suite.name),
      seconds: attributes.time ?? null,
      outcome: toOutcome(attributes),
      outcomeElements: [],
      output: '',
    };
  } else if (tag === 'property' && attributes.name !== undefined) document.properties.push(attributes.name);
  else if (state.openOutcome === null && FAILURE_TAGS.includes(tag))
    state.openOutcome = createOutcome(tag, attributes);
}

function toOutcome({ status, result }: Readonly<Record<string, string>>): JunitCase['outcome'] {
  const values = [status, result].flatMap((word) => word?.toLowerCase() ?? []);
  if (values.some((word) => NOT_PASSED.includes(word))) return 'failed';
  return values.some((word) => NOT_RUN.includes(word)) ? 'skipped' : null;
}

function createOutcome(tag: string, attributes: Readonly<Record<string, string>>) {
  return { tag, type: attributes.type ?? '', message: attributes.message ?? '', text: '' };
}

function addText(state: ParserState, piece: string): void {
  const { openOutcome, testCase } = state;
  const tag = state.path.at(-1) ?? '';
  if (openOutcome !== null) {
    // Output that a test printed before a rerun is less useful than its stack, and would be merged with it.
    if (!OUTPUT_TAGS.includes(tag)) openOutcome.text = appendLimited(openOutcome.text, piece);
  } else if (testCase !== null && tag === 'system-out')
    testCase.output = appendLimited(testCase.output, piece);
}

function appendLimited(text: string, piece: string): string {
  return text.length >= TEXT_LIMIT ? text : text + piece.slice(0, TEXT_LIMIT - text.length);
}

function close(state: ParserState, tag: string): void {
  state.path.pop();
  if (state.openOutcome !== null) {
    // Elements inside an outcome, such as a stack trace, are part of its text.
    if (state.openOutcome.tag === tag) closeOutcome(state, state.openOutcome);
  } else if (tag === 'testcase') closeCase(state);
  else if (tag === 'testsuite') closeSuite(state);
}

function closeOutcome(state: ParserState, outcome: OutcomeElement): void {
  (state.testCase?.outcomeElements ?? state.suites.at(-1)?.outcomeElements)?.push(outcome);
  state.openOutcome = null;
}

function closeCase(state: ParserState): void {
  if (state.testCase === null) return;
  const { outcomeElements, outcome } = state.testCase;
  if (state.document.cases.length >= CASE_LIMIT) throw new Refused(TOO_MANY_CASES);
  state.document.cases.push(state.testCase);
  state.testCase = null;
  if (outcome !== 'failed' && !outcomeElements.some(({ tag }) => FAILURE_TAGS.includes(tag))) return;
  for (const suite of state.suites) suite.failures += 1;
}

function closeSuite({ suites, document }: ParserState): void {
  const suite = suites.pop();
  if (suite === undefined || suite.failures > 0) return;
  const reported = parseCount(suite.attributes.failures) + parseCount(suite.attributes.errors);
  const [first] = suite.outcomeElements;
  if (first === undefined && reported === 0) return;
  const observation =
    first === undefined
      ? `the suite reports ${reported} failures but lists none`
      : [first.message, first.text].filter((part) => part.trim() !== '').join('\n') || 'the suite failed';
  document.brokenSuites.push({ name: suite.name, suites: suites.map(({ name }) => name), observation });
  for (const parent of suites) parent.failures += 1;
}

function parseCount(text: string | undefined): number {
  const value = Number(text ?? '0');
  return Number.isFinite(value) ? value : 0;
}
