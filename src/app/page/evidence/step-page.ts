import type { PromptDocument, StepPage } from '../../../contracts/http/evidence-page.ts';
import { storedPolicySchema } from '../../../contracts/http/stored-evidence.ts';
import { stepFolderOf } from '../../../contracts/run/run-files.ts';
import { readEvidence, readEvidenceJson, readManifest } from '../../../runtime/evidence/evidence.ts';
import { lastEnded, type StepView } from '../../../runtime/record/run-view.ts';
import { attemptName, type OpenRun } from '../../runs/open-run.ts';
import { readExplanation } from '../../runs/show-run.ts';
import { describeArtifact } from './artifacts.ts';
import { compareWithBase, readValidation } from './checks.ts';
import { readClaims, readClaimsOf } from './claims.ts';
import type { EvidenceTools } from './evidence-tools.ts';
import { listStreams } from './output.ts';
import { readStoredChange } from './stored-change.ts';

const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_PROMPT_BYTES = 512 * 1024;
const PROMPT_ROLE = 'runner_prompt';

/** Everything about one attempt at a step, without what is large. */
export async function composeStepPage(run: OpenRun, tools: EvidenceTools, step: StepView): Promise<StepPage> {
  const { directory } = run.record;
  const key = attemptName(step);
  // Of a run as it was, the record has what the step left later. A gate has its evidence as soon as it asks.
  const hasLeft = step.termination !== null || step.opcode === 'GATE';
  const manifest = hasLeft ? await readManifest(directory, step) : null;
  const isAgent = hasLeft && step.opcode === 'RUN_AGENT';
  const change = isAgent ? await readStoredChange(directory, step) : null;
  return {
    run_id: run.view.runId,
    key,
    step_id: step.stepId,
    opcode: step.opcode,
    attempt: step.attempt,
    visit: step.visit,
    started_at: step.startedAt,
    ended_at: step.endedAt,
    duration_ms: durationOf(step),
    termination: step.termination,
    reason: step.reason,
    summary: manifest?.evidence_summary ?? null,
    why: hasLeft ? await explain(run, step) : null,
    claims: hasLeft ? [...(await claimsOf(run, step))] : [],
    final_response: isAgent
      ? ((
          await readEvidence(directory, step, 'runner_final_response', { firstBytes: MAX_RESPONSE_BYTES })
        )?.trim() ?? null)
      : null,
    checks: hasLeft ? await summarizeChecks(run, step) : null,
    change:
      change === null
        ? null
        : { files: change.files, insertions: change.insertions, deletions: change.deletions },
    policy: hasLeft ? await readPolicySummary(run, step) : null,
    has_prompt: manifest?.artifacts.some(({ role }) => role === PROMPT_ROLE) ?? false,
    output: (
      await listStreams(run, tools, { key, folder: stepFolderOf(step.stepId, step.attempt), step })
    ).map(({ path: _path, ...stream }) => stream),
    evidence: (manifest?.artifacts ?? []).map(describeArtifact),
  };
}

export function durationOf({ startedAt, endedAt }: StepView): number | null {
  // A clock that was set back must not give a negative time.
  return endedAt === null ? null : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}

async function explain({ record, view }: OpenRun, step: StepView): Promise<StepPage['why']> {
  const explained = await readExplanation(record.directory, step);
  if (explained === null) return null;
  const recorded = record.events.find(
    (event) =>
      event.event_type === 'decision_recorded' &&
      event.step_id === step.stepId &&
      event.payload.attempt === step.attempt,
  );
  const decision = recorded?.event_type === 'decision_recorded' ? recorded.payload : view.lastDecision;
  return {
    reason: explained.why,
    change: explained.change,
    planner: decision?.planner ?? null,
    risk_flags: decision?.risk_flags ?? [],
    blockers: (explained.decision?.blockers ?? []).map(({ code, summary }) => ({ code, summary })),
  };
}

async function claimsOf(run: OpenRun, step: StepView): Promise<StepPage['claims']> {
  if (step.opcode === 'EVALUATE') return [...(await readClaims(run, step))];
  return step.opcode === 'RUN_AGENT' ? [...(await readClaimsOf(run, step))] : [];
}

/** Of a validation its own; of an evaluation and a gate those of the last validation before. */
export async function summarizeChecks(run: OpenRun, step: StepView): Promise<StepPage['checks']> {
  const { steps } = run.view;
  const validation =
    step.opcode === 'RUN_VALIDATION'
      ? step
      : step.opcode === 'EVALUATE' || step.opcode === 'GATE'
        ? lastEnded(steps.slice(0, steps.indexOf(step)), 'RUN_VALIDATION')
        : null;
  if (validation === null || validation.termination === null) return null;
  const facts = await readValidation(run, validation);
  const failed = facts.validators.filter(({ outcome }) => outcome !== 'completed').map(({ id }) => id);
  const cases = compareWithBase(facts);
  const count = (status: string) => cases.filter((each) => each.status === status).length;
  return {
    step: attemptName(validation),
    passed: facts.validators.length - failed.length,
    total: facts.validators.length,
    failed,
    cases:
      cases.length === 0
        ? null
        : {
            passed: count('passed'),
            failed: count('failed'),
            skipped: count('skipped'),
            flaky: count('flaky'),
            total: cases.length - count('missing'),
          },
  };
}

async function readPolicySummary({ record }: OpenRun, step: StepView): Promise<StepPage['policy']> {
  const { data } = storedPolicySchema.safeParse(
    await readEvidenceJson(record.directory, step, 'policy_summary'),
  );
  if (data === undefined) return null;
  const violations = data.violations ?? [];
  return {
    notes: data.notes ?? [],
    violations: violations.map(({ class: kind, subject, message }) => ({ class: kind, subject, message })),
  };
}

/** The prompt that an agent was given; null if the step has none. */
export async function readPrompt(run: OpenRun, step: StepView): Promise<PromptDocument | null> {
  const { directory } = run.record;
  const manifest = await readManifest(directory, step);
  const artifact = manifest?.artifacts.find(({ role }) => role === PROMPT_ROLE);
  const text =
    artifact === undefined ? null : await directory.read(artifact.path, { firstBytes: MAX_PROMPT_BYTES });
  if (artifact === undefined || text === null) return null;
  return {
    run_id: run.view.runId,
    step: attemptName(step),
    text,
    bytes: artifact.bytes,
    cut: artifact.bytes > MAX_PROMPT_BYTES,
  };
}
