import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../src/app/services.ts';
import type { CommandContext } from '../../../src/surfaces/cli/command-context.ts';
import { type CrashtestOptions, crashtest } from '../../../src/surfaces/cli/commands/workflow/crashtest.ts';

const folder = await mkdtemp(join(tmpdir(), 'conductor-crashtest-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const GOOD = `workflow_id: small
version: 1
description: Asks a person.
entry_step: ask
steps:
  - { id: ask, opcode: GATE, gate: look, routes: { gate_approved: STOP, gate_rejected: STOP } }
`;
await writeFile(join(folder, 'small.yaml'), GOOD);
await writeFile(join(folder, 'bad.yaml'), GOOD.replace('entry_step: ask', 'entry_step: akq'));

const services = {
  openCheck: () =>
    Promise.resolve({
      ok: true,
      value: {
        context: {
          defaults: { timeoutMs: 60_000, idleTimeoutMs: 60_000, maxVisits: 10 },
          names: null,
          inputs: null,
        },
        brokenConfig: null,
        workflowFolders: [folder],
      },
    }),
} as unknown as Services;

const plain = (text: string) => text;
const paint = { enabled: false, bold: plain, dim: plain, red: plain, green: plain, yellow: plain };

async function run(workflow: string, options: Partial<CrashtestOptions> = {}, json = false) {
  const printed = { out: '', err: '' };
  const context = {
    version: '1.2.3',
    startDir: folder,
    json,
    services: () => Promise.resolve(services),
    terminal: {
      paint,
      paintOut: paint,
      out: (text: string) => {
        printed.out += text;
      },
      err: (text: string) => {
        printed.err += text;
      },
    },
  } as unknown as CommandContext;
  const code = await crashtest(context, workflow, { seed: 1, script: null, ...options });
  return { code, ...printed };
}

describe('crashtest', () => {
  it('finds a workflow by its id and prints a line for each script, and that the ends are the same', async () => {
    const { code, out } = await run('small');
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.split(/\s{2,}/)[0])).toEqual([
      'script',
      'ask.gate_approved',
      'ask.gate_rejected',
      'setup, failed',
      expect.stringMatching(/^✓ .*small\.yaml: 3 scripts, killed at \d+ boundaries, the same ends$/),
      '',
    ]);
  });

  it('gives one document as JSON', async () => {
    const { out } = await run('small', { script: 'ask.gate_rejected', seed: 9 }, true);
    expect(JSON.parse(out)).toEqual({
      schema_version: 1,
      ok: true,
      workflow_id: 'small',
      seed: 9,
      scripts: [
        {
          name: 'ask.gate_rejected',
          events: expect.any(Number),
          boundaries: expect.any(Number),
          recoveries: expect.any(Number),
          end: 'blocked rejected gate_rejected',
          ok: true,
        },
      ],
      cut: 0,
      failure: null,
    });
  });

  it('leaves no file behind', async () => {
    await run('small');
    expect((await readdir(folder)).sort()).toEqual(['bad.yaml', 'small.yaml']);
  });

  it('refuses a workflow with errors, and says what they are', async () => {
    const { code, err } = await run(join(folder, 'bad.yaml'));
    expect(code).toBe(2);
    expect(err).toContain('the entry step `akq` is not declared');
  });

  it.each([
    { what: 'a script', run: () => run('small', { script: 'ask.gate_reject' }), help: 'ask.gate_rejected' },
    { what: 'a workflow', run: () => run('smal'), help: 'small' },
  ])('suggests the nearest when $what is not there', async ({ run: attempt, help }) => {
    await expect(attempt()).rejects.toMatchObject({ exitCode: 2, help: expect.stringContaining(help) });
  });
});
