import { type Renderable, renderHuman } from '../../../../diagnostics/render-human.ts';
import { readBody } from '../../../../work/body.ts';
import { type BodyProblem, checkReadBody } from '../../../../work/body-check.ts';
import { type BodyKind, TYPE_OF_KIND } from '../../../../work/body-template.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readText } from '../../given-text.ts';
import { expectBodyKind } from './template.ts';

/** Checks the body of a work item against its template. */
export async function lint(context: VerbContext, path: string, type: string | null): Promise<ExitCode> {
  const wanted = type === null ? null : expectBodyKind(type);
  const markdown = await readText(path);
  const body = readBody(markdown);
  const kind = wanted ?? body.kind;
  const problems = checkReadBody(body, kind === null ? null : TYPE_OF_KIND[kind]);
  if (context.json) printDocument(context, path, kind, problems);
  else printProblems(context, { name: path, text: markdown }, kind, problems);
  return problems.length === 0 ? EXIT.success : EXIT.usage;
}

function printDocument(
  context: VerbContext,
  path: string,
  kind: BodyKind | null,
  problems: readonly BodyProblem[],
): void {
  printJson(context, {
    ok: problems.length === 0,
    kind,
    problems: problems.map(({ code, message, line }) => ({ path, code, message, line })),
  });
}

function printProblems(
  { terminal: { out, paintOut } }: VerbContext,
  source: { readonly name: string; readonly text: string },
  kind: BodyKind | null,
  problems: readonly BodyProblem[],
): void {
  out(renderHuman(problems.map(renderable), source, { color: paintOut.enabled }));
  if (problems.length === 0) out(`${paintOut.green('✓')} ${source.name}: follows the ${kind} template\n`);
  else
    out(
      `${paintOut.red('✗')} ${source.name}: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}\n`,
    );
}

function renderable({ code, message, line, column, quoted }: BodyProblem): Renderable {
  const span = { line, column, endLine: line, endColumn: column + (quoted?.length ?? 1) };
  return { code, severity: 'error', message, span, label: null, related: [], notes: [], help: null };
}
