import type { BaselineRecord } from '../../../contracts/run/baseline.ts';
import type { EventDraft, ValidatorEnd } from '../../../contracts/run/event.ts';
import { MECHANICAL_OUTCOMES, type MechanicalOutcome } from '../../../contracts/vocabulary.ts';
import type { PlanValidator, ValidationStep } from '../../../kernel/plan.ts';
import type { Effect } from '../../../kernel/protocol.ts';
import type { ValidatorResult } from '../../../ports/validator.ts';
import { nameSome } from '../../../text/name-some.ts';
import { type Evidence, openEvidence } from '../../evidence/evidence.ts';
import { protectedPathFinding } from '../../evidence/findings.ts';
import { recordReportFiles } from '../../evidence/report-files.ts';
import { type EffectResult, Interrupted, type RunContext } from '../../run-context.ts';
import { policySummary } from '../policy-summary.ts';
import { type PreparedAttempt, prepareAttempt, recordStop, undoDeadAttempt } from '../prepare-attempt.ts';
import { recordSetupOutput } from '../record-setup.ts';
import { findStartRefusal, sandboxStep } from '../sandbox-step.ts';
import { endUnstarted } from '../unstarted-step.ts';
import { readBaseline } from './baseline-record.ts';
import { collectFacts } from './check-facts.ts';
import { type PreparedJudge, prepareJudge } from './judge-checkout.ts';
import { forgiveKnownFailures, withDueValidators } from './optional-validators.ts';
import {
  keyOfValidator,
  neverRan,
  resolveValidator,
  runValidators,
  type ValidatorsPass,
} from './run-validators.ts';
import { recordValidationEvidence, recordValidatorFiles } from './validation-evidence.ts';
import {
  collectProposals,
  flakyCasesOf,
  isFlaky,
  type TriedValidator,
  triedOnce,
  triesOf,
} from './validator-tries.ts';

/** How many paths a note names; the policy summary lists them all. */
const MAX_NAMED = 5;

type ValidationEffect = Extract<Effect, { kind: 'run_validation' }>;

/** The id under which a failed setup counts as a failed validator. */
const SETUP_ID = 'setup';

export async function runValidation(
  context: RunContext,
  effect: ValidationEffect,
  planned: ValidationStep,
): Promise<EffectResult> {
  const { deps, workspace } = context;
  await undoDeadAttempt(context, effect);
  const baseline = await readBaseline(context);
  const step = withDueValidators(context, planned, baseline);
  const stepSandbox = await sandboxStep(context, 'validator', step.policies, workspace.judgePath);
  const policy = deps.project.policy(step.policies);
  const refusal = findStartRefusal('validator', policy, stepSandbox);
  if (refusal !== null) return refuse(context, effect, step, refusal);
  const prepared = await prepareAttempt(context, effect, {
    family: 'validators',
    name: step.validators.map((validator) => validator.id).join(', '),
  });
  const evidence = await openEvidence(context.directory, effect, deps.clock, deps.project.secrets);
  const session = openSession(context, effect, step, { evidence, prepared, baseline });
  const judge = await session.bringTo(protectedPaths(context, step.policies), evidence.path);
  const confined = await sandboxStep(context, 'validator', step.policies, judge.path);
  const results = await session.run(judge, confined.confinement, evidence.path);
  const facts = await collectFacts(context, {
    step,
    results,
    judge,
    rerun: async (asAtBase) => {
      const folder = `${evidence.path}/base-judges`;
      const again = await session.bringTo(asAtBase, folder);
      const reran = await session.run(again, confined.confinement, folder);
      await recordValidatorFiles(evidence, reran, 'base_judges_output');
      return reran;
    },
  });
  const outcome = worstOutcome(results.map(({ last }) => toMechanical(last.outcome)));
  await recordValidationEvidence(evidence, results, outcome, facts);
  for (const [index, result] of results.entries())
    await recordReportFiles(
      evidence,
      endOf(step, step.validators[index], result).key,
      result.last,
      `references-${index + 1}.json`,
    );
  const notes = [
    'validators ran in the judge checkout',
    ...judge.restored.map(protectedPathFinding),
    ...confined.notes,
    ...hostNetworkNotes(context, step, confined.confinement),
  ];
  await evidence.json('policy_summary', 'policy.json', policySummary(policy, { notes }));
  const reason = reasonOf(results);
  const records = await evidence.close(outcome, reason ?? describePassed(results));
  return {
    input: {
      kind: 'step_ended',
      outcome,
      // Validators work in their own checkout, so the files of the workspace are unchanged.
      changed: false,
      tree: prepared.before.tree,
      validators: results.map((result, index) => endOf(step, step.validators[index], result)),
      usage: null,
      reason,
      violations: [],
    },
    records: [
      ...records,
      ...noteRestoredPaths(step.id, judge.restored),
      ...results.flatMap((result) => validatorCompleted(step.id, effect.attempt, result)),
    ],
  };
}

interface SessionRequest {
  readonly evidence: Evidence;
  readonly prepared: PreparedAttempt;
  readonly baseline: BaselineRecord | null;
}

/** The judge checkout during one RUN_VALIDATION: updated to the snapshot, once or twice, to run validators in it. */
function openSession(
  context: RunContext,
  effect: ValidationEffect,
  step: ValidationStep,
  { evidence, prepared, baseline }: SessionRequest,
) {
  const { deps } = context;
  const deadline = deps.clock.now().getTime() + step.timeoutMs;
  const onLine = (line: string) => context.observer.onLine(step.id, line);
  const pass: Omit<ValidatorsPass, 'checkout' | 'confinement' | 'evidenceDir'> = {
    stepId: step.id,
    attempt: effect.attempt,
    span: effect,
    mark: prepared.mark,
    timeLeftMs: () => deadline - deps.clock.now().getTime(),
    onStop: recordStop(context, step.id, 'a validator'),
    onLine,
  };
  return {
    bringTo: async (asAtBase: (path: string) => boolean, folder: string): Promise<PreparedJudge> => {
      const judge = await prepareJudge(context, {
        snapshot: prepared.before,
        asAtBase,
        evidenceDir: `${folder}/setup`,
        mark: prepared.mark,
        policies: step.policies,
        onLine,
      });
      await recordSetupOutput(evidence, judge.setup);
      return judge;
    },
    run: async (
      judge: PreparedJudge,
      confinement: ValidatorsPass['confinement'],
      evidenceDir: string,
    ): Promise<readonly TriedValidator[]> => {
      // If the change adds a dependency that can't be installed, that is a failure of the change.
      if (judge.setup !== null && !judge.setup.ok) {
        const { reason, exitCode } = judge.setup;
        return [triedOnce({ ...neverRan(SETUP_ID, reason), exitCode: exitCode ?? 1 })];
      }
      const results = await runValidators(context, step, step.validators, {
        ...pass,
        checkout: judge.path,
        confinement,
        evidenceDir,
      });
      if (results.some(({ last }) => last.outcome === 'cancelled')) throw new Interrupted();
      return forgiveKnownFailures(context, step, results, { baseline, checkout: judge.path });
    },
  };
}

/** Notes for validators that have network access although the step has none. */
function hostNetworkNotes(
  { deps }: RunContext,
  { validators }: ValidationStep,
  confinement: ValidatorsPass['confinement'],
): string[] {
  if (confinement === null || confinement.networkDenied === true) return [];
  return validators.flatMap((planned) => {
    const validator = resolveValidator(deps.project, planned);
    if (validator?.kind !== 'command' || validator.network !== 'host') return [];
    return [`validator "${planned.id}" had the network of this machine`];
  });
}

/** No validator was started, so the files are unchanged. */
async function refuse(
  { deps, directory }: RunContext,
  effect: ValidationEffect,
  step: ValidationStep,
  reason: string,
): Promise<EffectResult> {
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  const outcome = 'killed_policy';
  const results = step.validators.map(({ id }) => triedOnce(neverRan(id, reason)));
  await recordValidationEvidence(evidence, results, outcome, {});
  return endUnstarted(evidence, outcome, reason);
}

function toMechanical(outcome: ValidatorResult['outcome']): MechanicalOutcome {
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
  const isPlanned = planned !== undefined && planned.id === last.id;
  return {
    id: last.id,
    key: isPlanned ? keyOfValidator(step.id, planned) : `${step.id}/${last.id}`,
    outcome: toMechanical(last.outcome),
    exit_code: last.exitCode,
    proposals: collectProposals(tried),
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

/** Lists flaky validators separately: they have not simply passed. */
function describePassed(results: readonly TriedValidator[]): string {
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

/**
 * The paths that validators see as at the base: those protected by the policies of the validation step and of the agent
 * whose work it checks.
 */
function protectedPaths(context: RunContext, policies: readonly string[]): (path: string) => boolean {
  const protectors = [policies, lastAgentPolicies(context)].flatMap(
    (refs) => context.deps.project.policy(refs).protects ?? [],
  );
  return (path) => protectors.some((protects) => protects(path));
}

/** Reports in a status note, right after the step, that the change touches protected paths. */
function noteRestoredPaths(stepId: string, paths: readonly string[]): EventDraft[] {
  if (paths.length === 0) return [];
  const note = `protected paths were changed; validators of step "${stepId}" saw them as at the base: ${nameSome(paths, MAX_NAMED)}`;
  return [{ event_type: 'status_updated', step_id: stepId, payload: { note } }];
}

function lastAgentPolicies({ plan, view }: RunContext): readonly string[] {
  const last = view().steps.findLast(({ opcode }) => opcode === 'RUN_AGENT');
  const step = plan.steps.find(({ id }) => id === last?.stepId);
  return step?.opcode === 'RUN_AGENT' ? step.policies : [];
}
