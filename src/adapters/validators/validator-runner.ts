import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { outcomeOfEnd } from '../../contracts/run/process-end.ts';
import { sha256Hex } from '../../node/sha256.ts';
import { findNetworkError } from '../../policy/network-want.ts';
import type { Confinement } from '../../ports/sandbox.ts';
import type { ProcessResult, ResolveProgram, Supervisor } from '../../ports/supervisor.ts';
import type {
  RunnableValidator,
  ValidatorPlace,
  ValidatorRequest,
  ValidatorResult,
  ValidatorRunner,
} from '../../ports/validator.ts';
import { isPathInside } from '../../text/paths.ts';
import { captureArtifacts, stampPossibleReports } from './artifact-capture.ts';
import { type ArtifactDeclaration, declareArtifact } from './artifact-declaration.ts';
import { checkInvocation, type Invocation, planInvocation } from './invocation.ts';
import type { Refused } from './placeholders.ts';
import { captureReferences } from './reference-capture.ts';
import { convertReport } from './report-conversion.ts';
import { declareReport, reportName, reportSourceOf } from './report-declaration.ts';
import { realPathOf, realRoots } from './roots.ts';

const OUTPUT_END_BYTES = 64 * 1024;

/** Allows the host's network if the validator is configured to use it and no policy denies it. */
function confinementOf({ confinement, validator }: ValidatorRequest): Confinement | null {
  const wantsHost = validator.kind === 'command' && validator.network === 'host';
  if (confinement === null || !wantsHost || confinement.networkDenied === true) return confinement;
  return { ...confinement, network: 'allow' };
}

/**
 * Says that a check may have failed only because it had no network; null if its output does not suggest that.
 */
async function networkReason(ran: ProcessResult, request: ValidatorRequest): Promise<string | null> {
  if (confinementOf(request)?.network !== 'deny') return null;
  const output = await Promise.all([ran.stderr, ran.stdout].map(({ path }) => readEnd(path)));
  const line = findNetworkError(output.join('\n'));
  if (line === null) return null;
  const canHaveOne = request.validator.kind === 'command' && request.confinement?.networkDenied !== true;
  const fix = canHaveOne
    ? `if it needs one, set validators.${request.validator.id}.network: host`
    : 'if it needs one, a policy has to allow it';
  return `it had no network, and its output says "${line}"; ${fix}`;
}

async function readEnd(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - OUTPUT_END_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(OUTPUT_END_BYTES), 0, OUTPUT_END_BYTES, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

const LONGEST_NAME = 100;

/** A validator's id as a file name: different ids get different names, and none contains a path separator. */
export function evidenceName(id: string): string {
  const name = id
    .replace(/[^A-Za-z0-9._-]/gu, (character) => encodeURIComponent(character).replace(/[!'()*]/g, hexOf))
    .replace(/^\./, '%2E');
  if (name.length <= LONGEST_NAME) return name;
  return `${name.slice(0, LONGEST_NAME)}-${sha256Hex(id).slice(0, 12)}`;
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

export interface ValidatorRunnerDeps {
  readonly supervisor: Supervisor;
  readonly resolveProgram: ResolveProgram;
  /** The PATH that validators will get, used to look up a bare command before a run. */
  readonly searchPath: string | undefined;
  /** The user's checkouts: a program in one of them would check its code instead of the run's. */
  readonly checkouts?: readonly string[];
  /** Folders of those checkouts that were removed from the PATH. */
  readonly hiddenFolders?: readonly string[];
  readonly captureLimitBytes: number;
  readonly graceMs: number;
}

export function createValidatorRunner(deps: ValidatorRunnerDeps): ValidatorRunner {
  const published = new Map<string, string>();
  return {
    explainUnavailable: (validator, place, isInBase) => findObstacle(deps, validator, place, isInBase),
    run: (request) => runValidator(deps, published, request),
  };
}

async function findObstacle(
  deps: ValidatorRunnerDeps,
  validator: RunnableValidator,
  place: ValidatorPlace,
  isInBase: (path: string) => Promise<boolean>,
): Promise<string | null> {
  const entrypoint = checkInvocation(validator, place);
  if (!entrypoint.ok) return entrypoint.reason;
  const declared = declareAll(validator, place);
  if (!declared.ok) return declared.reason;
  if (entrypoint.kind === 'file' && isInCheckout(validator)) {
    // An earlier step may still write a script, but a file that the configuration names must exist.
    if (validator.kind === 'script' || (await isInBase(validator.command[0]))) return null;
    return `${validator.command[0]} is not in the commit that the run starts from`;
  }
  const { program } = entrypoint;
  const { checkouts = [], hiddenFolders = [] } = deps;
  const path = [...(deps.searchPath?.split(':') ?? []), ...hiddenFolders].join(':');
  const found = await deps.resolveProgram(program, {
    cwd: '/',
    path: hiddenFolders.length > 0 ? path : deps.searchPath,
  });
  if (found === null) return `command not found: ${program}`;
  const real = (await realPathOf(found)) ?? found;
  if (!checkouts.some((checkout) => isPathInside(checkout, real))) return null;
  return `${real} is in your checkout, so it would check the code there instead of the run's`;
}

function isInCheckout(validator: RunnableValidator): boolean {
  return validator.kind === 'script' || !validator.command[0].startsWith('/');
}

async function runValidator(
  deps: ValidatorRunnerDeps,
  published: Map<string, string>,
  request: ValidatorRequest,
): Promise<ValidatorResult> {
  const { validator, place } = request;
  const declared = declareAll(validator, place);
  if (!declared.ok) return refusal(validator, [], declared.reason);
  const invocation = await planInvocation(validator, place);
  if (!invocation.ok)
    return { ...refusal(validator, declared.list, invocation.reason), ...startCode(invocation.startCode) };

  const context = {
    declarations: declared.list,
    roots: await realRoots(place),
    mayProposeGoldens: validator.kind === 'script' && validator.mayProposeGoldens === true,
    folder: join(request.evidenceDir, evidenceName(validator.id)),
    published,
  };
  await makeReportFolders(context.declarations, context.roots.checkout);
  const before = await stampPossibleReports(context);
  const ran = await startValidator(deps, request, invocation);
  const captured = await captureArtifacts({ ...context, before });
  const capture = await convertReport({ ...context, request, invocation, ran, capture: captured });
  const report = capture.harnessReport;
  const outcome = outcomeOfEnd(ran.end);
  // A runner that failed before it could write its report is not also reported for the missing file.
  const converted = outcome === 'completed' ? [] : convertedNames(validator, declared.list);
  const isDue = (name: string) => !converted.includes(name) || !capture.missing.includes(name);
  const reasons = [
    reasonOf(ran, request),
    outcome === 'error' ? await networkReason(ran, request) : null,
    ...capture.problems,
  ].filter((reason) => reason !== null);
  return {
    id: validator.id,
    outcome: outcome === 'completed' && capture.problems.length > 0 ? 'error' : outcome,
    exitCode: ran.end.kind === 'exited' ? ran.end.exitCode : null,
    ...(ran.end.kind === 'signalled' ? { signal: ran.end.signal } : {}),
    ...(ran.end.kind === 'spawn_failed' ? startCode(ran.end.code === 'ENOENT' ? 127 : 126) : {}),
    durationMs: ran.durationMs,
    stdoutPath: ran.stdout.path,
    stderrPath: ran.stderr.path,
    artifacts: capture.artifacts,
    missingArtifacts: capture.missing.filter(isDue),
    requiredArtifacts: requiredNames(validator, declared.list).filter(isDue),
    harnessReport: report,
    ...(report === null
      ? {}
      : {
          references: await captureReferences(report.value, {
            ...context,
            runDir: place.runDir,
            artifacts: capture.artifacts,
          }),
        }),
    reason: reasons.length === 0 ? null : reasons.join('; '),
  };
}

/** Creates the folders of reports, because some runners, such as Jest, don't. */
async function makeReportFolders(
  declarations: readonly ArtifactDeclaration[],
  checkout: string,
): Promise<void> {
  for (const { name, literal, converted } of declarations) {
    if (!literal || !converted) continue;
    const folder = join(checkout, dirname(name));
    let existing = folder;
    while (existing !== checkout && (await realPathOf(existing)) === null) existing = dirname(existing);
    // A link could lead out of the checkout.
    if (isPathInside(checkout, (await realPathOf(existing)) ?? ''))
      await mkdir(folder, { recursive: true }).catch(() => undefined);
  }
}

function startValidator(
  deps: ValidatorRunnerDeps,
  request: ValidatorRequest,
  { argv, cwd }: Invocation,
): Promise<ProcessResult> {
  const name = evidenceName(request.validator.id);
  return deps.supervisor.run({
    argv,
    cwd,
    confinement: confinementOf(request),
    env: request.env,
    stdin: null,
    stdoutPath: join(request.evidenceDir, `${name}.stdout.txt`),
    stderrPath: join(request.evidenceDir, `${name}.stderr.txt`),
    captureLimitBytes: deps.captureLimitBytes,
    timeoutMs: timeoutOf(request),
    idleTimeoutMs: request.idleTimeoutMs,
    graceMs: deps.graceMs,
    // Validators of one step may run in parallel: the sweep after one must not kill the others.
    mark: `${request.mark}/${name}`,
    signal: request.signal,
    onStop: request.onStop,
    onLine: request.onLine,
  });
}

function timeoutOf({ validator, timeoutMs }: ValidatorRequest): number {
  return validator.timeoutMs ?? timeoutMs;
}

function declareAll(
  validator: RunnableValidator,
  place: ValidatorPlace,
): { ok: true; list: ArtifactDeclaration[] } | Refused {
  const list: ArtifactDeclaration[] = [];
  for (const template of new Set(validator.artifacts)) {
    const declaration = declareArtifact(template, place);
    if (!declaration.ok) return declaration;
    list.push(declaration);
  }
  const source = reportSourceOf(validator);
  const report = source === null ? null : declareReport(source);
  if (report === null) return { ok: true, list };
  return report.ok ? { ok: true, list: withReport(list, report) } : report;
}

/** A harness report that is also declared as an artifact counts once. */
function withReport(
  list: readonly ArtifactDeclaration[],
  report: ArtifactDeclaration,
): ArtifactDeclaration[] {
  return [...list.filter((one) => !report.harnessReport || one.name !== report.name), report];
}

function requiredNames(
  validator: RunnableValidator,
  declarations: readonly ArtifactDeclaration[],
): readonly string[] {
  const literal = declarations.filter((one) => one.literal).map((one) => one.name);
  return [...new Set([...literal, ...convertedNames(validator, declarations)])];
}

/** Reports that conductor converts from the output of a test runner. */
function convertedNames(
  validator: RunnableValidator,
  declarations: readonly ArtifactDeclaration[],
): readonly string[] {
  const names = declarations.filter((one) => one.converted).map((one) => one.name);
  const source = reportSourceOf(validator);
  return source?.path === null ? [...names, reportName(source)] : names;
}

function startCode(code: 126 | 127 | undefined): Pick<ValidatorResult, 'startCode'> {
  return code === undefined ? {} : { startCode: code };
}

/** The validator never ran, so all of its required artifacts are missing. */
function refusal(
  validator: RunnableValidator,
  declarations: readonly ArtifactDeclaration[],
  reason: string,
): ValidatorResult {
  const required = requiredNames(validator, declarations);
  return {
    id: validator.id,
    outcome: 'error',
    exitCode: null,
    durationMs: 0,
    stdoutPath: null,
    stderrPath: null,
    artifacts: [],
    missingArtifacts: required,
    requiredArtifacts: required,
    harnessReport: null,
    reason,
  };
}

function reasonOf({ end }: ProcessResult, request: ValidatorRequest): string | null {
  switch (end.kind) {
    case 'exited':
      return end.exitCode === 0 ? null : `the validator exited with code ${end.exitCode}`;
    case 'signalled':
      return `the validator was killed by ${end.signal}`;
    case 'spawn_failed':
      return end.message;
    case 'timeout':
      return `the validator timed out after ${timeoutOf(request) / 1000} s`;
    case 'idle':
      return `the validator printed nothing for ${request.idleTimeoutMs / 1000} s`;
    case 'bound':
      return `the validator was stopped: ${end.message}`;
    case 'cancelled':
      return 'the validator was cancelled';
  }
}
