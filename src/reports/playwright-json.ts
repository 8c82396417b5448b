import * as z from 'zod';
import type { CaseStatus } from '../contracts/run/harness-report.ts';
import { playwrightRepro } from './repro-lines.ts';
import {
  createFailure,
  type Invoked,
  pathFrom,
  type Reading,
  type TestResult,
  unreadable,
} from './test-results.ts';

const errorSchema = z.looseObject({
  message: z.string().nullish(),
  stack: z.string().nullish(),
  value: z.string().nullish(),
});

const runSchema = z.looseObject({
  status: z.string().nullish(),
  duration: z.number().nonnegative().nullish().catch(null),
  error: errorSchema.nullish(),
  errors: z.array(errorSchema).nullish(),
  attachments: z.array(z.looseObject({ path: z.string().nullish() })).nullish(),
});

const testSchema = z.looseObject({
  projectName: z.string().nullish(),
  status: z.enum(['skipped', 'expected', 'unexpected', 'flaky']),
  results: z.array(runSchema),
});

const specSchema = z.looseObject({
  title: z.string(),
  file: z.string().nullish(),
  line: z.int().nonnegative().nullish(),
  tests: z.array(testSchema),
});

const suiteSchema = z.looseObject({
  title: z.string().nullish(),
  file: z.string().nullish(),
  specs: z.array(specSchema).nullish(),
  suites: z.array(z.unknown()).nullish(),
});

const reportSchema = z.looseObject({
  config: z.looseObject({ rootDir: z.string().nullish() }).nullish(),
  suites: z.array(z.unknown()),
  errors: z.array(errorSchema).nullish(),
  stats: z.looseObject({ duration: z.number().nonnegative().nullish().catch(null) }).nullish(),
});

type Spec = z.infer<typeof specSchema>;
type Test = z.infer<typeof testSchema>;
type Run = z.infer<typeof runSchema>;

interface Walk {
  readonly command: readonly string[];
  /** The folder of the report's files, relative to the folder of the command. */
  readonly base: string;
  readonly results: TestResult[];
}

/** Reads the output of Playwright's JSON reporter. */
export function readPlaywrightJson(value: unknown, { command, folders }: Invoked): Reading {
  const parsed = reportSchema.safeParse(value);
  if (!parsed.success) return refuseReport(parsed.error);
  const { config, suites, errors, stats } = parsed.data;
  const rootDir = config?.rootDir ?? '';
  const base = folders.includes(rootDir) ? '' : pathFrom(folders, rootDir);
  const walk: Walk = { command, base, results: [] };
  for (const suite of suites) {
    const problem = walkSuite(suite, [], walk);
    if (problem !== null) return problem;
  }
  const runErrors = (errors ?? []).map((error, index) => createFailure(`error ${index + 1}`, textOf(error)));
  return {
    ok: true,
    kind: 'web',
    results: [...walk.results, ...runErrors],
    durationMs: stats?.duration ?? null,
  };
}

function refuseReport(error: z.ZodError): Reading {
  const path = error.issues[0]?.path.join('.') ?? '';
  return unreadable(`is not a Playwright report${path === '' ? '' : ` at \`${path}\``}`);
}

function walkSuite(value: unknown, titles: readonly string[], walk: Walk): Reading | null {
  const parsed = suiteSchema.safeParse(value);
  if (!parsed.success) return refuseReport(parsed.error);
  const { title, file, specs, suites } = parsed.data;
  // The outermost suite is the file, which every spec also names.
  const names = titles.length === 0 && (title ?? '') === (file ?? '') ? [''] : [...titles, title ?? ''];
  for (const spec of specs ?? []) {
    for (const test of spec.tests)
      walk.results.push(toResult(spec, test, spec.file ?? file ?? '', names, walk));
  }
  for (const inner of suites ?? []) {
    const problem = walkSuite(inner, names, walk);
    if (problem !== null) return problem;
  }
  return null;
}

function toResult(spec: Spec, test: Test, file: string, titles: readonly string[], walk: Walk): TestResult {
  const project = test.projectName ?? '';
  const place = walk.base === '' || file.startsWith('/') ? file : `${walk.base}/${file}`;
  const names = [...titles.filter((title) => title !== ''), spec.title];
  const status = toStatus(test);
  const shown = status === 'passed' ? [] : test.results;
  return {
    id: [file, ...names].join(' > ') + (project === '' ? '' : ` [${project}]`),
    status,
    repro: playwrightRepro(walk.command, { file: place, line: spec.line ?? null, project, name: spec.title }),
    observations: shown.flatMap((run, index) => describeFailures(run, index)),
    location: typeof spec.line === 'number' ? `${place}:${spec.line}` : place,
    attachments: shown.flatMap(({ attachments }) => (attachments ?? []).flatMap(({ path }) => path ?? [])),
    durationMs: test.results.reduce((sum, { duration }) => sum + (duration ?? 0), 0),
  };
}

function toStatus({ status }: Test): CaseStatus {
  switch (status) {
    case 'expected':
      return 'passed';
    case 'unexpected':
      return 'failed';
    case 'skipped':
    case 'flaky':
      return status;
  }
}

function describeFailures({ error, errors, status }: Run, retry: number): string[] {
  const all = errors !== undefined && errors !== null && errors.length > 0 ? errors : error ? [error] : [];
  const texts = all.map(textOf);
  if (texts.length === 0 && status !== 'passed' && status !== 'skipped' && typeof status === 'string')
    texts.push(`it ended as ${status}`);
  return texts.map((text) => (retry === 0 ? text : `retry ${retry}: ${text}`));
}

function textOf({ message, stack, value }: z.infer<typeof errorSchema>): string {
  return message ?? stack ?? value ?? 'an error without a message';
}
