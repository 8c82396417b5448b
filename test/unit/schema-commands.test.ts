import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { jsonSchemaOf, SCHEMA_NAMES } from '../../src/contracts/json-schemas.ts';
import type { CommandContext } from '../../src/surfaces/cli/command-context.ts';
import { init } from '../../src/surfaces/cli/commands/start/init.ts';
import { type GraphFormat, graph } from '../../src/surfaces/cli/commands/workflow/graph.ts';
import { schema } from '../../src/surfaces/cli/commands/workflow/schema.ts';
import { createServices } from '../../src/wiring.ts';
import { makeRepo } from '../../testing/git-repo.ts';
import { listeningTerminal } from './cli/listening-terminal.ts';
import { schemaProblems } from './json-schema-check.ts';
import { mutate, patternA } from './workflow/check.ts';

let repo: Awaited<ReturnType<typeof makeRepo>>;
beforeAll(async () => {
  repo = await makeRepo({ files: { 'package.json': '{"scripts":{"test":"true"}}' } });
});
afterAll(() => repo.cleanup());

/** A command context that keeps the output. */
function listen(json = false) {
  const { terminal, written } = listeningTerminal();
  const context: CommandContext = {
    terminal,
    services: async () => createServices('0.0.0'),
    json,
    startDir: repo.root,
    version: '0.0.0',
    repo: null,
    keepRunning: () => {},
    endWithReader: () => {},
    leaveTerminal: null,
  };
  return { context, written };
}

describe('conductor schema', () => {
  it('lists the names without one', () => {
    const { context, written } = listen();
    expect(schema(context, null)).toBe(0);
    expect(written.out.split('\n').map((line) => line.split(' ')[0])).toEqual([...SCHEMA_NAMES, '']);
  });

  it.each(SCHEMA_NAMES)('prints the schema and nothing else: %s', (name) => {
    const { context, written } = listen();
    expect(schema(context, name)).toBe(0);
    expect(JSON.parse(written.out)).toEqual(jsonSchemaOf(name));
    expect(written.err).toBe('');
  });

  it('adds the version of the output with --json', () => {
    const { context, written } = listen(true);
    schema(context, 'workflow');
    expect(JSON.parse(written.out)).toEqual({ schema_version: 1, ...jsonSchemaOf('workflow') });
  });

  it.each([
    ['planner-resutl', /^no schema "planner-resutl"$/, /did you mean planner-result\?/],
    ['cli.rum', /^no schema "cli\.rum"$/, /did you mean cli\.run\?/],
    ['cli.nothing-like-it', /^no schema "cli\.nothing-like-it"$/, /cli\.COMMAND/],
    ['workflwo', /^no schema "workflwo"$/, /did you mean workflow\?/],
    ['toString', /^no schema "toString"$/, /workflow, config/],
  ])('refuses %s with a line that says why', (name, message, help) => {
    expect(() => schema(listen().context, name)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(message),
        help: expect.stringMatching(help),
        exitCode: 2,
      }),
    );
  });
});

describe('conductor init', () => {
  it.each(['.tnh/config.yaml', '.tnh/workflows/implement.yaml'])(
    'leads editors from %s to a schema that accepts it',
    async (path) => {
      await init(listen().context);
      const file = join(repo.root, path);
      const text = await readFile(file, 'utf8');
      const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1] ?? '';
      expect(named).toMatch(/^(?:\.\.\/)?schemas\//);
      const found: unknown = JSON.parse(await readFile(resolve(dirname(file), named), 'utf8'));
      expect(found).toEqual(jsonSchemaOf(path.includes('config') ? 'config' : 'workflow'));
      expect(
        schemaProblems(jsonSchemaOf(path.includes('config') ? 'config' : 'workflow'), parse(text)),
      ).toEqual([]);
    },
  );

  it('leaves an existing schema as it is', async () => {
    await init(listen().context);
    const path = join(repo.root, '.tnh', 'schemas', 'workflow.json');
    await writeFile(path, '{}');
    await init(listen().context);
    expect(await readFile(path, 'utf8')).toBe('{}');
  });
});

describe('conductor graph', () => {
  async function draw(text: string, format: GraphFormat, json = false) {
    const path = join(repo.root, 'drawn.yaml');
    await writeFile(path, text);
    const { context, written } = listen(json);
    return { code: await graph(context, path, format), ...written };
  }

  it.each([
    ['mermaid', /^%% generative_eval\nflowchart TD\n/],
    ['dot', /^digraph "generative_eval" \{\n/],
    ['svg', /^<svg [\s\S]*<\/svg>\n$/],
  ] as const)('draws a valid workflow as %s, whatever its agents', async (format, start) => {
    const { code, out, err } = await draw(patternA.replaceAll('claude-code', 'nobody-knows'), format);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(start);
  });

  it('gives the picture as text with --json', async () => {
    const plain = await draw(patternA, 'dot');
    expect(JSON.parse((await draw(patternA, 'dot', true)).out)).toEqual({
      schema_version: 1,
      format: 'dot',
      graph: plain.out,
    });
  });

  it('draws nothing from a workflow with an error, and says what is wrong', async () => {
    const broken = mutate(['partial: "fix"', 'partial: "elsewhere"']);
    const plain = await draw(broken, 'svg');
    expect(plain).toMatchObject({ code: 2, out: '', err: expect.stringContaining('error[WF202]') });
    expect(JSON.parse((await draw(broken, 'svg', true)).out)).toMatchObject({ schema_version: 1, ok: false });
  });
});
