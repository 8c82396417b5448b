import * as z from 'zod';
import { goTestRepro } from './repro-lines.ts';
import {
  CASE_LIMIT,
  type Invoked,
  type Reading,
  type TestResult,
  TOO_MANY_CASES,
  unreadable,
} from './test-results.ts';

/** One line of `go test -json`; other lines are output of build tools and tests. */
const eventSchema = z.looseObject({
  Action: z.string(),
  Package: z.string().optional(),
  /** Set in build events. */
  ImportPath: z.string().optional(),
  Test: z.string().optional(),
  Output: z.string().optional(),
  Elapsed: z.number().nonnegative().optional(),
  /** Set for a package that failed because it or a dependency could not be built. */
  FailedBuild: z.string().optional(),
});

interface Running {
  readonly packagePath: string;
  /** Null for the package itself. */
  readonly name: string | null;
  readonly output: string[];
  status: 'passed' | 'failed' | 'skipped' | null;
  seconds: number | null;
}

interface Stream {
  readonly tests: Map<string, Running>;
  readonly buildOutput: Map<string, string[]>;
  readonly failedBuilds: Map<string, string>;
  readonly otherLines: string[];
  events: number;
}

const ENDS: Readonly<Record<string, Running['status']>> = { pass: 'passed', fail: 'failed', skip: 'skipped' };
/** Lines that only report the progress of a test. */
const PROGRESS_LINE =
  /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)\b|--- (?:PASS|FAIL|SKIP):|(?:PASS|FAIL)$|exit status \d)/;
const PLACE = /^\s*([\w.@+~/-]+\.go):(\d+)(?::\d+)?:/m;

/** Reads the events that `go test -json` prints. */
export function readGoJson(text: string, invoked: Invoked): Reading {
  const stream: Stream = {
    tests: new Map(),
    buildOutput: new Map(),
    failedBuilds: new Map(),
    otherLines: [],
    events: 0,
  };
  for (const line of text.split('\n')) takeLine(stream, line);
  if (stream.events === 0) return unreadable('contains no `go test -json` events');
  const running = [...stream.tests.values()];
  if (running.length > CASE_LIMIT) return unreadable(TOO_MANY_CASES);
  const failing = running.filter(({ name, status }) => name !== null && isFailure(status));
  const results = running.flatMap((each) => toResults(each, failing, stream, invoked));
  const seconds = running.flatMap((each) => (each.name === null ? (each.seconds ?? []) : []));
  return {
    ok: true,
    kind: 'unit',
    results,
    durationMs: seconds.length === 0 ? null : 1000 * seconds.reduce((sum, value) => sum + value, 0),
    // Test names are unique within a package: with `-count=2` the later result stands for both.
    repeats: 'reruns',
  };
}

function takeLine(stream: Stream, line: string): void {
  const event = parseEvent(line);
  if (event === null) {
    if (line.trim() !== '') stream.otherLines.push(line);
    return;
  }
  stream.events += 1;
  const { Action: action, Output: output = '' } = event;
  if (action === 'build-output') {
    const path = event.ImportPath ?? '';
    stream.buildOutput.set(path, [...(stream.buildOutput.get(path) ?? []), output]);
    return;
  }
  if (event.Package === undefined) return;
  const running = findOrCreate(stream, event.Package, event.Test ?? null);
  if (event.FailedBuild !== undefined) stream.failedBuilds.set(event.Package, event.FailedBuild);
  if (action === 'output') running.output.push(output);
  const end = ENDS[action];
  if (end === undefined) return;
  running.status = end;
  running.seconds = event.Elapsed ?? null;
}

function parseEvent(line: string): z.infer<typeof eventSchema> | null {
  if (!line.startsWith('{')) return null;
  try {
    return eventSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

function findOrCreate({ tests }: Stream, packagePath: string, name: string | null): Running {
  const key = JSON.stringify([packagePath, name]);
  const known = tests.get(key);
  if (known !== undefined) return known;
  const running: Running = { packagePath, name, output: [], status: null, seconds: null };
  tests.set(key, running);
  return running;
}

/** A test without an end event was running when its package panicked or was stopped. */
function isFailure(status: Running['status']): boolean {
  return status === 'failed' || status === null;
}

function toResults(
  running: Running,
  failing: readonly Running[],
  stream: Stream,
  invoked: Invoked,
): TestResult[] {
  const { packagePath, name, status, seconds } = running;
  if (name === null) {
    // A package without tests passes or is skipped, and a package with a failed test has nothing to add.
    const isExplained = failing.some((other) => other.packagePath === packagePath);
    return status === 'failed' && !isExplained ? [brokenPackage(running, stream)] : [];
  }
  // A test with subtests fails if one of them does; the subtest is what has to be fixed.
  const hasFailingPart = failing.some(
    (other) => other.packagePath === packagePath && other.name?.startsWith(`${name}/`) === true,
  );
  if (isFailure(status) && hasFailingPart && composeMessage(running) === '') return [];
  const message = composeMessage(running) || (status === null ? 'the test did not end' : '');
  return [
    {
      id: `${packagePath}.${name}`,
      status: status ?? 'failed',
      repro: goTestRepro(packagePath, name),
      observations: status === 'passed' || message === '' ? [] : [message],
      location: findLocation(message, packagePath, invoked),
      attachments: [],
      durationMs: seconds === null ? null : 1000 * seconds,
    },
  ];
}

function brokenPackage(running: Running, stream: Stream): TestResult {
  const { packagePath, seconds } = running;
  const build = stream.buildOutput.get(stream.failedBuilds.get(packagePath) ?? '') ?? [];
  // Before Go 1.24, the compiler's messages are plain lines between the events.
  const message = [...build, composeMessage(running), ...(build.length === 0 ? stream.otherLines : [])]
    .map((text) => text.trimEnd())
    .filter((text) => text !== '');
  const text = message.join('\n');
  return {
    id: packagePath,
    status: 'failed',
    repro: goTestRepro(packagePath, null),
    observations: [text === '' ? 'the package failed' : text],
    // The compiler names files relative to the folder of the command.
    location: build.length > 0 ? (PLACE.exec(text)?.slice(1, 3).join(':') ?? null) : null,
    attachments: [],
    durationMs: seconds === null ? null : 1000 * seconds,
  };
}

function composeMessage({ output }: Running): string {
  const lines = output.join('').split('\n');
  return lines
    .filter((line) => !PROGRESS_LINE.test(line))
    .join('\n')
    .trim();
}

/** Tests name their files without a folder; it is the folder of the package. */
function findLocation(text: string, packagePath: string, { goModule = null }: Invoked): string | null {
  const [, file, line] = PLACE.exec(text) ?? [];
  if (file === undefined || goModule === null || file.includes('/')) return null;
  const path = packagePath.replace(/\s.*$/, '').replace(/_test$/, '');
  if (path === goModule) return `${file}:${line}`;
  return path.startsWith(`${goModule}/`) ? `${path.slice(goModule.length + 1)}/${file}:${line}` : null;
}
