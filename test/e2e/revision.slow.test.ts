import { describe, expect } from 'vitest';
import { refinementPackageSchema } from '../../src/contracts/planner/refinement-package.ts';
import { type Scene, type SceneOptions, test } from './scene.ts';

/** The built-in loop with agents that act by step and entry, as real processes. */
const CONFIG = `agents:
  claude-code: { kind: command, command: [node, tools/role.mjs] }
  codex: { kind: command, command: [node, tools/role.mjs] }
validators:
  tests: { command: [node, tools/check.mjs] }
`;

interface Roles {
  readonly implement?: string;
  readonly review?: string;
  readonly refine?: string;
}

const IMPLEMENT = "writeFileSync('answer.txt', '42\\n'); console.log('Implemented the answer.');";
const APPROVE = "give({ role: 'reviewer', review: { verdict: 'approve', summary: 'Fine.', comments: [] } });";
const FIND = `give({ role: 'reviewer', review: { verdict: 'needs-changes', summary: 'One.', comments: [
  { path: 'answer.txt', line: 1, body: 'What: no unit. Why: the task asks for one. Fix: add a unit.' },
  { path: 'README.md', line: null, body: '[Warning] RAW PROSE OF THE REVIEWER' }] } });`;
const REFINE = "writeFileSync('unit.txt', 'apples\\n'); console.log('Fixed the unit.');";

function program({ implement = IMPLEMENT, review = APPROVE, refine = REFINE }: Roles): string {
  return `import { readFileSync, writeFileSync } from 'node:fs';
const prompt = readFileSync(0, 'utf8');
const give = (value) => writeFileSync(process.env.CONDUCTOR_RESULT, JSON.stringify(value));
const inputs = JSON.parse(readFileSync(process.env.CONDUCTOR_INPUTS, 'utf8'));
switch (process.env.CONDUCTOR_STEP_ID) {
  case 'implement': { ${implement} break; }
  case 'review': { ${review} break; }
  case 'refine': { ${refine} break; }
}
`;
}

async function revise(
  openScene: (options?: SceneOptions) => Promise<Scene>,
  roles: Roles,
): Promise<{ scene: Scene; code: number | null; runId: string; stderr: string }> {
  const scene = await openScene({ config: CONFIG, files: { 'tools/role.mjs': program(roles) } });
  const { code, stdout, stderr } = await scene.conductor('run', 'revise', '--input', 'task=answer');
  return { scene, code, stderr, runId: stdout.split('\n')[0] ?? '' };
}

const takenPath = (scene: Scene, runId: string) =>
  scene
    .record(runId)
    .events.filter((event) => event.event_type === 'route_selected')
    .map((event) => `${event.step_id} ${(event.payload as { key: string }).key}`);

describe('the revision loop', () => {
  test('goes straight on when the review finds nothing', async ({ openScene }) => {
    const { scene, code, runId, stderr } = await revise(openScene, {});
    expect(code, stderr).toBe(0);
    expect(takenPath(scene, runId)).toEqual([
      'implement completed',
      'review completed',
      'validate completed',
      'evaluate success',
    ]);
    const { status, events } = scene.record(runId);
    expect(status.refinement).toEqual({ spent: 0, max: 1 });
    expect(events).toContainEqual(
      expect.objectContaining({
        event_type: 'status_updated',
        step_id: 'review',
        payload: { note: 'review review: approve, 0 findings' },
      }),
    );
  });

  test('refines once what the review finds, and succeeds', async ({ openScene }) => {
    const { scene, code, runId, stderr } = await revise(openScene, { review: FIND });
    expect(code, stderr).toBe(0);
    expect(takenPath(scene, runId)).toEqual([
      'implement completed',
      'review completed',
      'validate completed',
      'evaluate partial',
      'refine completed',
      'validate completed',
      'evaluate success',
    ]);
    const { evidence, path: _path, status, events } = scene.record(runId);
    const decision = events.find((event) => event.event_type === 'decision_recorded');
    expect(decision?.payload).toMatchObject({
      status: 'partial',
      refinement_requested: true,
      blocker_codes: ['review_finding:f1'],
    });
    expect(events).toContainEqual(
      expect.objectContaining({
        event_type: 'refinement_spent',
        payload: { evaluate_step: 'evaluate', spent: 1, max: 1 },
      }),
    );
    expect(status.refinement).toEqual({ spent: 1, max: 1 });
    const refinement = refinementPackageSchema.parse(JSON.parse(evidence('refine', 'refinement_package')));
    expect(refinement.issues).toEqual([
      {
        summary: 'What: no unit. Why: the task asks for one. Fix: add a unit.',
        target: 'answer.txt:1',
        action: 'address the review finding',
        artifact_refs: ['artifacts/review/review.json'],
      },
    ]);
    expect(refinement.verification).toEqual([
      { command: 'node tools/check.mjs', expected_signal: 'exit code 0' },
    ]);
    expect(evidence('refine', 'runner_prompt')).toContain('answer.txt:1: address the review finding');
    expect(evidence('refine', 'runner_prompt')).not.toContain('RAW PROSE');
  });

  test('waits for approval when the refinement was not enough', async ({ openScene }) => {
    const { scene, code, runId, stderr } = await revise(openScene, {
      review: FIND,
      refine: "writeFileSync('answer.txt', '41\\n'); console.log('Fixed it.');",
    });
    expect(code, stderr).toBe(3);
    expect(takenPath(scene, runId).slice(-3)).toEqual([
      'refine completed',
      'validate error',
      'evaluate needs_human',
    ]);
    const { status, events } = scene.record(runId);
    expect(status).toMatchObject({
      lifecycle_state: 'waiting',
      refinement: { spent: 1, max: 1 },
      last_decision: { status: 'needs_human', refinement_requested: false },
      blocking_reason: expect.stringContaining('1 of 1 refinements are spent'),
    });
    expect(events.filter((event) => event.event_type === 'refinement_spent').length).toBe(1);
    await scene.conductor('cancel', runId);
  });

  test('leaves findings open that the refinement did nothing about', async ({ openScene }) => {
    const { scene, code, runId, stderr } = await revise(openScene, {
      review: FIND,
      refine: "console.log('Nothing to do.');",
    });
    expect(code, stderr).toBe(3);
    expect(
      scene.record(runId).events.findLast((event) => event.event_type === 'decision_recorded')?.payload,
    ).toMatchObject({
      status: 'needs_human',
      blocker_codes: expect.arrayContaining(['review_finding:f1', 'refinement_spent']),
    });
    await scene.conductor('cancel', runId);
  });

  for (const [what, review] of [
    ['only talks', "console.log('Looks good to me!');"],
    ['fails', 'process.exit(3);'],
    ['approves and finds', "give({ verdict: 'approve', findings: [{ summary: 'broken' }] });"],
  ] as const)
    test(`blocks when the reviewer ${what}`, async ({ openScene }) => {
      const { scene, code, runId, stderr } = await revise(openScene, { review });
      expect(code, stderr).toBe(4);
      expect(scene.record(runId).status).toMatchObject({
        outcome: 'blocked',
        blocking_reason: expect.stringContaining('the review gave no verdict'),
      });
    });

  test('does not let the reviewer change files', async ({ openScene }) => {
    const { scene, code, runId, stderr } = await revise(openScene, {
      review: `writeFileSync('answer.txt', '43\\n'); ${APPROVE}`,
    });
    expect(code, stderr).toBe(5);
    expect(takenPath(scene, runId).slice(-2)).toEqual(['evaluate unsafe', 'roll_back completed']);
  });
});

describe('the claim ledger', () => {
  test('has what the implementor said before the reviewer came', async ({ openScene }) => {
    const { scene, code, runId, stderr } = await revise(openScene, {
      implement: "console.log('Implemented the answer.');",
      refine: IMPLEMENT,
    });
    expect(code, stderr).toBe(0);
    const { evidence, events } = scene.record(runId);
    expect(JSON.parse(evidence('evaluate', 'claim_ledger'))).toEqual({
      step_id: 'review',
      claims: [
        {
          claim: 'implemented',
          source: 'phrase',
          holds: false,
          evidence: 'no file changed',
          step_id: 'implement',
        },
      ],
    });
    expect(events.find((event) => event.event_type === 'decision_recorded')?.payload).toMatchObject({
      status: 'partial',
      blocker_codes: expect.arrayContaining(['empty_diff']),
    });
  });

  test('checks the claims of the agent against the files', async ({ openScene }) => {
    const { scene, runId } = await revise(openScene, {
      review: FIND,
      refine: `writeFileSync('answer.txt', '41\\n');
        console.log('Done.\\n{"claims":["fixed","tests_pass","created unit.txt"],"blockers":[]}');`,
    });
    const { evidence } = scene.record(runId);
    expect(JSON.parse(evidence('evaluate@2', 'claim_ledger'))).toEqual({
      step_id: 'refine',
      claims: [
        {
          claim: 'fixed',
          source: 'tail',
          holds: null,
          evidence: '1 path changed; no check shows that this completes the work',
        },
        { claim: 'tests_pass', source: 'tail', holds: false, evidence: 'tests exited 1' },
        {
          claim: 'created unit.txt',
          source: 'tail',
          holds: false,
          evidence: 'the file is neither in the diff nor among the artifacts',
        },
      ],
    });
    const shown = await scene.conductor('show', runId);
    expect(shown.stdout).toContain('claim "tests pass": contradicted (tests exited 1)');
    const gate = await scene.conductor('gates');
    expect(gate.stdout).toContain('claim "tests pass": contradicted (tests exited 1)');
    await scene.conductor('cancel', runId);
  });
});
