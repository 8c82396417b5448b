import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CONFIG_FILE, firstFiles, isFromFirstFiles, WORKFLOW_FILE } from '../../../../app/first-files.ts';
import { hasErrorCode } from '../../../../text/error-code.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { trustOwnFiles } from '../../driving/ensure-trust.ts';
import { displayPath } from '../../driving/find-workflow.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { printLines, stderrOf } from '../../output/terminal.ts';

/** Creates the files that a first run needs. Never changes an existing file. */
export async function init(context: CommandContext): Promise<ExitCode> {
  const services = await context.services();
  const { repoRoot } = await openRecords(context);
  const files = firstFiles({
    validators: await services.detectValidators(repoRoot),
    setup: await services.detectSetup(repoRoot),
    workflow: await readFile(join(services.packageRoot, 'workflows', 'implement.yaml'), 'utf8'),
  });
  const created: string[] = [];
  const kept: string[] = [];
  for (const { path, text } of files)
    ((await createFile(join(repoRoot, path), text)) ? created : kept).push(path);
  if (created.includes(CONFIG_FILE))
    await trustOwnFiles(
      context,
      { allWorkflows: created.includes(WORKFLOW_FILE), work: true },
      isFromFirstFiles,
    );
  if (context.json) printJson(context, { created, kept });
  else printCreated(context, repoRoot, created, kept);
  return EXIT.success;
}

function printCreated(
  context: CommandContext,
  repoRoot: string,
  created: readonly string[],
  kept: readonly string[],
): void {
  const { paint } = context.terminal;
  const next = [
    `name an agent in ${CONFIG_FILE}, and commit .tnh`,
    'conductor doctor',
    `conductor validate ${displayPath(join(repoRoot, WORKFLOW_FILE))}`,
    'conductor run implement --input task="what to do"',
  ];
  printLines(stderrOf(context.terminal), [
    ...created.map((path) => `${paint.green('+')} ${path}`),
    ...kept.map((path) => paint.dim(`= ${path} already exists`)),
    '',
    'next:',
    ...next.map((line) => `  ${withRepo(line, context.repo)}`),
  ]);
}

/** Returns false if the file already exists. */
async function createFile(path: string, text: string): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST') && (await isFile(path))) return false;
    const reason = error instanceof Error ? error.message : String(error);
    const isBlocked = hasErrorCode(error, 'EEXIST') || hasErrorCode(error, 'ENOTDIR');
    throw new CliError(
      `${path} can't be created: ${reason}`,
      isBlocked ? 'a file has the name of a folder: move it away' : 'make the folder writable',
    );
  }
}

async function isFile(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    () => false,
  );
}
