import type { EventDraft, ValidatorEnd } from '../../contracts/event.ts';
import { MECHANICAL_OUTCOMES, type MechanicalOutcome } from '../../contracts/vocabulary.ts';
import type { PlanValidator, ValidationStep } from '../../kernel/plan.ts';
import type { Effect } from '../../kernel/protocol.ts';
import type { RunnableValidator, ValidatorRequest, ValidatorResult } from '../../ports/validator.ts';
import { type Evidence, openEvidence } from '../evidence.ts';
import { type EffectResult, Interrupted, type Project, type RunContext } from '../run-context.ts';
import { watchStep } from './check-step.ts';
import { encloseStep, refusalOf } from './enclose-step.ts';
import { policySummary } from './policy-summary.ts';
import { prepareEntry, recordStop, undoDeadAttempt } from './prepare-entry.ts';
import { judgeNote, showJudges } from './protected-paths.ts';
import { endUnstarted } from './unstarted-step.ts';

type ValidationEffect = Extract<Effect, { kind: 'run_validation' }>;

export async function runValidation(
  context: RunContext,
  effect: ValidationEffect,
  step: ValidationStep,
): Promise<EffectResult> {
  const { deps, directory, workspace } = context;
  await undoDeadAttempt(context, effect);
  const policy = deps.project.policy(step.policies);
  const enclosure = await encloseStep(context, 'validator', step.policies);
  const refusal = refusalOf('validator', policy, enclosure);
  if (refusal !== null) return refuse(context, effect, step, refusal);
  const prepared = await prepareEntry(context, effect, {
    family: 'validators',
    name: step.validators.map((validator) => validator.id).join(', '),
  });
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  const watched = await watchStep(context, {
    stepId: step.id,
    attempt: effect.attempt,
    policies: step.policies,
    before: prepared.before,
    evidence,
    shutIn: enclosure.confinement !== null,
  });
  const judges = await showJudges(context, step.policies, prepared.before);
  const deadline = deps.clock.now().getTime() + step.timeoutMs;
  const run = (validator: PlanValidator) =>
    runOne(context, step, validator, {
      timeoutMs: Math.max(1, deadline - deps.clock.now().getTime()),
      stepId: step.id,
      attempt: effect.attempt,
      evidenceDir: evidence.path,
      confinement: enclosure.confinement,
      mark: prepared.mark,
    });
  const results = await runAll(step, run, async () => {
    await watched.settle();
    await judges.giveBack();
  });
  if (results.some((result) => result.outcome === 'cancelled')) throw new Interrupted();

  const afterName = `${step.id}@${effect.attempt}.after`;
  const after = await watched.examine(() => deps.workspace.snapshot(workspace, afterName));
  const checked = await watched.check({
    // What validators leave behind is no work on the task, so only what is forbidden outright concerns them.
    changes: [],
    ignoredChanges: (await deps.workspace.diff(workspace, prepared.before.tree, after.tree)).files,
  });
  const outcome = worstOutcome(results.map((result) => mechanical(result.outcome)));
  await recordValidationEvidence(evidence, results, outcome);
  await evidence.json(
    'policy_summary',
    'policy.json',
    policySummary(policy, checked.found, [
      ...judges.paths.map(judgeNote),
      ...checked.notes,
      ...enclosure.notes,
    ]),
  );
  const reason = reasonOf(results);
  const records = await evidence.close(outcome, reason ?? `${results.length} passed`);
  return {
    input: {
      kind: 'step_ended',
      outcome,
      changed: after.tree !== prepared.before.tree,
      tree: after.tree,
      validators: results.map((result, index) => endOf(step, step.validators[index], result)),
      usage: null,
      reason,
      violations: checked.found,
    },
    records: [
      ...records,
      ...checked.records,
      ...results.map((result) => validatorCompleted(step.id, effect.attempt, result)),
    ],
  };
}

/** No validator was started, so the files are as they were. */
async function refuse(
  { deps, directory }: RunContext,
  effect: ValidationEffect,
  step: ValidationStep,
  reason: string,
): Promise<EffectResult> {
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  const outcome = 'killed_policy';
  const results = step.validators.map(({ id }) => neverRan(id, reason));
  await recordValidationEvidence(evidence, results, outcome);
  return endUnstarted(evidence, outcome, reason);
}

/** Whatever becomes of the validators, the worktree is put in order behind them. */
async function runAll(
  step: ValidationStep,
  run: (validator: PlanValidator) => Promise<ValidatorResult>,
  putInOrder: () => Promise<void>,
): Promise<ValidatorResult[]> {
  try {
    return step.parallel ? await Promise.all(step.validators.map(run)) : await inOrder(step.validators, run);
  } finally {
    await putInOrder();
  }
}

async function inOrder<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

function runOne(
  context: RunContext,
  step: ValidationStep,
  planned: PlanValidator,
  place: Pick<ValidatorRequest, 'stepId' | 'attempt' | 'evidenceDir' | 'confinement' | 'mark' | 'timeoutMs'>,
): Promise<ValidatorResult> {
  const { deps, directory, workspace } = context;
  const validator = runnableOf(deps.project, planned);
  if (validator === null)
    return Promise.resolve(neverRan(planned.id, `validator "${planned.id}" has nothing to run`));
  return deps.validators.run({
    ...place,
    validator,
    place: {
      runId: directory.runId,
      runDir: directory.path,
      repoRoot: deps.project.repoRoot,
      worktreePath: workspace.worktreePath,
      entrypoints: deps.project.entrypoints,
    },
    env: deps.project.environment,
    idleTimeoutMs: step.idleTimeoutMs,
    signal: context.signal,
    onStop: recordStop(context, step.id, `validator "${planned.id}"`),
    onLine: (line) => context.observer.onLine(step.id, line),
  });
}

/** A named validator takes its command from the configuration and keeps what the step says beyond it. */
export function runnableOf(
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
  };
}

function neverRan(id: string, reason: string): ValidatorResult {
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

function mechanical(outcome: ValidatorResult['outcome']): MechanicalOutcome {
  return outcome === 'cancelled' ? 'error' : outcome;
}

export function worstOutcome(outcomes: readonly MechanicalOutcome[]): MechanicalOutcome {
  const worst = Math.max(0, ...outcomes.map((outcome) => MECHANICAL_OUTCOMES.indexOf(outcome)));
  return MECHANICAL_OUTCOMES[worst] ?? 'error';
}

function endOf(
  step: ValidationStep,
  planned: PlanValidator | undefined,
  result: ValidatorResult,
): ValidatorEnd {
  return {
    id: result.id,
    key: planned?.kind === 'named' ? planned.name : `${step.id}/${result.id}`,
    outcome: mechanical(result.outcome),
    exit_code: result.exitCode,
    proposals: result.harnessReport?.proposals ?? null,
  };
}

async function recordValidationEvidence(
  evidence: Evidence,
  results: readonly ValidatorResult[],
  outcome: MechanicalOutcome,
): Promise<void> {
  const converted: string[] = [];
  for (const result of results) {
    if (result.stdoutPath !== null)
      await evidence.file('validation_stdout', result.stdoutPath, { important: true });
    if (result.stderrPath !== null) await evidence.file('validation_stderr', result.stderrPath);
    for (const artifact of result.artifacts) {
      const isReport = artifact.path === result.harnessReport?.path;
      const role = isReport ? 'harness_report' : roleOf(artifact.name);
      const { path } = await evidence.file(role, artifact.path, {
        required: artifact.required,
        important: isReport,
      });
      if (isReport && result.harnessReport?.converted === true) converted.push(path);
    }
  }
  const report = { ...validationReportOf(results, outcome), converted_reports: converted };
  await evidence.json('validation_report', 'validation.json', report, { required: true, important: true });
}

function roleOf(name: string): string {
  return /\.(png|jpe?g|webp)$/i.test(name) ? 'harness_screenshot' : 'validation_artifact';
}

/** The stored form of what validators did; the planner's envelope is filled from it. */
export function validationReportOf(results: readonly ValidatorResult[], outcome: MechanicalOutcome) {
  return {
    mechanical_outcome: outcome,
    exit_codes: Object.fromEntries(
      results.flatMap((result) => (result.exitCode === null ? [] : [[result.id, result.exitCode]])),
    ),
    timeouts: results
      .filter((result) => result.outcome === 'killed_timeout' || result.outcome === 'killed_idle')
      .map((result) => result.id),
    required_artifacts: results.flatMap((result) => result.requiredArtifacts),
    missing_artifacts: results.flatMap((result) => result.missingArtifacts),
    validators: results.map(({ id, outcome: how, exitCode, durationMs, reason }) => ({
      id,
      outcome: how,
      exit_code: exitCode,
      duration_ms: durationMs,
      reason,
    })),
  };
}

function reasonOf(results: readonly ValidatorResult[]): string | null {
  const reasons = results
    .filter((result) => result.outcome !== 'completed')
    .map((result) => `${result.id}: ${result.reason ?? result.outcome}`);
  return reasons.length === 0 ? null : reasons.join('; ');
}

function validatorCompleted(stepId: string, attempt: number, result: ValidatorResult): EventDraft {
  return {
    event_type: 'runner_completed',
    step_id: stepId,
    payload: {
      name: result.id,
      attempt,
      termination: result.outcome,
      exit_code: result.exitCode,
      duration_ms: result.durationMs,
      usage: null,
    },
  };
}
