import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Report } from '../../src/contracts/cli/cli-report-document.ts';
import { makeRepo } from '../../testing/git-repo.ts';
import { runInProcess } from './in-process.ts';
import { onTerminal } from './on-terminal.ts';
import { CONFIG, type Scene, test } from './scene.ts';

const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;
if (!hasPython) process.stderr.write('skipped: tests of the terminal need python3 with its module pty\n');

const step = (prompt: string) => `workflow_id: night
version: 1
description: One step.
entry_step: work
steps:
  - id: work
    opcode: RUN_AGENT
    agent: actor
    prompt: |
${prompt.replace(/^/gm, '      ')}
    routes: { completed: STOP, error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
`;

const GATE = `workflow_id: asks
version: 1
description: Asks.
entry_step: decide
steps:
  - { id: decide, opcode: GATE, gate: requires_approval, timeout: 1s, routes: { gate_approved: STOP, gate_rejected: STOP, gate_timed_out: STOP } }
`;

const FILES = {
  'done.yaml': step('write a.txt 1\nsay Wrote a.\nusage 1000 0.25'),
  'silent.yaml': step('write b.txt 1\nsay Wrote b.'),
  'crash.yaml': step('write c.txt 1\nexit 3'),
  'asks.yaml': GATE,
};

async function reportIn(scene: Scene, ...args: readonly string[]): Promise<Report> {
  const { stdout, stderr } = await scene.conductor('report', '--json', ...args);
  expect(stdout, stderr).toMatch(/^\{/);
  return JSON.parse(stdout) as Report;
}

const linesOf = ({ sections }: Report) =>
  sections.flatMap(({ id, runs }) => runs.map((run) => ({ id, run })));

/** What the agents of a repository reported, read from the logs without any code of the report. */
function sumLogs(root: string) {
  const folder = join(root, '.tnh/run');
  const total = { input_tokens: 0, output_tokens: 0, cost_usd: 0, starts: 0, unknown_costs: 0 };
  for (const name of readdirSync(folder, { withFileTypes: true })) {
    if (!name.isDirectory()) continue;
    for (const line of readFileSync(join(folder, name.name, 'events.ndjson'), 'utf8')
      .trim()
      .split('\n')) {
      const { event_type: type, payload } = JSON.parse(line);
      if (type !== 'runner_completed') continue;
      total.starts += 1;
      total.unknown_costs += payload.usage?.cost_usd === undefined ? 1 : 0;
      for (const key of ['input_tokens', 'output_tokens', 'cost_usd'] as const)
        total[key] += payload.usage?.[key] ?? 0;
    }
  }
  return total;
}

describe('conductor report', () => {
  test('puts each run into one section, and its totals are the sums of its lines and of the logs', async ({
    openScene,
  }) => {
    const scene = await openScene({ files: FILES });
    const start = async (workflow: string) =>
      (await scene.conductor('run', workflow)).stdout.split('\n')[0] ?? '';
    const done = await start('done.yaml');
    const silent = await start('silent.yaml');
    const crash = await start('crash.yaml');
    const open = await start('asks.yaml');
    const cancelled = await start('asks.yaml');
    expect((await scene.conductor('cancel', cancelled)).code).toBe(0);

    const report = await reportIn(scene);
    const placed = Object.fromEntries(linesOf(report).map(({ id, run }) => [run.run_id, id]));
    expect(placed).toEqual({
      [done]: 'claimed_not_shown',
      [silent]: 'claimed_not_shown',
      [crash]: 'failed',
      [open]: 'needs_you',
      [cancelled]: 'failed',
    });
    expect(linesOf(report)).toHaveLength(5);
    const { total, by_agent: agents, by_workflow: workflows } = report.spent;
    const { unknown_costs: unknownCosts, ...logs } = sumLogs(scene.repo.root);
    expect(logs).toEqual({ input_tokens: 1000, output_tokens: 0, cost_usd: 0.25, starts: 3 });
    expect(total).toMatchObject(logs);
    expect(total.unknown.cost_usd).toBe(unknownCosts);
    for (const parts of [linesOf(report).map(({ run }) => run), agents, workflows])
      for (const measure of ['input_tokens', 'output_tokens', 'cost_usd', 'agent_ms', 'starts'] as const)
        expect(parts.reduce((sum, { spend }) => sum + spend[measure], 0)).toBeCloseTo(total[measure], 9);

    // A second later the gate has expired: the command that answers it is another one.
    await expect
      .poll(async () => {
        const { gate, commands } =
          linesOf(await reportIn(scene)).find(({ run }) => run.run_id === open)?.run ?? {};
        return [gate?.answer, commands?.length];
      })
      .toEqual(['gate_timed_out', 1]);
    await scene.conductor('resume', open);
    const later = linesOf(await reportIn(scene)).find(({ run }) => run.run_id === open);
    expect(later).toMatchObject({ id: 'failed', run: { outcome: 'timed_out' } });
  });

  test.skipIf(!hasPython)(
    'remembers when it was printed to a terminal, and only then',
    async ({ openScene }) => {
      const scene = await openScene({ files: FILES });
      await scene.conductor('run', 'done.yaml');
      const reports = join(scene.home, '.local/state/conductor/reports');
      const remembered = () => {
        try {
          return readdirSync(reports);
        } catch {
          return [];
        }
      };
      for (const args of [[], ['--all-repos'], ['--format', 'html']])
        await scene.conductor('report', ...args);
      const place = { root: scene.repo.root, home: scene.home, columns: 80 };
      await onTerminal(place, ['report', 'latest'], '');
      expect(remembered()).toEqual([]);
      const { output } = await onTerminal(place, ['report'], '');
      expect(output).toContain('Claimed, not shown (1)');
      expect(remembered()).toHaveLength(1);
      await onTerminal(place, ['report', '--all-repos', '--format', 'markdown'], '');
      expect(remembered()).toHaveLength(2);
    },
  );

  test('covers every repository, tells those of one name apart, and names one that is gone', async ({
    openScene,
  }) => {
    const scene = await openScene({ files: FILES });
    const none = await scene.conductor('report', '--all-repos', '--json');
    expect(JSON.parse(none.stdout)).toMatchObject({ sections: [], spent: { total: { starts: 0 } } });
    await scene.conductor('run', 'done.yaml');
    const other = await makeRepo({
      files: {
        ...FILES,
        '.tnh/config.yaml': CONFIG,
        'tools/act.mjs': readFileSync(join(scene.repo.root, 'tools/act.mjs')),
      },
    });
    try {
      const run = await runInProcess(['run', 'silent.yaml'], { ...scene.cliOptions, cwd: other.root });
      expect(run.code, run.stderr).toBe(7);
      const both = await reportIn(scene, '--all-repos');
      const names = linesOf(both).map(({ run: { repository } }) => repository);
      expect(new Set(names).size).toBe(2);
      expect(names).toContain(scene.repo.root.split('/').slice(-2).join('/'));
      const commands = linesOf(both).flatMap(({ run: line }) => line.commands);
      expect(commands).toContainEqual(expect.stringContaining(`--repo ${other.root}`));
      expect(both.spent.total).toMatchObject({ starts: 2, cost_usd: 0.25, unknown: { cost_usd: 1 } });

      await rename(other.root, `${other.root}-moved`);
      // A process of its own has not seen the repository at its old place.
      const { stdout, stderr } = await scene.cli.start(['report', '--all-repos', '--json']).done;
      expect(stderr).toContain(`${other.root} is not in this report`);
      expect(linesOf(JSON.parse(stdout))).toHaveLength(1);
      await rename(`${other.root}-moved`, other.root);
    } finally {
      await other.cleanup();
    }
  });
});
