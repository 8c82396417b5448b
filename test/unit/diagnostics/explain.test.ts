import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Services } from '../../../src/app/services.ts';
import { CliError } from '../../../src/surfaces/cli/cli-error.ts';
import type { VerbContext } from '../../../src/surfaces/cli/command-context.ts';
import { explain } from '../../../src/surfaces/cli/commands/workflow/explain.ts';

const packageRoot = join(import.meta.dirname, '..', '..', '..');
const page = await readFile(join(packageRoot, 'docs', 'reference', 'diagnostics', 'WF203.md'), 'utf8');

async function run(word: string, json = false): Promise<{ code: number; out: string }> {
  let out = '';
  const context = {
    json,
    services: () => Promise.resolve({ packageRoot } as Services),
    terminal: {
      out: (text: string) => {
        out += text;
      },
    },
  } as unknown as VerbContext;
  return { code: await explain(context, word), out };
}

describe('explain', () => {
  it.each(['WF203', 'wf203', 'Wf203'])('prints the page of a code as it is shipped: %s', async (word) => {
    expect(await run(word)).toEqual({ code: 0, out: page });
  });

  it('gives the page and what is registered as JSON', async () => {
    const { code, out } = await run('wf203', true);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        schema_version: 1,
        code: 'WF203',
        title: 'a kill falls back to the error route',
        severity: 'warning',
        page,
      },
    ]);
  });

  it('prints the page of a problem of a contract', async () => {
    expect((await run('wr106')).out).toMatch(/^# WR106: a dependency cycle\n/);
  });

  it.each([
    ['WF07', 'did you mean WF007?'],
    ['WFO07', 'did you mean WF007?'],
    ['wf-203', 'did you mean WF203?'],
    ['WR16', 'did you mean WR106?'],
    ['', 'a code looks like WF007; conductor validate prints it in brackets'],
    ['constructor', 'a code looks like WF007; conductor validate prints it in brackets'],
    ['../README', 'a code looks like WF007; conductor validate prints it in brackets'],
  ])('refuses what is no code, with the nearest one: %j', async (word, help) => {
    const refused = await run(word).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CliError);
    expect(refused).toMatchObject({ message: `there is no diagnostic "${word}"`, help, exitCode: 2 });
  });
});
