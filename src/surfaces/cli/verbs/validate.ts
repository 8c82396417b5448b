import { readFile, stat } from 'node:fs/promises';
import { hasErrors } from '../../../diagnostics/diagnostic.ts';
import { renderHuman } from '../../../diagnostics/render-human.ts';
import { renderJson } from '../../../diagnostics/render-json.ts';
import { type CheckedWorkflow, checkWorkflow } from '../../../workflow/check-workflow.ts';
import type { CheckContext } from '../../../workflow/rule.ts';
import { CliError } from '../cli-error.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hasSystemCode } from '../system-error.ts';
import type { VerbContext } from '../verb.ts';

export async function validate(
  context: VerbContext,
  paths: readonly string[],
  format: 'human' | 'json',
): Promise<ExitCode> {
  const services = await context.services();
  const opened = await services.openCheck(context.startDir);
  if (!opened.ok) throw new CliError(opened.obstacle.message, opened.obstacle.help);
  const { context: checkContext, brokenConfig } = opened.value;
  const files = [];
  for (const path of paths) files.push({ path, ...checkFile(path, await readSource(path), checkContext) });
  const { terminal } = context;
  if (brokenConfig !== null)
    terminal.err(
      `${brokenConfig.name} ${brokenConfig.problem}; names were not resolved (conductor doctor shows more)\n`,
    );
  if (format === 'json') terminal.out(`${JSON.stringify(renderJson(files), null, 2)}\n`);
  else for (const file of files) printHuman(context, file);
  return files.some((file) => hasErrors(file.diagnostics)) ? EXIT.usage : EXIT.success;
}

function checkFile(path: string, bytes: Uint8Array, context: CheckContext): CheckedWorkflow {
  return checkWorkflow({ name: path, bytes }, context);
}

function printHuman(context: VerbContext, file: CheckedWorkflow & { readonly path: string }): void {
  const { out, paintOut } = context.terminal;
  out(renderHuman(file.diagnostics, { name: file.path, text: file.text }, { color: paintOut.enabled }));
  const errors = file.diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length;
  const warnings = file.diagnostics.length - errors;
  const notes = warnings === 0 ? '' : `, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  if (errors > 0) {
    out(`${paintOut.red('✗')} ${file.path}: ${errors} ${errors === 1 ? 'error' : 'errors'}${notes}\n`);
    return;
  }
  const steps = file.plan?.steps.length ?? 0;
  out(`${paintOut.green('✓')} ${file.path}: valid, ${steps} ${steps === 1 ? 'step' : 'steps'}${notes}\n`);
}

/** The bytes of a document, or one clear line about why there are none. */
export async function readSource(path: string): Promise<Uint8Array> {
  try {
    const found = await stat(path);
    if (found.isDirectory())
      throw new CliError(`${path} is a directory`, 'name a workflow file in it, such as implement.yaml');
    if (!found.isFile()) throw new CliError(`${path} is not a file`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (hasSystemCode(error, 'ENOENT') || hasSystemCode(error, 'ENOTDIR'))
      throw new CliError(
        `${path} does not exist`,
        'check the path, or run conductor init to make a first workflow',
      );
    if (hasSystemCode(error, 'EACCES')) throw new CliError(`${path} may not be read`);
    throw error;
  }
}
