import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { jsonSchemaOf } from '../../src/contracts/json-schemas.ts';
import type { GoldenProposal } from '../../src/contracts/run/golden-proposal.ts';
import { schemaProblems } from '../unit/json-schema-check.ts';
import { type Scene, test } from './scene.ts';

const NEW = 'harness/new.txt';

/** A proposal of the same bytes for another place, and what is wrong with it. */
const REFUSED: readonly [unknown, RegExp][] = [
  ['plain.txt', /without bytes/],
  [{ golden_path: 'bytes.txt' }, /without bytes/],
  [{ proposed_path: NEW }, /no golden_path/],
  [{ golden_path: '/etc/golden', proposed_path: NEW }, /absolute/],
  [{ golden_path: '../golden.txt', proposed_path: NEW }, /`\.\.`/],
  [{ golden_path: 'a/../../golden.txt', proposed_path: NEW }, /`\.\.`/],
  [{ golden_path: '.git/hooks/pre-commit', proposed_path: NEW }, /folder of git/],
  [{ golden_path: 'sub/.GIT/config', proposed_path: NEW }, /folder of git/],
  [{ golden_path: '.tnh/config.yaml', proposed_path: NEW }, /folder of the conductor/],
  [{ golden_path: 'locked/x.yml', proposed_path: NEW }, /policy forbids/],
  [{ golden_path: 'new\nline.txt', proposed_path: NEW }, /control characters/],
  [{ golden_path: 'keep/', proposed_path: NEW }, /names no file/],
  [{ golden_path: 'keep', proposed_path: NEW }, /is a folder/],
  [{ golden_path: 'tools/act.mjs/x', proposed_path: NEW }, /through a file/],
  [{ golden_path: 'out/x.txt', proposed_path: NEW }, /through a link/],
  [{ golden_path: 'out', proposed_path: NEW }, /is a link/],
  [{ golden_path: 'ignored.log', proposed_path: NEW }, /ignores it/],
  [{ golden_path: 'twice.txt', proposed_path: NEW }, /same golden_path/],
  [{ golden_path: './twice.txt', proposed_path: NEW }, /same golden_path/],
  [{ golden_path: 'deep', proposed_path: NEW }, /same golden_path/],
  [{ golden_path: 'deep/er.txt', proposed_path: NEW }, /same golden_path/],
  [{ golden_path: 'missing.txt', proposed_path: 'harness/missing.txt' }, /not captured/],
  [{ golden_path: 'stolen.txt', proposed_path: '/etc/passwd' }, /not captured/],
  [{ golden_path: 'climbed.txt', proposed_path: '../../../secret' }, /not captured/],
  [{ golden_path: 'log.txt', proposed_path: 'events.ndjson' }, /not captured/],
];

const ACCEPTABLE = [
  { id: 'fresh', golden_path: 'goldens/fresh.txt', proposed_path: NEW, kind: 'text' },
  {
    id: 'old',
    golden_path: './keep/old.txt',
    proposed_path: NEW,
    kind: 'text',
    diff_ref: 'harness/old.diff',
  },
  { id: 'picture', golden_path: 'image.bin', proposed_path: 'harness/p.png', kind: 'image', pixels: 12 },
];

function workflow(proposals: readonly unknown[]): string {
  const lines = [
    `write \${run_dir}/${NEW} new`,
    'write ${run_dir}/harness/old.diff -old',
    'bytes ${run_dir}/harness/p.png 89504e470d0a1a0a00ff',
    `report ${JSON.stringify({ proposed_goldens: proposals })}`,
  ];
  return `workflow_id: goldens
version: 1
description: Somebody looks at goldens.
entry_step: check
defaults: { policy: policy.locked.v1 }
steps:
  - id: check
    opcode: RUN_VALIDATION
    run:
      - id: harness
        kind: script
        entrypoint: tools/act.mjs
        args: ${JSON.stringify(lines)}
        artifacts: [harness_report.json]
    routes: { completed: judge, error: judge, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP }
  - id: ask
    opcode: GATE
    gate: goldens
    routes: { gate_approved: STOP, gate_rejected: check }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_harness_report.v1
    allowed_next_steps: [ask]
    routes: { success: STOP, partial: STOP, blocked: STOP, unsafe: STOP, needs_human: ask }
`;
}

async function start(scene: Scene, text: string): Promise<string> {
  await scene.repo.write('../home/w.yaml', text);
  const { code, stdout, stderr } = await scene.conductor('run', '../home/w.yaml');
  expect(code, stderr).toBe(3);
  return stdout.split('\n')[0] ?? '';
}

const POLICY = {
  '.tnh/policies/policy.locked.v1.yaml':
    'policy_id: policy.locked\nversion: 1\nforbidden_paths: ["locked/**"]\n',
};

const prepare = async (repo: Scene['repo']) => {
  const outside = join(repo.root, '..', 'outside');
  await mkdir(outside);
  await symlink(outside, join(repo.root, 'out'));
  await repo.write('.gitignore', '*.log\n');
  await repo.git('add', 'out', '.gitignore');
  await repo.git('commit', '-qm', 'a link');
};

async function goldensOf(scene: Scene, runId: string) {
  const { code, stdout } = await scene.conductor('goldens', runId, '--json');
  expect(code).toBe(0);
  expect(schemaProblems(jsonSchemaOf('cli.goldens'), JSON.parse(stdout))).toEqual([]);
  return (JSON.parse(stdout) as { goldens: (GoldenProposal & { state: string; by: string | null })[] })
    .goldens;
}

describe('proposed goldens', { timeout: 300_000 }, () => {
  test('are refused one by one, and the others are accepted as they were shown', async ({ openScene }) => {
    const scene = await openScene({ prepare, files: POLICY });
    const runId = await start(scene, workflow([...ACCEPTABLE, ...REFUSED.map(([proposal]) => proposal)]));
    const before = scene.record(runId);
    const request = JSON.parse(before.evidence('ask', 'gate_request'));
    const shown = request.proposed_goldens as GoldenProposal[];
    expect(shown.map(({ acceptable }) => acceptable)).toEqual([
      true,
      true,
      true,
      ...REFUSED.map(() => false),
    ]);
    for (const [at, [proposal, why]] of REFUSED.entries())
      expect(shown[at + 3]?.why, JSON.stringify(proposal)).toMatch(why);
    const { notes } = JSON.parse(before.evidence('check', 'validation_report'));
    for (const path of ['harness/missing.txt', '/etc/passwd', '../../../secret', 'events.ndjson'])
      expect(notes).toContainEqual(expect.stringContaining(`\`${path}\``));
    expect(before.eventsOf('step_completed').at(-1)?.payload.outcome).toBe('completed');

    const approved = await scene.conductor('approve', runId, '--as', 'ann', '--resume');
    expect(approved, approved.stderr).toMatchObject({ code: 0 });
    const { base_sha, branch_name } = scene.record(runId).metadata.workspace;
    const changed = await scene.repo.git('diff', '--name-status', base_sha, branch_name);
    expect(changed.trim().split('\n')).toEqual(['A\tgoldens/fresh.txt', 'M\timage.bin', 'M\tkeep/old.txt']);
    expect(await scene.repo.git('show', `${branch_name}:keep/old.txt`)).toBe('new\n');
    const states = (await goldensOf(scene, runId)).map(({ state, by }) => `${state} ${by}`);
    expect(states).toEqual([
      ...ACCEPTABLE.map(() => 'accepted ann'),
      ...REFUSED.map(() => 'not_accepted ann'),
    ]);
    for (const command of ['verify', 'replay'])
      expect(await scene.conductor(command, runId), command).toMatchObject({ code: 0 });
  });

  test('are shown with their differences, pictures by path and pixels', async ({ openScene }) => {
    const scene = await openScene({ prepare, files: POLICY });
    const runId = await start(scene, workflow(ACCEPTABLE));
    const { code, stdout } = await scene.conductor('goldens', runId);
    expect(code).toBe(0);
    for (const part of [
      'pending  goldens/fresh.txt (text) by check/harness: new, 4 bytes, +1 -0',
      'pending  keep/old.txt (text) by check/harness: 4 -> 4 bytes, +1 -1',
      '    -old\n    +new\n',
      'difference by the harness: artifacts/check/harness/report-files/harness/old.diff',
      'pending  image.bin (image) by check/harness: 9 -> 10 bytes',
      '12 pixels differ',
      'proposed: artifacts/check/harness/report-files/harness/p.png',
    ])
      expect(stdout).toContain(part);
  });

  test('of a rejected gate change nothing, and a later report takes their place', async ({ openScene }) => {
    const scene = await openScene({ prepare, files: POLICY });
    const runId = await start(scene, workflow(ACCEPTABLE.slice(0, 1)));
    expect(await scene.conductor('reject', runId, '--as', 'bob', '--resume')).toMatchObject({ code: 3 });
    expect((await goldensOf(scene, runId)).map(({ state, attempt }) => `${state} ${attempt}`)).toEqual([
      'rejected 1',
      'pending 2',
    ]);
    expect(await scene.repo.git('-C', scene.checkout(runId), 'status', '--porcelain')).toBe('');
    expect(await scene.conductor('approve', runId, '--resume')).toMatchObject({ code: 0 });
    expect((await goldensOf(scene, runId)).map(({ state }) => state)).toEqual(['rejected', 'accepted']);
    expect(await scene.inCheckout(runId, 'goldens/fresh.txt')).toBe('new\n');
  });

  test('may be none at all', async ({ openScene }) => {
    const scene = await openScene({ files: POLICY });
    const { runId } = await scene.run('gate');
    const { code, stdout, stderr } = await scene.conductor('goldens', runId);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('proposes no goldens');
    expect(await goldensOf(scene, runId)).toEqual([]);
  });
});
