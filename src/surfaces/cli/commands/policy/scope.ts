import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { SCOPE_CLASSES } from '../../../../contracts/cli/cli-scope-document.ts';
import { parsePatch } from '../../../../policy/patch.ts';
import { judgeScope, type ScopeVerdict } from '../../../../runtime/evidence/classify-patch.ts';
import { readBody } from '../../../../work/bodies/body.ts';
import type { ScopedFile } from '../../../../work/scope/classify-scope.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openScope } from '../../open.ts';
import { renderTable } from '../../output/table.ts';
import { printable } from '../../output/terminal.ts';

export interface ScopeOptions {
  readonly item: string | null;
  readonly patch: string | null;
  readonly summary: string | null;
  readonly base: string | null;
}

const STDIN = '-';

/** Says of each file of a patch by which rule it is in order, or why it is not. */
export async function scope(
  context: VerbContext,
  options: ScopeOptions,
  readInput: () => Promise<string> = () => readAll(process.stdin),
): Promise<ExitCode> {
  const { item, patch, summary } = options;
  if (item === null || patch === null)
    throw new CliError(
      `scope needs ${item === null ? 'the body of a task' : 'a patch'}`,
      'conductor scope --item task.md --patch change.diff',
    );
  if ([item, patch, summary].filter((file) => file === STDIN).length > 1)
    throw new CliError('only one file can come from standard input', 'name the others');
  const read = (what: string, file: string) => (file === STDIN ? readInput() : readNamed(what, file));
  const { inScope, outOfScope, sections } = readBody(await read('body', item));
  if (!sections.some(({ name }) => name === 'In Scope'))
    throw new CliError(
      `${item} has no section In Scope`,
      'the body of a task lists its files under a heading "In Scope"',
    );
  if (inScope.length === 0)
    throw new CliError(`${item} lists no file under In Scope`, 'name each file in a list item of its own');
  const parsed = parsePatch(await read('patch', patch));
  if (!parsed.ok)
    throw new CliError(
      `${patch} is not a patch that can be judged: line ${parsed.line}: ${parsed.message}`,
      'git diff makes one',
    );
  const words = summary === null ? '' : await read('summary', summary);
  const verdict = await judgeScope({
    inScope,
    outOfScope,
    patch: parsed,
    summary: words,
    ...(await openScope(context, options.base)),
  });
  if (context.json) printJson(context, { ok: verdict.ok, files: verdict.files, notes: verdict.notes });
  else printVerdict(context, verdict);
  return verdict.ok ? EXIT.success : EXIT.unsafe;
}

async function readNamed(what: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null)
    throw new CliError(`the ${what} ${file} can't be read`, 'name a file, or - for standard input');
  return text;
}

function printVerdict({ terminal: { out, paintOut } }: VerbContext, verdict: ScopeVerdict): void {
  const { files, notes, ok } = verdict;
  const sorted = SCOPE_CLASSES.flatMap((kind) => files.filter((file) => file.class === kind));
  const oneLine = (text: string) => printable(text).replace(/[\n\t]/g, ' ');
  const markOf = ({ class: kind, proved }: ScopedFile) => {
    if (kind === 'out_of_scope' || kind === 'unlisted') return paintOut.red('✗');
    return proved === false ? paintOut.yellow('!') : paintOut.green('✓');
  };
  out(
    renderTable(
      sorted.map((file) => [
        markOf(file),
        file.class,
        paintOut.bold(oneLine(file.path)),
        paintOut.dim(oneLine(file.reason)),
      ]),
    ),
  );
  for (const note of notes) out(`${paintOut.yellow('!')} ${oneLine(note)}\n`);
  out(ok ? `${paintOut.green('✓')} in scope\n` : `${paintOut.red('✗')} not in scope\n`);
}
