import type { EventDraft, ValidatorEnd } from '../../contracts/event.ts';
import { MECHANICAL_OUTCOMES, type MechanicalOutcome } from '../../contracts/vocabulary.ts';
import type { PlanValidator, ValidationStep } from '../../kernel/plan.ts';
import type { Effect } from '../../kernel/protocol.ts';
import type { JudgedCheckout } from '../../ports/surroundings.ts';
import type { RunnableValidator, ValidatorRequest, ValidatorResult } from '../../ports/validator.ts';
import { openEvidence } from '../evidence.ts';
import { protectedPathFinding } from '../findings.ts';
import { recordReportFiles } from '../report-files.ts';
import { type EffectResult, Interrupted, type Project, type RunContext } from '../run-context.ts';
import { watchStep } from './check-step.ts';
import { encloseStep, refusalOf } from './enclose-step.ts';
import { policySummary } from './policy-summary.ts';
import { type PreparedEntry, prepareEntry, recordStop, undoDeadAttempt } from './prepare-entry.ts';
import { changedJudges, judgedNotes, openJudged } from './protected-paths.ts';
import { endUnstarted } from './unstarted-step.ts';
import { recordValidationEvidence } from './validation-evidence.ts';
import {
  flakyCasesOf,
  isFlaky,
  proposalsOf,
  runTries,
  type TriedValidator,
  triedOnce,
  triesOf,
} from './validator-tries.ts';

type ValidationEffect = Extract<Effect, { kind: 'run_validation' }>;

export async function runValidation(
  context: RunContext,
  effect: ValidationEffect,
  step: ValidationStep,
): Promise<EffectResult> {
  await undoDeadAttempt(context, effect);
  const enclosure = await encloseStep(context, 'validator', step.policies);
  const refusal = refusalOf('validator', context.deps.project.policy(step.policies), enclosure);
  if (refusal !== null) return refuse(context, effect, step, refusal);
  const prepared = await prepareEntry(context, effect, {
    family: 'validators',
    name: step.validators.map((validator) => validator.id).join(', '),
  });
  const judged = await openJudged(context, step.policies, prepared.before);
  try {
    return await validate(context, effect, step, { ...prepared, judged });
  } finally {
    // Not before everything was looked at: a worktree that goes away meanwhile would be held against the step.
    await judged?.remove();
  }
}

async function validate(
  context: RunContext,
  effect: ValidationEffect,
  step: ValidationStep,
  { judged, ...prepared }: PreparedEntry & { readonly judged: JudgedCheckout | null },
): Promise<EffectResult> {
  const { deps, directory, workspace } = context;
  const place =
    judged === null
      ? context
      : { ...context, workspace: { ...workspace, worktreePath: judged.worktreePath } };
  const changedPaths = judged?.changed ?? [];
  const policy = deps.project.policy(step.policies);
  const enclosure = await encloseStep(place, 'validator', step.policies);
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  const watched = await watchStep(context, {
    stepId: step.id,
    attempt: effect.attempt,
    policies: step.policies,
    before: prepared.before,
    evidence,
    shutIn: enclosure.confinement !== null,
  });
  const deadline = deps.clock.now().getTime() + step.timeoutMs;
  const run = (validator: PlanValidator) =>
    runOne(place, step, validator, {
      timeLeftMs: () => deadline - deps.clock.now().getTime(),
      stepId: step.id,
      attempt: effect.attempt,
      evidenceDir: evidence.path,
      confinement: enclosure.confinement,
      mark: prepared.mark,
    });
  const results = await runAll(step, run, watched.settle);
  if (results.some(({ last }) => last.outcome === 'cancelled')) {
    await watched.tellInterrupted();
    throw new Interrupted();
  }

  const afterName = `${step.id}@${effect.attempt}.after`;
  const after = await watched.examine(() => deps.workspace.snapshot(workspace, afterName));
  const checked = await watched.check({
    // What validators leave behind is no work on the task, so only what is forbidden outright concerns them.
    changes: [],
    ignoredChanges: (await deps.workspace.diff(workspace, prepared.before.tree, after.tree)).files,
  });
  const outcome = worstOutcome(results.map(({ last }) => mechanical(last.outcome)));
  await recordValidationEvidence(evidence, results, outcome);
  for (const [index, result] of results.entries())
    await recordReportFiles(
      evidence,
      endOf(step, step.validators[index], result).key,
      result.last,
      `references-${index + 1}.json`,
    );
  await evidence.json(
    'policy_summary',
    'policy.json',
    policySummary(policy, checked.found, [
      ...judgedNotes(judged),
      ...changedPaths.map(protectedPathFinding),
      ...checked.notes,
      ...enclosure.notes,
    ]),
  );
  const reason = reasonOf(results);
  const records = await evidence.close(outcome, reason ?? passedText(results));
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
      ...changedJudges(step.id, changedPaths),
      ...results.flatMap((result) => validatorCompleted(step.id, effect.attempt, result)),
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
  const results = step.validators.map(({ id }) => triedOnce(neverRan(id, reason)));
  await recordValidationEvidence(evidence, results, outcome);
  return endUnstarted(evidence, outcome, reason);
}

/** Whatever becomes of the validators, the worktree is put in order behind them. */
async function runAll(
  step: ValidationStep,
  run: (validator: PlanValidator) => Promise<TriedValidator>,
  putInOrder: () => Promise<void>,
): Promise<TriedValidator[]> {
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

type ValidatorEntry = Pick<
  ValidatorRequest,
  'stepId' | 'attempt' | 'evidenceDir' | 'confinement' | 'mark'
> & {
  /** Until the step's own end. */
  readonly timeLeftMs: () => number;
};

async function runOne(
  context: RunContext,
  step: ValidationStep,
  planned: PlanValidator,
  { timeLeftMs, ...entry }: ValidatorEntry,
): Promise<TriedValidator> {
  const { deps, directory, workspace } = context;
  const validator = runnableOf(deps.project, planned);
  if (validator === null)
    return triedOnce(neverRan(planned.id, `validator "${planned.id}" has nothing to run`));
  const run = (count: number, failedCases: readonly string[]): Promise<ValidatorResult> => {
    const timeoutMs = Math.max(1, timeLeftMs());
    const isFirst = count === 1;
    return deps.validators.run({
      ...entry,
      failedCases,
      // No validator can be called that, as its name would be written otherwise there.
      evidenceDir: isFirst ? entry.evidenceDir : `${entry.evidenceDir}/try@${count}`,
      timeoutMs,
      validator: isFirst
        ? validator
        : { ...validator, timeoutMs: Math.min(validator.timeoutMs ?? timeoutMs, timeoutMs) },
      place: {
        runId: directory.runId,
        runDir: directory.path,
        repoRoot: deps.project.repoRoot,
        worktreePath: workspace.worktreePath,
        entrypoints: deps.project.entrypoints,
      },
      env: {
        ...deps.project.environment,
        CONDUCTOR_RUN_ID: directory.runId,
        CONDUCTOR_RUN_DIR: directory.path,
        CONDUCTOR_STEP_ID: entry.stepId,
        CONDUCTOR_ATTEMPT: String(entry.attempt),
      },
      idleTimeoutMs: step.idleTimeoutMs,
      signal: context.signal,
      onStop: recordStop(context, step.id, `validator "${planned.id}"`),
      onLine: (line) => context.observer.onLine(step.id, line),
    });
  };
  return runTries(validator.retries ?? 0, run, () => timeLeftMs() > 0);
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
    retries: planned.retries ?? named.retries,
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
  tried: TriedValidator,
): ValidatorEnd {
  const { last } = tried;
  const flakyCases = flakyCasesOf(tried).length;
  return {
    id: last.id,
    key: planned?.kind === 'named' ? planned.name : `${step.id}/${last.id}`,
    outcome: mechanical(last.outcome),
    exit_code: last.exitCode,
    proposals: proposalsOf(tried),
    ...(triesOf(tried) === 1 ? {} : { tries: triesOf(tried) }),
    ...(isFlaky(tried) ? { flaky: true } : {}),
    ...(flakyCases === 0 ? {} : { flaky_cases: flakyCases }),
  };
}

function reasonOf(results: readonly TriedValidator[]): string | null {
  const reasons = results
    .filter(({ last }) => last.outcome !== 'completed')
    .map((tried) => {
      const tries = triesOf(tried) === 1 ? '' : ` (tried ${triesOf(tried)} times)`;
      return `${tried.last.id}: ${tried.last.reason ?? tried.last.outcome}${tries}`;
    });
  return reasons.length === 0 ? null : reasons.join('; ');
}

/** What is flaky has not simply passed. */
function passedText(results: readonly TriedValidator[]): string {
  const flaky = results.filter(isFlaky).map(({ last }) => last.id);
  const passed = `${results.length - flaky.length} passed`;
  return flaky.length === 0 ? passed : `${passed}, ${flaky.length} flaky: ${flaky.join(', ')}`;
}

function validatorCompleted(stepId: string, attempt: number, { last, failed }: TriedValidator): EventDraft[] {
  return [...failed, last].map((result, index) => ({
    event_type: 'runner_completed',
    step_id: stepId,
    payload: {
      name: result.id,
      attempt,
      termination: result.outcome,
      exit_code: result.exitCode,
      duration_ms: result.durationMs,
      usage: null,
      ...(index === 0 ? {} : { try: index + 1 }),
    },
  }));
}
