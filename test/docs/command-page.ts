import { vi } from 'vitest';
import { jsonSchemaOf, SCHEMA_NAMES, type SchemaName } from '../../src/contracts/json-schemas.ts';
import { runCommandLine } from '../../src/surfaces/cli/program.ts';
import { renderTable } from './schema-page.ts';
import { renderShape } from './schema-shape.ts';

/** What `--help` says about a command. */
export interface CommandHelp {
  readonly usage: string;
  readonly description: string;
  readonly options: readonly (readonly [flags: string, meaning: string])[];
  readonly subcommands: readonly string[];
  readonly example: string;
}

/** Options that the page explains once, for all commands. */
const COMMON = ['--json', '--repo', '--trust', '-h,'];

/** Reads the help of a command, such as `work list`; an empty name is the program itself. */
export async function readHelp(name: string): Promise<CommandHelp> {
  const text = await printHelp(name);
  const [usage = '', description = ''] = text.split('\n\n');
  return {
    usage: usage.replace('Usage: ', '').replace(' [options]', ''),
    description: description.replaceAll('\n', ' '),
    options: entriesBelow(text, /^\S.*ptions:$/).filter(
      ([flags]) => !COMMON.includes(flags.split(' ')[0] ?? ''),
    ),
    subcommands: entriesBelow(text, /^(?!.*ptions:)\S.*:$/)
      .map(([term]) => term.split(' ')[0] ?? '')
      .filter((term) => !['help', '$'].includes(term)),
    example: /^ {2}\$ (.*)$/m.exec(text)?.[1] ?? '',
  };
}

async function printHelp(name: string): Promise<string> {
  const printed: string[] = [];
  // Each command line watches the readers of its output, for as long as the process lives.
  const streams = [process.stdout, process.stderr];
  const listeners = process.stdout.listenerCount('error');
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.push(String(text));
    return true;
  });
  try {
    await runCommandLine([...name.split(' ').filter((word) => word !== ''), '--help'], {
      version: '0',
      services: () => Promise.reject(new Error('help needs no services')),
    });
  } finally {
    write.mockRestore();
    for (const stream of streams)
      for (const listener of stream.listeners('error').slice(listeners))
        stream.off('error', listener as () => void);
  }
  return printed.join('');
}

/** The terms and texts of the lists under headings; commander wraps long texts onto indented lines. */
function entriesBelow(text: string, heading: RegExp): [string, string][] {
  const entries: [string, string][] = [];
  let isInside = false;
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) isInside = heading.test(line);
    const entry = /^ {2}(\S.*?)(?: {2,}(\S.*))?$/.exec(line);
    const last = entries.at(-1);
    if (!isInside) continue;
    if (entry !== null) entries.push([entry[1] ?? '', entry[2] ?? '']);
    else if (last !== undefined) last[1] = `${last[1]} ${line.trim()}`.trim();
  }
  return entries;
}

/** The part of the page that is generated for a command. A schema that was printed above is named, not repeated. */
export function renderCommand(name: string, help: CommandHelp, printed: Map<string, string>): string {
  const options = help.options.map(([flags, meaning]) => [`\`${flags}\``, meaning]);
  const table = options.length === 0 ? [] : [renderTable([['option', 'does'], ...options.map(escapeCells)])];
  return [
    `\`\`\`sh\n${help.example}\n\`\`\`\n`,
    `\`${help.usage}\`: ${help.description}.\n`,
    ...table,
    renderDocument(name, printed),
  ].join('\n');
}

/** The subcommands of a group, such as `work`, in two tables. */
export function renderGroup(name: string, subcommands: readonly CommandHelp[]): string {
  const rows = subcommands.map(({ usage, description }) => [`\`${usage}\``, description]);
  const options = subcommands.flatMap((subcommand) =>
    subcommand.options.map(([flags, meaning]) => [
      `\`${subcommand.usage.split(' ')[2]}\``,
      `\`${flags}\``,
      meaning,
    ]),
  );
  return [
    `\`\`\`sh\n${subcommands.map(({ example }) => example).join('\n')}\n\`\`\`\n`,
    renderTable([[`command of \`${name}\``, 'does'], ...rows.map(escapeCells)]),
    renderTable([['command', 'option', 'does'], ...options.map(escapeCells)]),
  ].join('\n');
}

function escapeCells(cells: readonly string[]): string[] {
  return cells.map((cell) => cell.replaceAll('|', '\\|'));
}

function renderDocument(name: string, printed: Map<string, string>): string {
  const schema = schemaOf(name);
  if (schema === null) return '';
  const shape = renderShape(jsonSchemaOf(schema));
  const before = printed.get(shape);
  if (before !== undefined) return `JSON: as for \`conductor ${before}\`.\n`;
  printed.set(shape, name);
  return `JSON (\`conductor schema ${schema}\`):\n\n\`\`\`text\n${shape}\n\`\`\`\n`;
}

function schemaOf(name: string): SchemaName | null {
  const candidates = [`cli.${name.replace(' ', '-')}`, `cli.${name.split(' ')[0]}`];
  return (
    SCHEMA_NAMES.find((known) => known === candidates[0]) ??
    SCHEMA_NAMES.find((known) => known === candidates[1]) ??
    null
  );
}
