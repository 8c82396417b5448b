import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../src/app/services.ts';
import type { CommandContext } from '../../../src/surfaces/cli/command-context.ts';
import { type ValidateFormat, validate } from '../../../src/surfaces/cli/commands/workflow/validate.ts';

const folder = await mkdtemp(join(tmpdir(), 'conductor-formats-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const GOOD = `workflow_id: demo
version: 1
description: Does nothing.
entry_step: done
steps:
  - { id: done, opcode: STOP }
`;
const good = join(folder, 'good.yaml');
const bad = join(folder, 'bad.yaml');
await writeFile(good, GOOD);
await writeFile(bad, GOOD.replace('entry_step: done', 'entry_step: dnoe'));

const context = {
  defaults: { timeoutMs: 1_800_000, idleTimeoutMs: 300_000, maxVisits: 10 },
  names: null,
  inputs: null,
};
const services = {
  openCheck: () => Promise.resolve({ ok: true, value: { context, brokenConfig: null, workflowFolders: [] } }),
} as unknown as Services;

async function run(format: ValidateFormat, ...paths: string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const command = {
    version: '1.2.3',
    startDir: folder,
    services: () => Promise.resolve(services),
    terminal: {
      out: (text: string) => {
        out += text;
      },
    },
  } as unknown as CommandContext;
  const caps = { agentRuns: null, wallMs: null, costUsd: null };
  return { code: await validate(command, paths, format, { verbose: false, prove: false, caps }), out };
}

describe('validate', () => {
  it('prints one SARIF log over all files, and exits as in every other format', async () => {
    const { code, out } = await run('sarif', good, bad);
    expect(code).toBe(2);
    const log = JSON.parse(out);
    expect([log.version, log.runs.length, log.runs[0].tool.driver.version]).toEqual(['2.1.0', 1, '1.2.3']);
    expect(log.runs[0].results).toEqual([
      expect.objectContaining({
        ruleId: 'WF103',
        level: 'error',
        message: { text: 'the entry step `dnoe` is not declared\nhelp: did you mean `done`?' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: `file://${bad}` },
              region: { startLine: 4, startColumn: 13, endLine: 4, endColumn: 17 },
            },
          },
        ],
      }),
    ]);
  });

  it('prints annotations for GitHub', async () => {
    expect(await run('github', good, bad)).toEqual({
      code: 2,
      out: `::error file=${bad},line=4,col=13,endLine=4,endColumn=17,title=WF103::the entry step \`dnoe\` is not declared%0Ahelp: did you mean \`done\`?\n`,
    });
  });

  it.each([
    ['sarif', /"results": \[\]/],
    ['github', /^$/],
  ] as const)('reports nothing about a good file as %s', async (format, expected) => {
    expect(await run(format, good)).toEqual({ code: 0, out: expect.stringMatching(expected) });
  });
});
