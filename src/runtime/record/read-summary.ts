import * as z from 'zod';
import { type LedgerEntry, ledgerSchema } from '../../contracts/planner/claim-ledger.ts';
import type { RunEvent } from '../../contracts/run/event.ts';
import { supportedReportSchema } from '../../contracts/run/harness-report.ts';
import type { CaseCounts, RunSummary } from '../../contracts/run/run-summary.ts';
import type { PlanStep } from '../../kernel/plan.ts';
import { attemptKey, type SummaryEvidence, summarizeRun } from '../../overview/summarize-run.ts';
import type { RunDirectory, RunRecord } from '../../ports/run-store.ts';
import { parseJson } from '../../text/json.ts';
import { readBaseline } from '../effects/validation/baseline-record.ts';
import type { StepKey } from '../evidence/evidence.ts';
import { excerptMessage } from '../evidence/last-message.ts';
import { readAnswer } from '../gates/open-gates.ts';
import { countGateChange, countWholeChange } from './change-count.ts';
import { readRecordedPlan } from './recorded-run.ts';
import { lastEnded, type RunView, viewRun } from './run-view.ts';

export type ReadSummary = (
  run: Pick<RunRecord, 'directory' | 'inbox' | 'events'>,
) => Promise<RunSummary | null>;

/** Reads runs and summarizes them. Runs of the same workflow share one parsed workflow. */
export function createSummaryReader(): ReadSummary {
  const promptsByDigest = new Map<string, Promise<ReadonlyMap<string, string>>>();
  return async (run) => {
    const { directory, events } = run;
    const view = viewRun(events);
    if (view === null) return null;
    const digest = view.started.workflow_digest;
    const prompts = promptsByDigest.get(digest) ?? readPrompts(directory, view);
    promptsByDigest.set(digest, prompts);
    return summarizeRun(events, await readSummaryEvidence(run, view, await prompts));
  };
}

async function readSummaryEvidence(
  { directory, inbox, events }: Parameters<ReadSummary>[0],
  view: RunView,
  prompts: ReadonlyMap<string, string>,
): Promise<SummaryEvidence> {
  const { awaiting } = view;
  const read = createEvidenceReader(directory, events);
  const [ledgers, models, lastMessage, change, cases, failingAtBase, answer] = await Promise.all([
    readLedgers(read, view),
    readModels(read, view),
    readFinalResponse(read, view),
    readChange(directory, view),
    readCases(read, view),
    readFailingAtBase(directory, events, view),
    awaiting === null ? null : readAnswer(inbox, awaiting),
  ]);
  return {
    ledgers,
    models,
    prompts,
    lastMessage,
    change,
    cases,
    failingAtBase,
    expiresAt: awaiting?.expiresAt ?? null,
    answer: answer?.answer ?? null,
  };
}

/** The texts of all artifacts of a role that an attempt at a step recorded. */
type ReadTexts = (step: StepKey, role: string) => Promise<readonly string[]>;

/** Finds evidence by the paths in the log: parsing the manifests of all steps would take longer than everything else. */
function createEvidenceReader(directory: RunDirectory, events: readonly RunEvent[]): ReadTexts {
  const attempts = new Map<string | null, number>();
  const paths = new Map<string, Set<string>>();
  for (const event of events) {
    if (event.event_type === 'step_started') attempts.set(event.step_id, event.payload.attempt);
    if (event.event_type !== 'artifact_recorded' || event.step_id === null) continue;
    const key = `${attemptKey(event.step_id, attempts.get(event.step_id) ?? 1)} ${event.payload.role}`;
    paths.set(key, (paths.get(key) ?? new Set()).add(event.payload.path));
  }
  return async ({ stepId, attempt }, role) => {
    const found = paths.get(`${attemptKey(stepId, attempt)} ${role}`) ?? new Set<string>();
    const texts = await Promise.all([...found].map((path) => directory.read(path)));
    return texts.filter((text) => text !== null);
  };
}

async function readFinalResponse(read: ReadTexts, { steps }: RunView): Promise<RunSummary['last_message']> {
  const step = lastEnded(steps, 'RUN_AGENT');
  const [text] = step === null ? [] : await read(step, 'runner_final_response');
  return step === null || text === undefined ? null : excerptMessage(step.stepId, text);
}

async function readPrompts(directory: RunDirectory, view: RunView): Promise<ReadonlyMap<string, string>> {
  const recorded = await readRecordedPlan(directory, view);
  const steps = recorded.ok ? recorded.plan.steps : [];
  return new Map(steps.flatMap((step) => promptReference(step).map((ref) => [step.id, ref] as const)));
}

function promptReference(step: PlanStep): string[] {
  if (step.opcode === 'EVALUATE') return [step.prompt];
  return step.opcode === 'RUN_AGENT' && step.prompt.kind === 'reference' ? [step.prompt.ref] : [];
}

async function readLedgers(
  read: ReadTexts,
  { steps }: RunView,
): Promise<ReadonlyMap<string, readonly LedgerEntry[]>> {
  const evaluations = steps.filter(
    ({ opcode, termination }) => opcode === 'EVALUATE' && termination !== null,
  );
  const ledgers = evaluations.map(async (step) => {
    const [text] = await read(step, 'claim_ledger');
    const { data } = ledgerSchema.safeParse(text === undefined ? null : parseJson(text));
    return [attemptKey(step.stepId, step.attempt), data?.claims ?? []] as const;
  });
  return new Map(await Promise.all(ledgers));
}

/** The model that the agent reported, or that it was started with. */
const modelSchema = z.looseObject({
  controls: z.looseObject({ effective: z.looseObject({ model: z.string() }) }),
});

async function readModels(read: ReadTexts, { steps }: RunView): Promise<ReadonlyMap<string, string>> {
  const agents = steps.filter(({ opcode }) => opcode === 'RUN_AGENT');
  const models = agents.map(async (step) => {
    const [text] = await read(step, 'runner_metadata');
    const { data } = modelSchema.safeParse(text === undefined ? null : parseJson(text));
    const key = attemptKey(step.stepId, step.attempt);
    return data === undefined ? [] : [[key, data.controls.effective.model] as const];
  });
  return new Map((await Promise.all(models)).flat());
}

/** The whole change of an ended run, or the change that an open gate shows. */
async function readChange(directory: RunDirectory, view: RunView): Promise<RunSummary['change']> {
  if (view.awaiting !== null) return countGateChange(directory, view.awaiting);
  return view.end === null ? null : countWholeChange(directory);
}

/** The cases in the reports of the last validation; null without a report. */
async function readCases(read: ReadTexts, { steps }: RunView): Promise<CaseCounts | null> {
  const validation = lastEnded(steps, 'RUN_VALIDATION');
  if (validation === null) return null;
  const reports = (await read(validation, 'harness_report')).flatMap(
    (text) => supportedReportSchema.safeParse(parseJson(text)).data ?? [],
  );
  if (reports.length === 0) return null;
  const cases = reports.flatMap((report) => report.cases);
  const failed = cases.filter(({ status }) => status === 'failed').length;
  const passed = cases.filter(({ status }) => status === 'passed' || status === 'flaky').length;
  return { passed, failed, total: cases.length };
}

async function readFailingAtBase(
  directory: RunDirectory,
  events: readonly RunEvent[],
  { baseline }: RunView,
): Promise<SummaryEvidence['failingAtBase']> {
  if (baseline?.outcome !== 'red') return new Map();
  const record = await readBaseline({ directory, events: () => events });
  const failing = new Map<string, string[]>();
  for (const { id, report } of record?.validators ?? []) {
    const cases = supportedReportSchema.safeParse(report).data?.cases ?? [];
    const failed = cases.filter(({ status }) => status === 'failed').map((each) => each.id);
    failing.set(id, [...(failing.get(id) ?? []), ...failed]);
  }
  return failing;
}
