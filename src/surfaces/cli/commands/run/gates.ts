import {
  gatesDocument,
  type ListedGate,
  type ListedGates,
  listGates,
} from '../../../../app/runs/list-gates.ts';
import { type ShortId, shortIdsOf } from '../../../../overview/short-ids.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords, recordError } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { answeredText, renderGate } from '../../output/gate-lines.ts';
import { type Output, printable, printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';

const INDENT = '    ';

export async function gates(context: CommandContext): Promise<ExitCode> {
  const records = await openRecords(context);
  const listed = await listGates(records);
  const short = shortIdsOf(listed.runIds);
  const notes = stderrOf(context.terminal);
  printLines(
    notes,
    listed.unreadable.map((each) => describeUnreadable(each, short)),
  );
  if (context.json) {
    printJson(context, gatesDocument(listed));
    return EXIT.success;
  }
  if (listed.gates.length === 0) printLines(notes, ['no gate is open']);
  const output = stdoutOf(context.terminal);
  for (const gate of listed.gates)
    printLines(output, listGate(output, gate, records.clock.now(), short(gate.runId), context.repo));
  return EXIT.success;
}

function describeUnreadable({ runId, problem }: ListedGates['unreadable'][number], short: ShortId): string {
  const { message } = problem instanceof Error ? problem : recordError(runId, problem);
  return `skipped run ${short(runId)}: ${message}`;
}

function listGate(
  { paint, width }: Output,
  gate: ListedGate,
  now: Date,
  id: string,
  repo: string | null,
): string[] {
  const { workflowId, awaiting, title } = gate;
  const next = nextCommands(id, gate).map((text) => withRepo(text, repo));
  const inOneLine = `${INDENT}${next.join(' · ')}`;
  return [
    `${paint.yellow('?')} ${paint.bold(`${workflowId} / ${awaiting.stepId}`)}  ${awaiting.gate}  ${id}`,
    ...(title === null ? [] : [`${INDENT}${printable(title)}`]),
    ...renderGate(gate, { now, width: width - INDENT.length, id }).map((line) => `${INDENT}${line}`),
    ...(inOneLine.length <= width ? [inOneLine] : next.map((each) => `${INDENT}${each}`)),
  ];
}

function nextCommands(id: string, { answer, isExpired }: ListedGate): string[] {
  if (answer !== null) return [`${answeredText(answer)}; run conductor resume ${id}`];
  if (isExpired) return [`conductor resume ${id} takes the route for that`];
  return [`conductor show ${id}`, `conductor approve ${id} --resume`, `conductor reject ${id} --resume`];
}
