import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { jsonSchemaText } from '../../../../contracts/json-schemas.ts';
import type { ComparedPart } from '../../../../trust/compare-parts.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { trustOwnFiles } from '../../driving/ensure-trust.ts';
import { displayPath } from '../../driving/find-workflow.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openRecords } from '../../open.ts';
import { withRepo } from '../../output/command-text.ts';
import { hasSystemCode } from '../../system-error.ts';
import { firstConfig } from './first-config.ts';

/** Makes what a first run needs. A file that is there stays as it is. */
export async function init(context: VerbContext): Promise<ExitCode> {
  const services = await context.services();
  const { repoRoot } = await openRecords(context);
  const home = join(repoRoot, '.tnh');
  const workflow = await readFile(join(services.packageRoot, 'workflows', 'implement.yaml'), 'utf8');
  const config = firstConfig(await services.detectValidators(repoRoot), await services.detectSetup(repoRoot));
  const files = [
    {
      path: join(home, 'config.yaml'),
      text: schemaLine('schemas/config.json') + config,
    },
    {
      path: join(home, 'workflows', 'implement.yaml'),
      text: schemaLine('../schemas/workflow.json') + workflow,
    },
    { path: join(home, 'schemas', 'config.json'), text: jsonSchemaText('config') },
    { path: join(home, 'schemas', 'workflow.json'), text: jsonSchemaText('workflow') },
    { path: join(home, 'policies', '.gitkeep'), text: '' },
    { path: join(home, 'prompts', '.gitkeep'), text: '' },
    { path: join(home, '.gitignore'), text: '/run/\n/worktrees/\n' },
  ];
  const created: string[] = [];
  const kept: string[] = [];
  for (const { path, text } of files) {
    const made = await createFile(path, text);
    (made ? created : kept).push(relative(repoRoot, path));
  }
  await trustWhatWasMade(context, created);
  if (context.json) {
    printJson(context, { created, kept });
    return EXIT.success;
  }
  const { err, paint } = context.terminal;
  for (const path of created) err(`${paint.green('+')} ${path}\n`);
  for (const path of kept) err(`${paint.dim(`= ${path} is there already`)}\n`);
  const path = displayPath(join(repoRoot, '.tnh/workflows/implement.yaml'));
  const next = [
    'name an agent in .tnh/config.yaml, and commit .tnh',
    'conductor doctor',
    `conductor validate ${path}`,
    'conductor run implement --input task="what to do"',
  ];
  err(`\nnext:\n${next.map((line) => `  ${withRepo(line, context.repo)}\n`).join('')}`);
  return EXIT.success;
}

const CONFIG_FILE = '.tnh/config.yaml';
const WORKFLOW_FILE = '.tnh/workflows/implement.yaml';

/** The user has just had these files written; what stood there before needs its own yes. */
async function trustWhatWasMade(context: VerbContext, created: readonly string[]): Promise<void> {
  if (!created.includes(CONFIG_FILE)) return;
  const isOwn = ({ kind, name }: ComparedPart) =>
    kind === 'workflow' ? name === 'implement' : kind !== 'agent settings';
  await trustOwnFiles(context, { allWorkflows: created.includes(WORKFLOW_FILE), work: true }, isOwn);
}

/** Tells editors where the schema is. The path is relative to the file, so that it holds in every clone. */
function schemaLine(path: string): string {
  return `# yaml-language-server: $schema=${path}\n`;
}

async function createFile(path: string, text: string): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasSystemCode(error, 'EEXIST') && (await isFile(path))) return false;
    const reason = error instanceof Error ? error.message : String(error);
    const blocked = hasSystemCode(error, 'EEXIST') || hasSystemCode(error, 'ENOTDIR');
    throw new CliError(
      `${path} can't be made: ${reason}`,
      blocked ? 'a file is in the place of a folder: move it away' : 'make the folder writable',
    );
  }
}

async function isFile(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    () => false,
  );
}
