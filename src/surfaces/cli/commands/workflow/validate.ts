import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type ProofOptions,
  proofFailures,
  type ValidatedDocument,
  validateDocument,
  validationDocument,
  validationResult,
} from '../../../../app/validate-document.ts';
import { renderGithub } from '../../../../diagnostics/render-github.ts';
import { renderBrief, renderHuman } from '../../../../diagnostics/render-human.ts';
import { renderSarif } from '../../../../diagnostics/render-sarif.ts';
import { formatCount } from '../../../../text/count-of.ts';
import { hasErrorCode } from '../../../../text/error-code.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { CODES } from '../../../../workflow/diagnostic-codes.ts';
import { describeProofs } from '../../../../workflow/proofs/proof-text.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { printConfigWarnings } from '../../output/config-warnings.ts';
import { printDiagnostics, printLines, stderrOf, stdoutOf } from '../../output/terminal.ts';

export type ValidateFormat = 'human' | 'json' | 'sarif' | 'github';

export interface ValidateOptions extends ProofOptions {
  /** Frames warnings, too. */
  readonly verbose: boolean;
}

const EXIT_CODES = { valid: EXIT.success, invalid: EXIT.usage, unproved: EXIT.failed } as const;

export async function validate(
  context: CommandContext,
  paths: readonly string[],
  format: ValidateFormat,
  options: ValidateOptions,
): Promise<ExitCode> {
  const opened = await (await context.services()).openCheck(context.startDir);
  if (!opened.ok) throw new CliError(opened.obstacle.message, opened.obstacle.help);
  const { brokenConfig, configWarnings = [] } = opened.value;
  const files: ValidatedDocument[] = [];
  for (const path of paths) {
    const file = { path, absolutePath: resolve(path), bytes: await readSource(path) };
    files.push(await validateDocument(file, opened.value, options));
  }
  const { terminal } = context;
  if (brokenConfig !== null && files.some(({ kind }) => kind === 'workflow'))
    printLines(stderrOf(terminal), [
      `${brokenConfig.name} ${brokenConfig.problem}; names were not resolved (conductor doctor shows more)`,
    ]);
  // A configuration that is validated itself shows its own warnings.
  const validated = new Set(paths.map((path) => resolve(path)));
  printConfigWarnings(
    terminal,
    configWarnings.filter(({ name }) => !validated.has(name)),
  );
  printFiles(context, files, format, options.verbose);
  return EXIT_CODES[validationResult(files)];
}

function printFiles(
  context: CommandContext,
  files: readonly ValidatedDocument[],
  format: ValidateFormat,
  verbose: boolean,
): void {
  const { out } = context.terminal;
  switch (format) {
    case 'human':
      for (const file of files) printHuman(context, file, verbose);
      break;
    case 'json':
      out(`${formatJson(validationDocument(files))}\n`);
      break;
    case 'sarif':
      out(`${formatJson(renderSarif(files, { version: context.version, codes: CODES }))}\n`);
      break;
    case 'github':
      out(renderGithub(files));
      break;
  }
  // These formats have no place for a failed proof.
  if (format === 'sarif' || format === 'github')
    for (const file of files)
      for (const line of proofFailures(file)) context.terminal.err(`${file.path}: ${line}\n`);
}

function printHuman(context: CommandContext, file: ValidatedDocument, verbose: boolean): void {
  const output = stdoutOf(context.terminal);
  const { paint } = output;
  const render = verbose ? renderHuman : renderBrief;
  const source = { name: file.path, text: file.text };
  printDiagnostics(output, render(file.diagnostics, source, { color: paint.enabled }));
  const errors = file.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  const warnings = file.diagnostics.length - errors;
  const more = verbose ? '' : ' (--verbose shows more)';
  const notes = warnings === 0 ? '' : `, ${formatCount(warnings, 'warning')}${more}`;
  if (errors > 0)
    printLines(output, [`${paint.red('✗')} ${file.path}: ${formatCount(errors, 'error')}${notes}`]);
  else {
    const count = file.plan?.steps.length ?? null;
    const steps = count === null ? '' : `, ${formatCount(count, 'step')}`;
    const what = file.kind === 'policy' || file.kind === 'suite' ? `, a ${file.kind}` : '';
    printLines(output, [`${paint.green('✓')} ${file.path}: valid${what}${steps}${notes}`]);
  }
  const marks = { holds: paint.green('✓'), broken: paint.red('✗'), fact: ' ' };
  const proved = file.prove && file.proofs !== null ? describeProofs(file.proofs) : [];
  printLines(output, [
    ...proved.map(({ kind, text }) => `  ${marks[kind]} ${text}`),
    ...file.excesses.map(({ message }) => `  ${marks.broken} ${message}`),
  ]);
}

/** Reads a document that the command line names. */
export async function readSource(path: string): Promise<Uint8Array> {
  try {
    const found = await stat(path);
    if (found.isDirectory())
      throw new CliError(`${path} is a directory`, 'name a workflow file in it, such as implement.yaml');
    if (!found.isFile()) throw new CliError(`${path} is not a file`, 'name a file');
    return await readFile(path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR'))
      throw new CliError(
        `${path} does not exist`,
        'check the path, or run conductor init to make a first workflow',
      );
    if (hasErrorCode(error, 'EACCES'))
      throw new CliError(`${path} can't be read: permission denied`, 'make it readable for this user');
    throw error;
  }
}
