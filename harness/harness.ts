import { basename, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { NAME_PATTERN } from '../src/contracts/forms.ts';
import { didYouMean } from '../src/diagnostics/did-you-mean.ts';
import { messageOf } from '../src/text/error-message.ts';
import { formatCommand } from '../src/text/shell-words.ts';
import type { Case, Declare } from './case.ts';
import { killAllGroups } from './command-process.ts';
import { declarationProblems } from './declared-case.ts';
import { createGoldens } from './goldens.ts';
import { openOutFolder } from './out-folder.ts';
import { exitCodeOf, type HarnessReport, type TriedCase } from './report.ts';
import { linesOfCase, summaryLine } from './report-text.ts';
import { createSuiteRun, writeReport } from './run-suite.ts';
import { createBrowsers } from './web/browser.ts';

/** Options of a suite; the command line and the environment provide the missing ones. */
export interface HarnessOptions {
  /** The folder of the goldens, relative to the repository; default `goldens`. */
  readonly goldens?: string | undefined;
  readonly report?: string | undefined;
  readonly out?: string | undefined;
  /** Runs only the case with this id. */
  readonly only?: string | undefined;
}

export interface SuiteRequest {
  readonly suiteId: string;
  readonly cases: readonly Case[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly options: HarnessOptions;
  readonly repro: (caseId: string) => string;
  readonly print: (text: string) => void;
}

export interface SuiteEnd {
  readonly report: HarnessReport;
  readonly reportPath: string;
  readonly exitCode: 0 | 1;
}

/** Runs the cases that a function declares, writes the report, and sets the exit code of the process. */
export async function harness(
  suiteId: string,
  declare: (t: Declare) => unknown,
  options: HarnessOptions = {},
): Promise<HarnessReport> {
  const script = process.argv[1] ?? '';
  const { report, exitCode } = await runSuite({
    suiteId,
    cases: await declaredCases(declare),
    cwd: process.cwd(),
    env: process.env,
    // Arguments of the command line override the options in the code.
    options: { ...options, ...readArguments(process.argv.slice(2)) },
    repro: (id) => formatCommand(['node', relative(process.cwd(), script) || basename(script), '--case', id]),
    print: (text) => process.stdout.write(text),
  });
  process.exitCode = exitCode;
  return report;
}

/** Unknown arguments are ignored; they belong to the script itself. */
function readArguments(words: readonly string[]): HarnessOptions {
  const { values } = parseArgs({
    args: [...words],
    options: { report: { type: 'string' }, out: { type: 'string' }, case: { type: 'string' } },
    strict: false,
    allowPositionals: true,
  });
  const { report, out, case: only } = values;
  const given = Object.entries({ report, out, only }).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(given);
}

/** A failing declaration becomes a failed case, so that the report contains it. */
async function declaredCases(declare: (t: Declare) => unknown): Promise<Case[]> {
  const cases: Case[] = [];
  const add = (one: Case): void => {
    if (typeof one.id !== 'string' || one.id === '') throw new Error('a case has no id');
    if (cases.some(({ id }) => id === one.id))
      throw new Error(`the case id ${JSON.stringify(one.id)} is used more than once`);
    const [problem] = declarationProblems(one);
    if (problem !== undefined) throw new Error(problem);
    cases.push(one);
  };
  try {
    await declare({
      cli: (id, options) => add({ kind: 'cli', id, options }),
      web: (id, options) => add({ kind: 'web', id, options }),
      docs: (id, options) => add({ kind: 'docs', id, options }),
      unit: (id, test, options = {}) => add({ kind: 'unit', id, options: { ...options, test } }),
    });
    // Otherwise the report would have no failure although the exit code is 1.
    if (cases.length === 0) throw new Error('the harness declares no case');
  } catch (error) {
    const test = (): never => {
      throw error;
    };
    const id = findUnusedId(cases.map((one) => one.id));
    cases.push({ kind: 'unit', id, options: { test } });
  }
  return cases;
}

function findUnusedId(taken: readonly string[]): string {
  let id = 'declaration';
  while (taken.includes(id)) id = `${id}_`;
  return id;
}

/** Runs a suite, for the function and the command. Writes the report however it ends. */
export async function runSuite(request: SuiteRequest): Promise<SuiteEnd> {
  const { suiteId, cwd, env, options, print } = request;
  if (!NAME_PATTERN.test(suiteId))
    throw new Error(`the suite id ${JSON.stringify(suiteId)} is not a name: use letters, digits, . _ and -`);
  const cases = selectCases(request.cases, options.only);
  const out = openOutFolder({
    suiteId,
    cwd,
    runDir: env.CONDUCTOR_RUN_DIR ?? null,
    out: options.out ?? null,
    report: options.report ?? null,
  });
  const browsers = createBrowsers(env);
  const suite = createSuiteRun({
    context: {
      suiteId,
      cwd,
      goldens: createGoldens({ cwd, folder: options.goldens ?? 'goldens', out }),
      out,
      env,
      repro: request.repro,
    },
    cases,
    browsers,
    onCase: (tried: TriedCase) => print(linesOfCase(tried)),
  });
  const guard = guardReport((reason) => {
    suite.breakOff(reason);
    writeReport(out.reportPath, suite.report());
  });
  try {
    await suite.run();
  } finally {
    await browsers.close().catch(() => undefined);
    guard.lift();
  }
  const report = suite.report();
  writeReport(out.reportPath, report);
  print(summaryLine(report, relative(cwd, out.reportPath) || out.reportPath));
  return { report, reportPath: out.reportPath, exitCode: exitCodeOf(report) };
}

function selectCases(cases: readonly Case[], only: string | undefined): readonly Case[] {
  if (only === undefined) return cases;
  const found = cases.filter(({ id }) => id === only);
  if (found.length > 0) return found;
  const near = didYouMean(
    only,
    cases.map(({ id }) => id),
  );
  throw new Error(
    `the suite has no case ${JSON.stringify(only)}${near === null ? '' : `; did you mean ${near}?`}`,
  );
}

const SIGNALS = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const;

/**
 * Until it is lifted, the report is written and all started processes are killed however this process ends.
 */
function guardReport(breakOff: (reason: string) => void): { readonly lift: () => void } {
  const stop = (reason: string, code: number): void => {
    lift();
    killAllGroups();
    breakOff(reason);
    process.exit(code);
  };
  const onSignal = (signal: NodeJS.Signals): void =>
    stop(`the harness was killed by ${signal}`, SIGNALS[signal as keyof typeof SIGNALS] ?? 1);
  const onError = (error: unknown): void => stop(`uncaught error: ${messageOf(error)}`, 1);
  const onExit = (code: number): void => {
    lift();
    killAllGroups();
    breakOff('the harness ended in the middle of the case');
    if (code === 0) process.exitCode = 1;
  };
  const signals = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[];
  const lift = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
    process.off('uncaughtException', onError);
    process.off('unhandledRejection', onError);
    process.off('exit', onExit);
  };
  for (const signal of signals) process.on(signal, onSignal);
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  process.on('exit', onExit);
  return { lift };
}
