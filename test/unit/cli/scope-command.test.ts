import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonSchemaOf } from '../../../src/contracts/json-schemas.ts';
import { exitCodeOfError } from '../../../src/surfaces/cli/cli-error.ts';
import type { CommandContext } from '../../../src/surfaces/cli/command-context.ts';
import { type ScopeOptions, scope } from '../../../src/surfaces/cli/commands/policy/scope.ts';
import { createServices } from '../../../src/wiring.ts';
import { makeRepo } from '../../../testing/git-repo.ts';
import { schemaProblems } from '../json-schema-check.ts';
import { listeningTerminal } from './listening-terminal.ts';

const BODY = '### In Scope\n\n- src/a.ts\n\n### Out of Scope\n\n- src/frozen.ts (owned by #7)\n';
const hunk = (path: string, old: string, now: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${old}\n+${now}\n`;

let folder = '';
let repo: Awaited<ReturnType<typeof makeRepo>>;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-scope-')));
  repo = await makeRepo({ files: { 'src/b.ts': 'f(1);\n' } });
  await writeFile(join(folder, 'task.md'), BODY);
});
afterAll(async () => {
  await repo.cleanup();
  await rm(folder, { recursive: true });
});

interface Asked extends Partial<ScopeOptions> {
  readonly patchText?: string;
  readonly summaryText?: string;
  readonly json?: boolean;
  readonly inRepo?: boolean;
  readonly input?: string;
}

async function ask({ patchText, summaryText, json, inRepo, input, ...options }: Asked) {
  const { terminal, written } = listeningTerminal();
  const context: CommandContext = {
    terminal,
    services: async () => createServices('0.0.0'),
    json: json ?? false,
    startDir: inRepo === true ? repo.root : folder,
    version: '0.0.0',
    repo: null,
    keepRunning: () => {},
    endWithReader: () => {},
    leaveTerminal: null,
  };
  const patch = join(folder, 'change.diff');
  const summary = join(folder, 'summary.md');
  if (patchText !== undefined) await writeFile(patch, patchText);
  if (summaryText !== undefined) await writeFile(summary, summaryText);
  const named = { patch, summary: summaryText === undefined ? null : summary };
  const asked = { item: join(folder, 'task.md'), base: null, ...named, ...options };
  const code = await scope(context, asked, async () => input ?? '');
  return { code, ...written };
}

describe('conductor scope', () => {
  it.each<readonly [string, Asked, number, string]>([
    ['a file in scope', { patchText: hunk('src/a.ts', 'a', 'b') }, 0, 'primary'],
    ['its test', { patchText: hunk('src/a.test.ts', 'a', 'b') }, 0, 'co_located_test'],
    ['another file', { patchText: hunk('src/b.ts', 'f(1);', 'f(2);') }, 5, 'unlisted'],
    [
      'one that is proved',
      { patchText: hunk('src/b.ts', 'f(1);', 'f( 1 );'), inRepo: true },
      0,
      'incidental',
    ],
    [
      'one that is attested',
      { patchText: hunk('src/b.ts', 'f(1);', 'f(2);'), summaryText: 'Incidental: src/b.ts: shared' },
      0,
      'incidental',
    ],
    [
      'one that was meant',
      {
        patchText: hunk('src/b.ts', 'f(1);', 'f(2);'),
        summaryText: 'Scope correction: src/a.ts -> src/b.ts: there',
      },
      0,
      'corrected',
    ],
    ['one out of scope', { patchText: hunk('src/frozen.ts', 'a', 'b') }, 5, 'out_of_scope'],
  ])('gives the class and the exit code of %s', async (_name, asked, code, kind) => {
    const printed = await ask({ ...asked, json: true });
    const document = JSON.parse(printed.out);
    expect(schemaProblems(jsonSchemaOf('cli.scope'), document)).toEqual([]);
    expect(printed.code).toBe(code);
    expect(document).toMatchObject({ schema_version: 1, ok: code === 0, files: [{ class: kind }] });
    expect(Object.keys(document.files[0])).toEqual(['path', 'class', 'proved', 'reason']);
    const human = await ask(asked);
    expect(human).toMatchObject({ code, err: '' });
    expect(human.out).toContain(`${kind}  src/`);
  });

  it('reads one of its files from standard input', async () => {
    const patchText = hunk('src/a.ts', 'a', 'b');
    expect(await ask({ patch: '-', input: patchText })).toMatchObject({ code: 0 });
    expect(await ask({ patchText, item: '-', input: BODY })).toMatchObject({ code: 0 });
    expect(await ask({ patchText, summary: '-', input: 'Done.' })).toMatchObject({ code: 0 });
  });

  it('reports which lines of a summary do not count', async () => {
    const patchText = hunk('src/a.ts', 'a', 'b');
    const { code, out } = await ask({ patchText, summaryText: 'Incidental: src/gone.ts: needed' });
    expect(code).toBe(0);
    expect(out).toContain(
      '! "Incidental: src/gone.ts" does not count: the patch does not change that file\n',
    );
  });

  it('prints no control sequences', async () => {
    const path = '"a/\\033[31mx\\n.ts"';
    const patchText = `diff --git ${path} ${path.replace('a/', 'b/')}\nnew file mode 100644\n`;
    const { out } = await ask({ patchText });
    expect(out).not.toContain(String.fromCharCode(27));
    expect(out.split('\n')).toHaveLength(3);
  });

  it('accepts an empty patch', async () => {
    expect(await ask({ patchText: '' })).toMatchObject({ code: 0, out: '✓ in scope\n' });
  });

  it.each<readonly [string, Asked, RegExp]>([
    ['no body', { item: null }, /^scope needs the body of a task$/],
    ['no patch', { patch: null }, /^scope needs a patch$/],
    ['a body that is not there', { item: 'nowhere.md' }, /^the body nowhere\.md can't be read$/],
    ['a patch that is not there', { patch: 'nowhere.diff' }, /^the patch nowhere\.diff can't be read$/],
    [
      'a summary that is not there',
      { patchText: '', summary: 'nowhere' },
      /^the summary nowhere can't be read$/,
    ],
    ['what is no patch', { patchText: 'hello\n' }, /is not a valid patch: line 1: the patch names no file$/],
    [
      'a body without a scope',
      { patchText: '', item: '-', input: '# Hello\n' },
      /^- has no section In Scope$/,
    ],
    [
      'an empty scope',
      { patchText: '', item: '-', input: '## In Scope\n' },
      /^- lists no file under In Scope$/,
    ],
    ['two from standard input', { item: '-', patch: '-' }, /^only one file can come from standard input$/],
    ['a base that is not there', { patchText: '', base: 'nope', inRepo: true }, /^"nope" names no commit$/],
    ['a base without a repository', { patchText: '', base: 'HEAD' }, /is not inside a git repository$/],
  ])('refuses %s with exit code 2', async (_name, asked, message) => {
    const error: unknown = await ask(asked).catch((thrown: unknown) => thrown);
    expect(exitCodeOfError(error)).toBe(2);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
  });
});
