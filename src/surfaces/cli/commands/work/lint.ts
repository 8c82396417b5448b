import { type Renderable, renderHuman } from '../../../../diagnostics/render-human.ts';
import { formatCount } from '../../../../text/count-of.ts';
import { readBody } from '../../../../work/bodies/body.ts';
import { type BodyKind, TYPE_OF_KIND } from '../../../../work/bodies/body-template.ts';
import { type BodyProblem, checkReadBody } from '../../../../work/bodies/check-body.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { readText } from '../../input-text.ts';
import { printDiagnostics, printLines, stdoutOf } from '../../output/terminal.ts';
import { expectBodyKind } from './template.ts';

/** Checks the body of a work item against its template. */
export async function lint(context: CommandContext, path: string, type: string | null): Promise<ExitCode> {
  const wanted = type === null ? null : expectBodyKind(type);
  const markdown = await readText(path);
  const body = readBody(markdown);
  const kind = wanted ?? body.kind;
  const problems = checkReadBody(body, kind === null ? null : TYPE_OF_KIND[kind]);
  if (context.json) printDocument(context, path, kind, problems);
  else printText(context, { name: path, text: markdown }, kind, problems);
  return problems.length === 0 ? EXIT.success : EXIT.usage;
}

function printDocument(
  context: CommandContext,
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

function printText(
  { terminal }: CommandContext,
  source: { readonly name: string; readonly text: string },
  kind: BodyKind | null,
  problems: readonly BodyProblem[],
): void {
  const output = stdoutOf(terminal);
  const { paint } = output;
  printDiagnostics(output, renderHuman(problems.map(toRenderable), source, { color: paint.enabled }));
  if (problems.length === 0)
    printLines(output, [`${paint.green('✓')} ${source.name}: follows the ${kind} template`]);
  else printLines(output, [`${paint.red('✗')} ${source.name}: ${formatCount(problems.length, 'problem')}`]);
}

function toRenderable({ code, message, line, column, quoted }: BodyProblem): Renderable {
  const span = { line, column, endLine: line, endColumn: column + (quoted?.length ?? 1) };
  return { code, severity: 'error', message, span, label: null, related: [], notes: [], help: helpFor(code) };
}

function helpFor(code: BodyProblem['code']): string | null {
  return code === 'WR401'
    ? 'start from `conductor work template task` or `conductor work template refinement`'
    : null;
}
