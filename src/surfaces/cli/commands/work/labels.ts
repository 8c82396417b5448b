import { LABELS } from '../../../../work/items/labels.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { renderTable } from '../../output/table.ts';
import { withWork } from '../../output/work/session.ts';

/** Creates missing labels of work items, and lists them. Does not touch other labels. */
export async function labels(context: VerbContext): Promise<ExitCode> {
  return withWork(context, { jobs: null }, async ({ setUpLabels }) => {
    const made = new Set(await setUpLabels());
    if (context.json) {
      printJson(context, { labels: LABELS.map((label) => ({ ...label, made: made.has(label.name) })) });
      return EXIT.success;
    }
    const { out, err, paintOut } = context.terminal;
    out(
      renderTable(
        LABELS.map(({ name, description }) => [
          made.has(name) ? paintOut.green('+') : ' ',
          name,
          paintOut.dim(description),
        ]),
      ),
    );
    err(made.size === 0 ? 'all of them exist\n' : `created ${made.size} of ${LABELS.length}\n`);
    return EXIT.success;
  });
}
