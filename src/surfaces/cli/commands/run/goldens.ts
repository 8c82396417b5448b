import { type GoldenRecord, readGoldenHistory } from '../../../../app/runs/golden-history.ts';
import { proposalDetails, proposalTitle } from '../../../../runtime/goldens/golden-proposal.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRun } from '../../open.ts';
import { paintChange } from '../../output/patch-text.ts';
import { formatAge, type Paint, printable } from '../../output/terminal.ts';

/** Shows the goldens that a run proposed, the decision on each, and its difference from the stored one. */
export async function goldens(context: CommandContext, runRef: string): Promise<ExitCode> {
  const { record, records, view } = await openRun(context, runRef);
  const found = await readGoldenHistory(record.directory, record.events);
  if (context.json) {
    printJson(context, {
      run_id: view.runId,
      goldens: found.map(({ proposal, ...rest }) => ({ ...proposal, ...rest })),
    });
    return EXIT.success;
  }
  const { page, err, paintOut } = context.terminal;
  if (found.length === 0) err(`run ${view.runId} proposes no goldens\n`);
  const now = records.clock.now();
  await page(found.map((golden) => `${goldenLines(paintOut, golden, now).join('\n')}\n`).join(''));
  if (found.length > 0) err(`files are in ${record.directory.path}\n`);
  return EXIT.success;
}

function goldenLines(paint: Paint, { proposal, ...record }: GoldenRecord, now: Date): string[] {
  return [
    `${stateText(paint, record, now)}  ${printable(proposalTitle(proposal)).replaceAll('\n', ' ')}`,
    ...proposalDetails(proposal).map((detail) => paint.dim(`    ${printable(detail)}`)),
    ...(proposal.difference ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `    ${paintChange(paint, printable(line))}`),
  ];
}

function stateText(paint: Paint, { state, by, at }: Omit<GoldenRecord, 'proposal'>, now: Date): string {
  const who = `${by === null ? '' : ` by ${printable(by)}`}${at === null ? '' : ` ${formatAge(now.getTime() - Date.parse(at))} ago`}`;
  const text = `${state.replace('_', ' ')}${who}`;
  switch (state) {
    case 'pending':
      return paint.yellow(text);
    case 'accepted':
      return paint.green(text);
    case 'rejected':
    case 'timed_out':
    case 'not_accepted':
      return paint.red(text);
    case 'superseded':
      return paint.dim(text);
  }
}
