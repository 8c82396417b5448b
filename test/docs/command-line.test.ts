import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommandHelp, readHelp, renderCommand, renderGroup } from './command-page.ts';
import { ROOT, readPage } from './markdown.ts';

const PATH = 'docs/reference/command-line.md';
const GENERATED = /<!-- generated: conductor ([a-z ]+) -->\n[\s\S]*?<!-- \/generated -->\n/g;
/** Groups whose subcommands share a section. */
const TABLES = ['work'];

/** Every command that can be run, such as `run` and `worktree list`, and the groups that have a table. */
async function readCommands(): Promise<ReadonlyMap<string, CommandHelp>> {
  const { subcommands: names } = await readHelp('');
  const found = new Map<string, CommandHelp>();
  for (const name of names) {
    const help = await readHelp(name);
    const isGroup = help.usage.endsWith(' <command>');
    if (!isGroup || TABLES.includes(name)) found.set(name, help);
    for (const subcommand of help.subcommands)
      found.set(`${name} ${subcommand}`, await readHelp(`${name} ${subcommand}`));
  }
  return found;
}

const page = await readPage(PATH);
const commands = await readCommands();
const isInTable = (name: string) => TABLES.some((group) => name.startsWith(`${group} `));

/** `vitest -u` writes the page: usage, options, example and JSON of each command, from its definition and its schema. */
function renderPage(): string {
  const printed = new Map<string, string>();
  return page.text.replace(GENERATED, (_, name: string) => {
    const help = commands.get(name);
    if (help === undefined)
      throw new Error(`${PATH} has a generated part for "${name}", which is no command`);
    const text = TABLES.includes(name)
      ? renderGroup(
          name,
          [...commands].filter(([key]) => key.startsWith(`${name} `)).map(([, subcommand]) => subcommand),
        )
      : renderCommand(name, help, printed);
    return `<!-- generated: conductor ${name} -->\n\n${text}\n<!-- /generated -->\n`;
  });
}

describe('the reference of the command line', () => {
  it('has a generated part for every command', () => {
    expect(commands.size).toBeGreaterThan(40);
    const parts = [...page.text.matchAll(GENERATED)].map((match) => match[1] ?? '');
    expect(parts.sort()).toEqual([...commands.keys()].filter((name) => !isInTable(name)).sort());
  });

  it('is as it would be written anew', async () => {
    await expect(renderPage()).toMatchFileSnapshot(join(ROOT, PATH));
  });
});
