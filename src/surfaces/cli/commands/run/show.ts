import { plannerDecisionSchema } from '../../../../contracts/planner/planner-decision.ts';
import { PLANNER_STATUSES } from '../../../../contracts/vocabulary.ts';
import { ledgerLine } from '../../../../planner/claims/ledger.ts';
import { parseEnvelope } from '../../../../planner/envelope.ts';
import { reasonsFor, reasonsOfMisfit } from '../../../../planner/table/explain-evaluation.ts';
import { readLedger } from '../../../../runtime/evidence/claim-ledger.ts';
import { readEvidenceJson, readManifest } from '../../../../runtime/evidence/evidence.ts';
import { findingsOf } from '../../../../runtime/evidence/findings.ts';
import { type LastWord, quoteLines, readLastWord } from '../../../../runtime/evidence/last-message.ts';
import { allNotes } from '../../../../runtime/evidence/standing-checks.ts';
import { hasExpired, readAnswer } from '../../../../runtime/gates/open-gates.ts';
import { findEarlierRun } from '../../../../runtime/record/earlier-run.ts';
import { lastEnded, parkedView, type StepView } from '../../../../runtime/record/run-view.ts';
import { wrapLine } from '../../../../text/wrap-line.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { openGateLines } from '../../driving/driving.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { type OpenRun, openRun, shortIdsIn } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { stepLine } from '../../output/progress.ts';
import { runDocument } from '../../output/run-document.ts';
import { nextCommands, renderSummary, stepState } from '../../output/summary.ts';
import { printable, textWidth } from '../../output/terminal.ts';

export async function show(context: VerbContext, wanted: string): Promise<ExitCode> {
  const open = await openRun(context, wanted);
  const { view, record } = open;
  const findings = await findingsOf(record.directory, view.steps);
  if (context.json) {
    printJson(context, runDocument(view, record.directory.path, findings));
    return EXIT.success;
  }
  const { out, paintOut } = context.terminal;
  const paint = { paint: paintOut };
  const id = (await shortIdsIn(open.records))(view.runId);
  out(
    renderSummary(paint, {
      view,
      id,
      driven: record.driverPid !== null,
      runDirectory: record.directory.path,
      diffStat: [],
      findings,
      checks: await allNotes({ directory: record.directory, view: () => view }),
      gate: await openGateLines(context.terminal, open.records, view, record.directory),
      nextCommands: await waitingCommands(context, open, id),
      width: textWidth(context.terminal, 0),
    }),
  );
  if (view.steps.length > 0) out(`${paintOut.bold('  steps')}\n`);
  for (const step of view.steps) {
    if (step.opcode === 'STOP') continue;
    const reasons = await reasonLines(open, step);
    // The reasons say it in full.
    const shown = reasons.length === 0 ? step : { ...step, reason: null };
    const lines = [
      `    ${stepLine(paint, shown, { unended: stepState(view, step, record.driverPid !== null) })}`,
      ...reasons.map((line) => `        ${printable(line)}`),
      ...(await evidenceLines(open, step)).map((line) => `        ${paintOut.dim(line)}`),
    ];
    for (const line of lines.flatMap((each) => wrapLine(each, textWidth(context.terminal, 0))))
      out(`${line}\n`);
  }
  return EXIT.success;
}

/** A run that waits tells what to type; of others, `show` only tells. */
async function waitingCommands(
  context: VerbContext,
  { view, record, records }: OpenRun,
  id: string,
): Promise<string[]> {
  const { awaiting } = view;
  if (view.end === null && findEarlierRun(view) !== null)
    return [withRepo(`conductor cancel ${id}`, context.repo)];
  const parked = parkedView(view);
  if (parked !== null)
    return nextCommands({ kind: 'parked', parked, view }, id).map((command) =>
      withRepo(command, context.repo),
    );
  if (awaiting === null) return [];
  const settled =
    hasExpired(awaiting, records.clock.now()) || (await readAnswer(record.directory, awaiting)) !== null;
  const commands = settled
    ? [`conductor resume ${id}`]
    : nextCommands({ kind: 'waiting', awaiting, view }, id).slice(1);
  return commands.map((command) => withRepo(command, context.repo));
}

/** Why a judgement came out as it did, what would change it, and what the agent's claims were worth. */
async function reasonLines({ record, view }: OpenRun, step: StepView): Promise<string[]> {
  const status = PLANNER_STATUSES.find((known) => known === step.termination);
  if (step.opcode !== 'EVALUATE' || status === undefined) return [];
  const stored = await readEvidenceJson(record.directory, step, 'planner_input');
  if (stored === null) return [];
  const input = parseEnvelope(stored);
  const decision = plannerDecisionSchema.safeParse(
    await readEvidenceJson(record.directory, step, 'planner_decision'),
  );
  const { why, change } = input.ok
    ? reasonsFor(input.envelope, status, decision.data?.blockers)
    : reasonsOfMisfit(input.problems);
  const claims = (await readLedger(record.directory, step)).map(ledgerLine);
  const isLast = step === lastEnded(view.steps, 'EVALUATE') && view.awaiting === null;
  const said = isLast ? await readLastWord({ directory: record.directory, view: () => view }) : null;
  return [`why: ${why}`, `it would change with: ${change}`, ...claims, ...wordLines(said)];
}

/** A gate shows it itself. */
function wordLines(said: LastWord | null): string[] {
  return said === null ? [] : [`final response of ${said.step_id}:`, ...quoteLines(said)];
}

/** What a reader should look at first; the manifest names the rest. */
async function evidenceLines({ record }: OpenRun, step: StepView): Promise<string[]> {
  const manifest = await readManifest(record.directory, step);
  return (manifest?.artifacts ?? [])
    .filter((artifact) => artifact.important && artifact.bytes > 0)
    .map((artifact) => `${artifact.role}  ${artifact.path}`);
}
