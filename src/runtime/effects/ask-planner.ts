import type { LedgerEntry } from '../../contracts/planner/claim-ledger.ts';
import type { PlannerDecision } from '../../contracts/planner/planner-decision.ts';
import type { PlannerInput } from '../../contracts/planner/planner-input.ts';
import type { Evaluation } from '../../contracts/planner/planner-trace.ts';
import type { EvaluateStep } from '../../kernel/plan.ts';
import type { Effect } from '../../kernel/protocol.ts';
import { formatLedgerEntry } from '../../planner/claims/ledger.ts';
import { decidingKind } from '../../policy/files/deciding-files.ts';
import { maskSecrets } from '../../policy/secrets/secrets.ts';
import { claimLedger } from '../evidence/claim-ledger.ts';
import { assembleEnvelope } from '../evidence/envelope.ts';
import { openEvidence, readEvidence } from '../evidence/evidence.ts';
import { lastEnded } from '../record/run-view.ts';
import { type EffectResult, Interrupted, markOf, type RunContext } from '../run-context.ts';

/** The maximum length of one file's part, so that a long one doesn't crowd out the others. */
const MAX_SECTION = 4_096;
/** How many omitted files are named. */
const MAX_NAMED = 100;

/** Shortens a patch to a limit: a part of each file while there is room, some files first, then the omitted names. */
export function excerptPatch(patch: string, limit: number, isFirst: (path: string) => boolean): string {
  const sections = patch.split(/^(?=diff --git )/m).filter((part) => part.trim() !== '');
  const ordered = [
    ...sections.filter((section) => isFirst(pathOf(section))),
    ...sections.filter((section) => !isFirst(pathOf(section))),
  ];
  const shown: string[] = [];
  const left: string[] = [];
  let room = limit;
  for (const section of ordered) {
    const part = truncate(section);
    if (part.length > room) left.push(pathOf(section));
    else shown.push(part);
    room -= Math.min(part.length, room);
  }
  if (left.length === 0) return shown.join('');
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : '';
  return `${shown.join('')}\n… not shown: ${left.slice(0, MAX_NAMED).join(', ')}${more}\n`;
}

function truncate(section: string): string {
  const hidden = section.length - MAX_SECTION;
  return hidden <= 0
    ? section
    : `${section.slice(0, MAX_SECTION)}\n… ${hidden} characters more of this file\n`;
}

/** The new path of the file, from the first line of its section. */
function pathOf(section: string): string {
  const [line = ''] = section.split('\n', 1);
  return (/ "?b\/(.*?)"?$/.exec(line)?.[1] ?? line).trim();
}

/** The maximum length of a transcript or patch in a planner prompt. */
const EXCERPT_LIMIT = 16_384;

/**
 * What a planner prompt gets besides the envelope. The diff is an excerpt with a part of every file, tests and
 * configuration first; the transcript is included only if the prompt asks for it.
 */
async function evaluationInputs(
  context: RunContext,
  names: readonly string[],
  ledger: readonly LedgerEntry[],
): Promise<Readonly<Record<string, unknown>>> {
  const { plan, directory, deps } = context;
  const inputs: Record<string, unknown> = {
    ...context.view().started.inputs,
    component_kind: plan.componentKind,
    eval_profile: plan.evalProfile,
    claims: ledger.map(formatLedgerEntry),
  };
  const agent = lastEnded(context.view().steps, 'RUN_AGENT');
  const excerpt = async (role: string): Promise<string> => {
    const text = agent === null ? null : await readEvidence(directory, agent, role);
    return maskSecrets(text ?? '', deps.project.secrets ?? []);
  };
  if (names.includes('diff')) {
    const tests = deps.project.tests ?? null;
    const patch = await excerpt('workspace_diff');
    inputs.diff = excerptPatch(patch, EXCERPT_LIMIT, (path) => decidingKind(path, tests) !== null);
  }
  if (names.includes('transcript')) inputs.transcript = keepEnd(await excerpt('runner_transcript'));
  return inputs;
}

/** Keeps the end of a transcript: the agent's last actions say the most. */
function keepEnd(text: string): string {
  const cut = text.length - EXCERPT_LIMIT;
  return cut <= 0 ? text : `${cut} characters before this …\n${text.slice(-EXCERPT_LIMIT)}`;
}

type PlannerEffect = Extract<Effect, { kind: 'ask_planner' }>;

/** Stores the envelope before the planner judges it, so that every evaluation can be repeated. */
export async function askPlanner(
  context: RunContext,
  effect: PlannerEffect,
  step: EvaluateStep,
): Promise<EffectResult> {
  const { deps, directory } = context;
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  const envelope = await assembleEnvelope(context, effect, step);
  await evidence.json('planner_input', 'planner_input.json', envelope, { required: true });
  const ledger = await claimLedger(context, envelope);
  await evidence.json('claim_ledger', 'claim_ledger.json', ledger);
  const { decision, trace } = await ask(context, effect, step, { envelope, claims: ledger.claims });
  await evidence.json('planner_decision', 'planner_decision.json', decision, {
    required: true,
    important: true,
  });
  await evidence.json('planner_trace', 'planner_trace.json', trace);
  const reason = reasonOf(decision);
  const records = await evidence.close(decision.status, reason ?? 'no problem found');
  return {
    records,
    input: {
      kind: 'evaluated',
      decision: {
        status: decision.status,
        nextStep: decision.next_step,
        riskFlags: decision.risk_flags,
        blockerCodes: decision.blockers.map((blocker) => blocker.code),
        reason,
        planner: deps.planner.name,
      },
    },
  };
}

/** The planner's input. */
interface Asked {
  readonly envelope: PlannerInput;
  readonly claims: readonly LedgerEntry[];
}

/**
 * A planner that is a model or an agent counts as a runner: its start is recorded before, and its usage right after,
 * because the budget is checked when the step ends.
 */
async function ask(
  context: RunContext,
  effect: PlannerEffect,
  step: EvaluateStep,
  { envelope, claims }: Asked,
): Promise<Evaluation> {
  const { planner, clock } = context.deps;
  const { stepId, attempt } = effect;
  if (planner.family === undefined) return planner.evaluate(envelope, context.signal);
  const mark = markOf(context.directory.runId, stepId, attempt);
  const runner = { family: planner.family, name: planner.name, attempt, mark, snapshot: null };
  await context.record([{ event_type: 'runner_started', step_id: stepId, payload: runner }]);
  const startedAt = clock.now().getTime();
  const judgement = await judgeUnlessStopped(context, step, { envelope, claims }, mark);
  const payload = {
    name: planner.name,
    attempt,
    termination: judgement.trace.verdict === 'refused' ? 'error' : 'completed',
    exit_code: null,
    duration_ms: clock.now().getTime() - startedAt,
    usage: judgement.trace.usage,
  };
  await context.record([{ event_type: 'runner_completed', step_id: stepId, payload }]);
  return judgement;
}

async function judgeUnlessStopped(
  context: RunContext,
  step: EvaluateStep,
  { envelope, claims }: Asked,
  mark: string,
): Promise<Evaluation> {
  const { signal, deps } = context;
  try {
    return await deps.planner.evaluate(envelope, signal, {
      timeoutMs: step.timeoutMs,
      idleTimeoutMs: step.idleTimeoutMs,
      mark,
      inputs: (names) => evaluationInputs(context, names, claims),
    });
  } catch (error) {
    if (signal.aborted) throw new Interrupted();
    throw error;
  }
}

function reasonOf(decision: PlannerDecision): string | null {
  const summaries = decision.blockers.map((blocker) => blocker.summary);
  if (summaries.length === 0) return null;
  const shown = summaries.slice(0, 2).join('; ');
  return summaries.length > 2 ? `${shown}; and ${summaries.length - 2} more` : shown;
}
