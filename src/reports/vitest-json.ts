import * as z from 'zod';
import type { CaseStatus } from '../contracts/run/harness-report.ts';
import { jestRepro, vitestRepro } from './repro-lines.ts';
import {
  createFailure,
  type Invoked,
  pathFrom,
  type Reading,
  type TestResult,
  unreadable,
} from './test-results.ts';

const time = z.number().nonnegative().nullish().catch(null);

const assertionSchema = z.looseObject({
  ancestorTitles: z.array(z.string()).nullish(),
  title: z.string(),
  status: z.string(),
  duration: time,
  failureMessages: z.array(z.string()).nullish(),
  /** How often Jest ran the test. */
  invocations: z.number().nullish().catch(null),
});

const fileSchema = z.looseObject({
  name: z.string(),
  status: z.string().nullish(),
  message: z.string().nullish(),
  assertionResults: z.array(assertionSchema),
  endTime: time,
});

const reportSchema = z.looseObject({
  testResults: z.array(fileSchema),
  startTime: time,
  /** Jest only; Vitest has no such count. */
  numRuntimeErrorTestSuites: z.number().nullish().catch(null),
});

type File = z.infer<typeof fileSchema>;
type Assertion = z.infer<typeof assertionSchema>;
type Repro = (test: { readonly file: string; readonly name: string | null }) => string;

/** Reads the output of Vitest's JSON reporter, which uses Jest's format. */
export function readVitestJson(value: unknown, { command, folders }: Invoked): Reading {
  const parsed = reportSchema.safeParse(value);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.') ?? '';
    return unreadable(`is not a Vitest report${path === '' ? '' : ` at \`${path}\``}`);
  }
  const { testResults, startTime, numRuntimeErrorTestSuites } = parsed.data;
  const line = typeof numRuntimeErrorTestSuites === 'number' ? jestRepro : vitestRepro;
  const repro: Repro = (test) => line(command, test);
  const ends = testResults.flatMap(({ endTime }) => endTime ?? []);
  const lastEnd = ends.reduce((latest, end) => Math.max(latest, end), 0);
  return {
    ok: true,
    kind: 'unit',
    results: testResults.flatMap((file) => toResults(file, pathFrom(folders, file.name), repro)),
    durationMs:
      typeof startTime === 'number' && lastEnd >= startTime ? Math.round(lastEnd - startTime) : null,
  };
}

function toResults(file: File, path: string, repro: Repro): TestResult[] {
  const results = file.assertionResults.map((item) => toResult(item, path, repro));
  if (file.status !== 'failed' || results.some(({ status }) => status === 'failed')) return results;
  // The file could not be loaded, or a hook outside every test failed.
  const message = file.message?.trim() ?? '';
  const failure = createFailure(
    path,
    message === '' ? 'the file failed' : message,
    repro({ file: path, name: null }),
  );
  return [...results, { ...failure, location: path }];
}

function toResult(item: Assertion, file: string, repro: Repro): TestResult {
  const titles = [...(item.ancestorTitles ?? []).filter((title) => title !== ''), item.title];
  const failures = item.failureMessages ?? [];
  return {
    id: [file, ...titles].join(' > '),
    status: toStatus(item, failures),
    repro: repro({ file, name: titles.join(' ') }),
    observations: failures,
    location: file,
    attachments: [],
    durationMs: item.duration ?? null,
  };
}

/** A test that passed but lists failures passed only on a retry. */
function toStatus({ status, invocations }: Assertion, failures: readonly string[]): CaseStatus {
  switch (status) {
    case 'passed':
      return failures.length > 0 || (invocations ?? 1) > 1 ? 'flaky' : 'passed';
    case 'skipped':
    case 'pending':
    case 'todo':
    case 'disabled':
      return 'skipped';
    default:
      return 'failed';
  }
}
