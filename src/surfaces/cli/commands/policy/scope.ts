import { text as readAll } from 'node:stream/consumers';
import { checkScope, scopeDocument } from '../../../../app/policy/check-scope.ts';
import { SCOPE_CLASSES } from '../../../../contracts/cli/cli-scope-document.ts';
import type { ScopeVerdict } from '../../../../runtime/evidence/classify-patch.ts';
import type { ScopedFile } from '../../../../work/scope/classify-scope.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readText } from '../../input-text.ts';
import { openScope } from '../../open.ts';
import { renderTable } from '../../output/table.ts';
import { printable, printLines, stdoutOf } from '../../output/terminal.ts';

export interface ScopeOptions {
  readonly item: string | null;
  readonly patch: string | null;
  readonly summary: string | null;
  readonly base: string | null;
}

/** Names the rule by which each file of a patch is in scope, or why it is not. */
export async function scope(
  context: CommandContext,
  options: ScopeOptions,
  readInput: () => Promise<string> = () => readAll(process.stdin),
): Promise<ExitCode> {
  const { item, patch, summary } = options;
  if (item === null || patch === null)
    throw new CliError(
      `scope needs ${item === null ? 'the body of a task' : 'a patch'}`,
      'conductor scope --item task.md --patch change.diff',
    );
  if ([item, patch, summary].filter((file) => file === '-').length > 1)
    throw new CliError('only one file can come from standard input', 'name the others');
  const verdict = await checkScope(
    {
      body: { name: item, text: await readText(item, 'body', readInput) },
      patch: { name: patch, text: await readText(patch, 'patch', readInput) },
      summary: summary === null ? '' : await readText(summary, 'summary', readInput),
    },
    () => openScope(context, options.base),
  );
  if (context.json) printJson(context, scopeDocument(verdict));
  else printVerdict(context, verdict);
  return verdict.ok ? EXIT.success : EXIT.unsafe;
}

function printVerdict({ terminal }: CommandContext, { files, notes, ok }: ScopeVerdict): void {
  const output = stdoutOf(terminal);
  const { paint, width } = output;
  const sorted = SCOPE_CLASSES.flatMap((kind) => files.filter((file) => file.class === kind));
  const oneLine = (text: string) => printable(text).replace(/[\n\t]/g, ' ');
  const markOf = ({ class: kind, proved }: ScopedFile) => {
    if (kind === 'out_of_scope' || kind === 'unlisted') return paint.red('✗');
    return proved === false ? paint.yellow('!') : paint.green('✓');
  };
  output.write(
    renderTable(
      sorted.map((file) => [
        markOf(file),
        file.class,
        paint.bold(oneLine(file.path)),
        paint.dim(oneLine(file.reason)),
      ]),
      '',
      { width },
    ),
  );
  printLines(output, [
    ...notes.map((note) => `${paint.yellow('!')} ${oneLine(note)}`),
    ok ? `${paint.green('✓')} in scope` : `${paint.red('✗')} not in scope`,
  ]);
}
