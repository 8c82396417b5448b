import {
  type BaselineRecord,
  type BaselineValidator,
  baselineRecordSchema,
} from '../../../contracts/run/baseline.ts';
import type { EventDraft } from '../../../contracts/run/event.ts';
import type { PlanValidator, ValidationStep } from '../../../kernel/plan.ts';
import { sha256Hex } from '../../../node/sha256.ts';
import { outputTail } from '../../../reports/output-tail.ts';
import { TOP_FILES } from '../../../setup/lock-files.ts';
import { missingSetupAdvice } from '../../../setup/setup-block.ts';
import { parseJson } from '../../../text/json.ts';
import { type Evidence, openRunEvidence } from '../../evidence/evidence.ts';
import { toJson } from '../../json.ts';
import { Interrupted, type RunContext } from '../../run-context.ts';
import { stepEnvironment } from '../checkout-setup.ts';
import { recordSetup, recordSetupOutput } from '../record-setup.ts';
import { sandboxStep } from '../sandbox-step.ts';
import { BASELINE_ROLE } from './baseline-record.ts';
import { cannotRun, decideBaseline, findScript, hasNoPass, UNABLE } from './baseline-verdict.ts';
import { type PreparedJudge, prepareJudge } from './judge-checkout.ts';
import { isOptional, readFindings, withDueValidators } from './optional-validators.ts';
import { keyOfValidator, resolveValidator, runValidators } from './run-validators.ts';
import { recordValidatorFiles } from './validation-evidence.ts';
import type { TriedValidator } from './validator-tries.ts';

/**
 * Runs the workflow's validators once on the base commit, in the judge checkout, exactly as they will run later.
 * Returns why the run can't continue: if checks can't run here, the agent would be blamed for it.
 */
export async function takeBaseline(context: RunContext): Promise<string | null> {
  const { deps, plan } = context;
  const steps = plan.steps
    .filter((step) => step.opcode === 'RUN_VALIDATION')
    .map((step) => withDueValidators(context, step, null));
  const hasAgent = plan.steps.some((step) => step.opcode === 'RUN_AGENT');
  if (steps.length === 0 || !hasAgent) return null;
  const recorded = context.events().find((event) => event.event_type === 'baseline_recorded');
  if (recorded?.event_type === 'baseline_recorded') return obstacleIn(recorded.payload);
  const { started } = context.view();
  if (deps.project.baseline === false || started.baseline === false) {
    await context.record([
      baselineEvent({ outcome: 'off', validators: [], cases: null, reason: null }, false),
    ]);
    return null;
  }
  const { checkoutPath } = context.workspace;
  const request = { checkout: checkoutPath, env: await stepEnvironment(context, checkoutPath) };
  const digest = (await deps.setup?.digest(request)) ?? null;
  const key = await computeKey(context, steps, digest);
  const known = await findKnown(context, key);
  const judge = known === null ? await openBaseJudge(context, steps[0]?.policies ?? []) : null;
  if (typeof judge === 'string') return judge;
  const evidence = await openRunEvidence(
    context.directory,
    '_baseline',
    context.events(),
    deps.clock,
    deps.project.secrets,
  );
  const record = known ?? (await runBaseline(context, steps, { judge, evidence, setupDigest: digest }));
  await evidence.json(BASELINE_ROLE, 'baseline.json', record, { required: true, important: true });
  const termination = record.outcome === 'unable' ? 'error' : 'completed';
  const records = await evidence.close(termination, record.reason ?? `baseline ${record.outcome}`);
  await context.record([...records, baselineEvent(record, known !== null)]);
  const obstacle = obstacleIn(record);
  if (obstacle === null && known === null) await deps.baselines?.put(key, toJson(record));
  return obstacle;
}

function obstacleIn({ outcome, reason }: Pick<BaselineRecord, 'outcome' | 'reason'>): string | null {
  return outcome === 'unable' ? (reason ?? UNABLE) : null;
}

/** The judge checkout at the base with its own setup, or why it could not be prepared. */
async function openBaseJudge(
  context: RunContext,
  policies: readonly string[],
): Promise<PreparedJudge | string> {
  const { deps, directory, workspace } = context;
  const { base_tree: tree } = context.view().started;
  const evidence = await openRunEvidence(
    directory,
    '_setup',
    context.events(),
    deps.clock,
    deps.project.secrets,
  );
  const judge = await prepareJudge(context, {
    snapshot: { commit: workspace.baseSha, tree },
    asAtBase: () => false,
    evidenceDir: evidence.path,
    mark: `${directory.runId}/_setup`,
    policies,
    onLine: (line) => context.observer.onLine('_setup', line),
  });
  if (judge.setup === null) return judge;
  await recordSetup(context, evidence, 'judge', judge.setup);
  return judge.setup.ok ? judge : judge.setup.reason;
}

/** The cache key: the same base, checks and setup give the same result. */
async function computeKey(
  context: RunContext,
  steps: readonly ValidationStep[],
  setupDigest: string | null,
): Promise<string> {
  const { deps } = context;
  const definitions = new Map<string, unknown>();
  for (const step of steps)
    for (const planned of step.validators) {
      // If several steps name a validator, the baseline runs it once, as the first of them does.
      const key = keyOfValidator(step.id, planned);
      if (!definitions.has(key))
        definitions.set(key, [resolveValidator(deps.project, planned), isOptional(planned), step.timeoutMs]);
    }
  const { confinement } = await sandboxStep(context, 'validator', [], context.workspace.judgePath);
  const facts = [
    context.view().started.base_tree,
    [...definitions],
    setupDigest,
    confinement === null ? null : confinement.network,
    Object.keys(await stepEnvironment(context, context.workspace.judgePath)).sort(),
  ];
  return sha256Hex(JSON.stringify(facts));
}

async function findKnown({ deps }: RunContext, key: string): Promise<BaselineRecord | null> {
  const text = (await deps.baselines?.find(key)) ?? null;
  const parsed = baselineRecordSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success ? parsed.data : null;
}

interface BaselineRun {
  /** The checkout that was just prepared; null if it has to be prepared. */
  readonly judge: PreparedJudge | null;
  readonly evidence: Evidence;
  readonly setupDigest: string | null;
}

async function runBaseline(
  context: RunContext,
  steps: readonly ValidationStep[],
  { judge, evidence, setupDigest }: BaselineRun,
): Promise<BaselineRecord> {
  const ended = new Map<string, BaselineValidator>();
  let current = judge;
  for (const step of steps) {
    const due = step.validators.filter((planned) => !ended.has(keyOfValidator(step.id, planned)));
    if (due.length === 0) continue;
    // Each step gets a fresh checkout; the first one uses the checkout that was just prepared.
    current ??= await reopen(context, step, evidence);
    for (const entry of await runStep(context, step, due, { judge: current, evidence }))
      ended.set(entry.key, entry);
    current = null;
  }
  return createRecord(context, [...ended.values()], setupDigest);
}

async function reopen(context: RunContext, step: ValidationStep, evidence: Evidence): Promise<PreparedJudge> {
  const { directory, workspace } = context;
  const judge = await prepareJudge(context, {
    snapshot: { commit: workspace.baseSha, tree: context.view().started.base_tree },
    asAtBase: () => false,
    evidenceDir: `${evidence.path}/${step.id}/setup`,
    mark: `${directory.runId}/_baseline`,
    policies: step.policies,
    onLine: (line) => context.observer.onLine('_baseline', line),
  });
  await recordSetupOutput(evidence, judge.setup);
  return judge;
}

async function runStep(
  context: RunContext,
  step: ValidationStep,
  due: readonly PlanValidator[],
  { judge, evidence }: { readonly judge: PreparedJudge; readonly evidence: Evidence },
): Promise<BaselineValidator[]> {
  const { deps, directory } = context;
  const atBase: PlanValidator[] = [];
  const entries: BaselineValidator[] = [];
  for (const planned of due)
    if (await isAtBase(context, planned)) atBase.push(planned);
    else entries.push(createMissing(step.id, planned));
  const { confinement } = await sandboxStep(context, 'validator', step.policies, judge.path);
  const deadline = deps.clock.now().getTime() + step.timeoutMs;
  const results = await runValidators(context, step, atBase, {
    checkout: judge.path,
    confinement,
    evidenceDir: `${evidence.path}/${step.id}`,
    stepId: step.id,
    attempt: 1,
    span: null,
    mark: `${directory.runId}/_baseline`,
    timeLeftMs: () => deadline - deps.clock.now().getTime(),
    onStop: async () => {},
    onLine: (line) => context.observer.onLine('_baseline', line),
  });
  if (results.some(({ last }) => last.outcome === 'cancelled')) throw new Interrupted();
  await recordValidatorFiles(evidence, results, 'baseline_output');
  for (const [index, result] of results.entries()) {
    const planned = atBase[index];
    if (planned !== undefined) entries.push(await createEntry(context, step.id, planned, result, judge.path));
  }
  return entries;
}

/** False for a harness that an agent has yet to write. */
async function isAtBase({ deps, workspace }: RunContext, planned: PlanValidator): Promise<boolean> {
  const script = findScript(planned);
  if (script.kind !== 'file') return script.kind === 'present';
  return deps.workspace.hasFile(workspace.baseSha, script.path);
}

function createMissing(stepId: string, planned: PlanValidator): BaselineValidator {
  return {
    id: planned.id,
    key: keyOfValidator(stepId, planned),
    ran: false,
    outcome: null,
    exit_code: null,
    signal: null,
    reason: 'not at base',
    output: '',
    findings: null,
    report: null,
  };
}

async function createEntry(
  context: RunContext,
  stepId: string,
  planned: PlanValidator,
  { last }: TriedValidator,
  checkout: string,
): Promise<BaselineValidator> {
  const { directory } = context;
  const paths = [last.stdoutPath, last.stderrPath].filter((path) => path !== null);
  const texts = await Promise.all(paths.map((path) => directory.read(path.slice(directory.path.length + 1))));
  const entry: BaselineValidator = {
    id: planned.id,
    key: keyOfValidator(stepId, planned),
    ran: true,
    outcome: last.outcome === 'cancelled' ? 'error' : last.outcome,
    exit_code: last.exitCode,
    signal: last.signal ?? null,
    reason: last.reason,
    output: last.outcome === 'completed' ? '' : outputTail(texts.map((text) => text ?? '').join('\n')),
    findings: isOptional(planned) ? await readFindings(context, last, checkout) : null,
    report: last.harnessReport?.value ?? null,
  };
  const { confinement } = await sandboxStep(context, 'validator', [], checkout);
  // An optional validator that can't run here is skipped.
  return isOptional(planned) && cannotRun(entry, confinement !== null)
    ? { ...entry, ran: false, reason: "can't run here" }
    : entry;
}

async function createRecord(
  context: RunContext,
  validators: readonly BaselineValidator[],
  setupDigest: string | null,
): Promise<BaselineRecord> {
  const lacksSetup = hasNoPass(validators) && context.deps.setup?.isConfigured !== true;
  const advice = lacksSetup ? await findAdvice(context) : null;
  const { confinement } = await sandboxStep(context, 'validator', [], context.workspace.judgePath);
  return {
    schema_version: 1,
    ...decideBaseline(validators, { advice, isSandboxed: confinement !== null }),
    base_tree: context.view().started.base_tree,
    setup_digest: setupDigest,
    validators: [...validators],
  };
}

/** The `setup` section to add, for a repository with dependencies in its lock file and no setup. */
async function findAdvice({ deps, workspace }: RunContext): Promise<string | null> {
  const texts = await deps.workspace.readFiles(workspace, workspace.baseSha, TOP_FILES);
  const files = new Map([...texts].flatMap(([name, text]) => (text === null ? [] : [[name, text] as const])));
  const { hasLockFileWithDependencies, lockFiles, block } = missingSetupAdvice(files);
  if (!hasLockFileWithDependencies) return null;
  return `${lockFiles.join(', ')} lists dependencies, and a run doesn't see those of your checkout; add this to .tnh/config.yaml:\n\n${block}`;
}

function baselineEvent(
  { outcome, validators, cases, reason }: Pick<BaselineRecord, 'outcome' | 'validators' | 'cases' | 'reason'>,
  cached: boolean,
): EventDraft {
  return {
    event_type: 'baseline_recorded',
    step_id: null,
    payload: {
      outcome,
      cached,
      validators: validators.map(({ id, ran, outcome: end, exit_code, reason: why }) => ({
        id,
        ran,
        outcome: end,
        exit_code,
        reason: why,
      })),
      cases,
      reason,
    },
  };
}
