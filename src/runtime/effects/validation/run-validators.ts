import type { PlanValidator, ValidationStep } from '../../../kernel/plan.ts';
import type { RunnableValidator, ValidatorRequest, ValidatorResult } from '../../../ports/validator.ts';
import type { StepKey } from '../../evidence/evidence.ts';
import { traceVariables } from '../../notify/run-telemetry.ts';
import type { Project, RunContext } from '../../run-context.ts';
import { stepEnvironment } from '../checkout-setup.ts';
import { runTries, type TriedValidator, triedOnce } from './validator-tries.ts';

/** One pass over the validators of a step, in one checkout. */
export interface ValidatorsPass
  extends Pick<
    ValidatorRequest,
    'stepId' | 'attempt' | 'evidenceDir' | 'confinement' | 'mark' | 'onStop' | 'onLine'
  > {
  readonly checkout: string;
  /** The attempt that spans of the validators belong to; null for the run. */
  readonly span: StepKey | null;
  /** Time left until the step's timeout. */
  readonly timeLeftMs: () => number;
}

/** Runs validators one after the other, or concurrently if the step says `parallel`. */
export async function runValidators(
  context: RunContext,
  step: Pick<ValidationStep, 'parallel' | 'idleTimeoutMs'>,
  validators: readonly PlanValidator[],
  pass: ValidatorsPass,
): Promise<readonly TriedValidator[]> {
  const run = (validator: PlanValidator) => runOne(context, step, validator, pass);
  if (step.parallel) return Promise.all(validators.map(run));
  const results: TriedValidator[] = [];
  for (const validator of validators) results.push(await run(validator));
  return results;
}

async function runOne(
  context: RunContext,
  step: Pick<ValidationStep, 'idleTimeoutMs'>,
  planned: PlanValidator,
  { checkout, timeLeftMs, span, ...pass }: ValidatorsPass,
): Promise<TriedValidator> {
  const { deps, directory } = context;
  const validator = resolveValidator(deps.project, planned);
  if (validator === null)
    return triedOnce(neverRan(planned.id, `validator "${planned.id}" has nothing to run`));
  const environment = await stepEnvironment(context, checkout);
  const run = (count: number, failedCases: readonly string[]): Promise<ValidatorResult> => {
    const timeoutMs = Math.max(1, timeLeftMs());
    const isFirst = count === 1;
    return deps.validators.run({
      ...pass,
      failedCases,
      // Can't collide with a validator's folder: an id with `@` is escaped in its name.
      evidenceDir: isFirst ? pass.evidenceDir : `${pass.evidenceDir}/try@${count}`,
      timeoutMs,
      validator: isFirst
        ? validator
        : { ...validator, timeoutMs: Math.min(validator.timeoutMs ?? timeoutMs, timeoutMs) },
      place: {
        runId: directory.runId,
        runDir: directory.path,
        repoRoot: deps.project.repoRoot,
        checkoutPath: checkout,
        entrypoints: deps.project.entrypoints,
      },
      env: {
        ...environment,
        ...traceVariables(context, span),
        CONDUCTOR_RUN_ID: directory.runId,
        CONDUCTOR_RUN_DIR: directory.path,
        CONDUCTOR_STEP_ID: pass.stepId,
        CONDUCTOR_ATTEMPT: String(pass.attempt),
      },
      idleTimeoutMs: step.idleTimeoutMs,
      signal: context.signal,
    });
  };
  return runTries(validator.retries ?? 0, run, () => timeLeftMs() > 0);
}

/** A named validator takes its command from the configuration; settings of the step take precedence. */
export function resolveValidator(
  project: Pick<Project, 'validator'>,
  planned: PlanValidator,
): RunnableValidator | null {
  if (planned.kind === 'script') return planned;
  const named = project.validator(planned.name);
  if (named === null) return null;
  return {
    ...named,
    id: planned.id,
    artifacts: [...named.artifacts, ...planned.artifacts],
    timeoutMs: planned.timeoutMs ?? named.timeoutMs,
    report: planned.report ?? named.report,
    retries: planned.retries ?? named.retries,
  };
}

/** Identifies a validator across visits and steps. */
export function keyOfValidator(stepId: string, planned: PlanValidator): string {
  return planned.kind === 'named' ? planned.name : `${stepId}/${planned.id}`;
}

export function neverRan(id: string, reason: string): ValidatorResult {
  return {
    id,
    outcome: 'error',
    exitCode: null,
    durationMs: 0,
    stdoutPath: null,
    stderrPath: null,
    artifacts: [],
    missingArtifacts: [],
    requiredArtifacts: [],
    harnessReport: null,
    reason,
  };
}
