import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gitAt } from '../../testing/git-repo.ts';
import { createCliInProcess } from '../e2e/in-process.ts';
import { expectSoundRecord } from '../e2e/record-check.ts';
import {
  APPROVE,
  accepted,
  BODY,
  GIVEN,
  ITEM,
  implement,
  openRoles,
  type RoleScene,
  refusal,
  revisionAt,
  writeAgent,
} from './role-scene.ts';

const WRITE = "writeFileSync('src/area.ts', 'export const area = (w: number, h: number) => w * h;\\n');";
const COMPLETED = "give({ role: 'implementor', outcome: 'completed', summary: 'Multiplied.' });";
const BLOCKED_SUMMARY =
  'Type: spec-gap\nDescription: no unit.\nOptions:\n1. metres, simple\n2. feet, odd\nRecommendation: metres\nImpact: none';

const recordPath = ({ repo }: RoleScene, runId: string) => join(repo.root, '.tnh/run', runId);

async function events(scene: RoleScene, runId: string) {
  const text = await readFile(join(recordPath(scene, runId), 'events.ndjson'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { event_type: string; step_id: string; payload: Record<string, unknown> },
    );
}

async function takenPath(scene: RoleScene, runId: string) {
  return (await events(scene, runId))
    .filter((event) => event.event_type === 'route_selected')
    .map((event) => `${event.step_id} ${String(event.payload.key)}`);
}

describe("an implementor's run", () => {
  it('works on the branch of the item and returns the patch of its files', async () => {
    const scene = await openRoles({ implement: `${WRITE} ${COMPLETED}`, review: APPROVE });
    const base = (await scene.repo.git('rev-parse', 'main')).trim();
    const { state, runId, accepted: ids } = await scene.run(implement());
    const end = accepted(state);
    expect(ids).toEqual([runId]);
    expect(end).toMatchObject({
      base,
      result: { role: 'implementor', outcome: 'completed', summary: 'Multiplied.' },
    });
    const patch = end.result.role === 'implementor' ? (end.result.patch ?? '') : '';
    expect(patch).toContain('diff --git a/src/area.ts b/src/area.ts');
    expect(patch).toContain('+export const area = (w: number, h: number) => w * h;');
    expect(await scene.repo.git('rev-list', '--count', 'main..conductor/item/7')).toBe('1\n');
    expect(await takenPath(scene, runId)).toEqual([
      'implement completed',
      'validate completed',
      'evaluate success',
      'review completed',
      'validate_reviewed completed',
      'weigh success',
    ]);
    await expectSoundRecord(recordPath(scene, runId));
    expect(await scene.roles.readState(runId, { role: 'implementor', item: GIVEN })).toEqual(state);
  });

  it('shows the item and the rules to its agent, byte for byte', async () => {
    const scene = await openRoles({ implement: `${WRITE} ${COMPLETED}`, review: APPROVE });
    await scene.run(implement());
    const seen = scene.seen('implement');
    expect(seen).toContain(BODY);
    expect(seen).toContain('"id": "7"');
    for (const type of [
      'spec-ambiguity',
      'spec-contradiction',
      'spec-gap',
      'external-dependency',
      'technical-constraint',
      'debugging-limit',
    ])
      expect(seen).toContain(type);
    expect(seen).not.toContain('The item already has a revision');
    expect(scene.seen('review')).toContain('+export const area');
  });

  it('runs the document that it keeps, with the agents of the configuration', async () => {
    const scene = await openRoles({ implement: `${WRITE} ${COMPLETED}`, review: APPROVE });
    const { runId } = await scene.run(implement());
    const kept = await readFile(join(recordPath(scene, runId), 'workflow.yaml'), 'utf8');
    expect(kept.match(/agent: .+/g)).toEqual(['agent: builder', 'agent: critic', 'agent: builder']);
    expect(kept).toContain('# No later step leads back to this one');
  });

  it('takes an honest blocked at its word, without a review or a refinement', async () => {
    const scene = await openRoles({
      implement: `give({ role: 'implementor', outcome: 'blocked', summary: ${JSON.stringify(BLOCKED_SUMMARY)} });`,
    });
    const { state, runId } = await scene.run(implement());
    expect(accepted(state).result).toEqual({
      role: 'implementor',
      outcome: 'blocked',
      patch: null,
      summary: BLOCKED_SUMMARY,
    });
    expect(await takenPath(scene, runId)).toEqual([
      'implement completed',
      'validate completed',
      'evaluate blocked',
    ]);
    const decision = (await events(scene, runId)).find(
      ({ event_type }) => event_type === 'decision_recorded',
    );
    expect(decision?.payload.blocker_codes).toEqual(['spec-gap']);
    await expectSoundRecord(recordPath(scene, runId));
  });

  it('returns a validation failure that the refinement could not fix', async () => {
    const failing = `writeFileSync('red', inputs.step_id);
      give({ role: 'implementor', outcome: 'validation-failure', summary: 'Step tests fails: its fixture is not ours.' });`;
    const scene = await openRoles({ implement: failing, refine: failing });
    const { state, runId } = await scene.run(implement());
    expect(await takenPath(scene, runId)).toContain('refine completed');
    expect(accepted(state).result).toMatchObject({ outcome: 'validation-failure', patch: null });
    await expectSoundRecord(recordPath(scene, runId));
  });

  it('is refused as completed over a red branch, with the evidence', async () => {
    const scene = await openRoles({
      implement: `${WRITE} writeFileSync('red', 'a'); ${COMPLETED}`,
      refine: `writeFileSync('red', 'b'); ${COMPLETED}`,
    });
    const { state, runId } = await scene.run(implement());
    expect(refusal(state)).toBe(
      'says completed, but validator tests exited 1: see artifacts/validate_again/validation.json',
    );
    await expectSoundRecord(recordPath(scene, runId));
  });

  it('waits for approval when no file changed, and is refused as completed after it', async () => {
    const scene = await openRoles({ implement: COMPLETED, review: APPROVE });
    const { state, runId } = await scene.run(implement());
    expect(state).toEqual({
      kind: 'waiting',
      gate: 'decide',
      reason: expect.stringContaining('the workspace does not differ from the base') as string,
    });
    const cli = createCliInProcess({ cwd: scene.repo.root, home: scene.home });
    onTestFinished(() => cli.endAll());
    const approved = await cli.run(['approve', runId, '--as', 'ann', '--resume']);
    expect(approved.code, approved.stderr).toBe(0);
    const after = await scene.roles.readState(runId, { role: 'implementor', item: GIVEN });
    expect(refusal(after)).toBe('says completed, but no file changed');
  });

  it('ends where it touches what is Out of Scope, which its record names', async () => {
    const scene = await openRoles({
      implement: `${WRITE} writeFileSync('src/other.ts', ''); ${COMPLETED}`,
      review: APPROVE,
    });
    const { state, runId } = await scene.run(implement({ forbidden: ['src/other.ts'] }));
    expect(refusal(state)).toMatch(/^says completed, but the run ended unsafe: .*src\/other\.ts/);
    const [started] = await events(scene, runId);
    expect(started?.payload.forbidden_paths).toEqual(['src/other.ts']);
    const policy = JSON.parse(
      await readFile(join(recordPath(scene, runId), 'artifacts/implement/policy.json'), 'utf8'),
    ) as Record<string, unknown>;
    expect(policy.overrides).toEqual([{ forbidden_paths: ['src/other.ts'] }]);
    await expectSoundRecord(recordPath(scene, runId));
  });

  it('starts from the revision on a resume, and is shown its pipeline and its reviews', async () => {
    const scene = await openRoles({ implement: `${WRITE} ${COMPLETED}`, review: APPROVE });
    const first = accepted((await scene.run(implement())).state);
    const head = (await scene.repo.git('rev-parse', 'conductor/item/7')).trim();
    await scene.repo.git('commit', '--quiet', '--allow-empty', '-m', 'main goes on');
    const review = {
      verdict: 'needs-changes' as const,
      summary: 'One finding.',
      comments: [{ path: 'src/area.ts', line: 1, body: 'What: no test.\nWhy: criterion 2.\nFix: add one.' }],
    };
    await writeAgent(scene.home, {
      implement: `writeFileSync('src/area.test.ts', 'x\\n'); ${COMPLETED}`,
      review: APPROVE,
    });
    const { state } = await scene.run(
      implement({
        earlier: {
          revision: revisionAt(head),
          reviews: [{ id: 'v1', revisionID: 'r7', headSHA: head, review }],
        },
      }),
    );
    const end = accepted(state);
    expect(end).toMatchObject({ base: 'base' in first ? first.base : '' });
    const patch = end.result.role === 'implementor' ? (end.result.patch ?? '') : '';
    expect(patch).toContain('+export const area');
    expect(patch).toContain('b/src/area.test.ts');
    const seen = scene.seen('implement');
    expect(seen).toContain('The item already has a revision');
    expect(seen).toContain('"reason": "tests exited 1"');
    expect(seen).toContain('"path": "src/area.ts"');
    expect(seen).toContain('What: no test.\\nWhy: criterion 2.\\nFix: add one.');
  });

  it('starts its branch anew without a revision, and keeps what was there', async () => {
    const scene = await openRoles({ implement: `${WRITE} ${COMPLETED}`, review: APPROVE });
    const first = await scene.run(implement());
    const old = (await scene.repo.git('rev-parse', 'conductor/item/7')).trim();
    const second = await scene.run(implement());
    expect(accepted(second.state).result).toMatchObject({ outcome: 'completed' });
    expect(await scene.repo.git('rev-parse', 'conductor/item/7')).not.toBe(`${old}\n`);
    expect(await scene.repo.git('rev-list', '--count', 'main..conductor/item/7')).toBe('1\n');
    const kept = `refs/conductor/salvage/${second.runId}.branch`;
    expect(await scene.repo.git('rev-parse', kept)).toBe(`${old}\n`);
    const metadata = await readFile(join(recordPath(scene, first.runId), 'metadata.json'), 'utf8');
    const { workspace } = JSON.parse(metadata) as { workspace: { worktree_path: string } };
    expect(await readFile(join(workspace.worktree_path, 'src/area.ts'), 'utf8')).toContain('w * h');
  });

  it('does not move a branch that the user has checked out, and says where the result is', async () => {
    const scene = await openRoles({ implement: `${WRITE} ${COMPLETED}`, review: APPROVE });
    const mine = scene.beside('mine');
    await scene.repo.git('branch', 'conductor/item/7');
    await scene.repo.git('worktree', 'add', '-q', mine, 'conductor/item/7');
    const before = await scene.repo.git('rev-parse', 'conductor/item/7');
    const { state, runId } = await scene.run(implement());
    expect(accepted(state).result).toMatchObject({ outcome: 'completed' });
    expect(await scene.repo.git('rev-parse', 'conductor/item/7')).toBe(before);
    expect(await gitAt(mine, 'status', '--porcelain')).toBe('');
    const salvage = `refs/conductor/salvage/${runId}`;
    expect(await scene.repo.git('show', `${salvage}:src/area.ts`)).toContain('w * h');
    const notices = (await events(scene, runId)).filter(({ event_type }) => event_type === 'notice_recorded');
    expect(notices.map(({ payload }) => payload.message)).toEqual([
      `the branch conductor/item/7 is checked out in ${mine}, so conductor left it alone; the result is at ${salvage}`,
    ]);
  });

  it.each([
    [
      'a file that is not JSON',
      "give('{ role');",
      'the implementor returned no result; the result file is ignored: it is not JSON',
    ],
    [
      'prose alone',
      "console.log('All done, everything is implemented.');",
      'the implementor returned no result',
    ],
    [
      'a result that breaks the contract',
      "give({ role: 'implementor', outcome: 'finished', summary: 1 });",
      'the result of the implementor breaks its contract: outcome: ',
    ],
    [
      'the result of another role',
      APPROVE,
      'the implementor returned the result of another role: "reviewer"',
    ],
  ])('is a failed run with %s', async (_, act, reason) => {
    const scene = await openRoles({ implement: `${WRITE} ${act}`, review: APPROVE });
    const { state, runId } = await scene.run(implement());
    expect(refusal(state)).toContain(reason);
    await expectSoundRecord(recordPath(scene, runId));
  });

  it('is a failed run when its agent is killed', async () => {
    const scene = await openRoles({
      implement: `${WRITE} ${COMPLETED} process.kill(process.pid, 'SIGKILL');`,
    });
    const { state, runId } = await scene.run(implement());
    expect(refusal(state)).toMatch(/^says completed, but the run ended error/);
    await expectSoundRecord(recordPath(scene, runId));
  });

  it('reads the result from the end of the last word as well', async () => {
    const result = { role: 'implementor', outcome: 'completed', summary: 'Said.' };
    const scene = await openRoles({
      implement: `${WRITE} console.log('Here it is.'); console.log('${JSON.stringify(result)}');`,
      review: APPROVE,
    });
    expect(accepted((await scene.run(implement())).state).result).toMatchObject(result);
  });
});

describe("a planner's run", () => {
  const PLAN = "give({ role: 'planner', create: [], close: ['9'], update: [] });";
  const spec = { filePath: 'docs/specs/a.md', blobSHA: 'a1', frontmatterStatus: 'approved' as const };
  const request = {
    role: 'planner' as const,
    specs: [{ spec, text: '# A\n\nAreas {% raw %}.\n', diff: '@@ -1 +1 @@\n-old\n+new\n' }],
    items: [GIVEN],
  };

  it('is given specs in full, their diffs and all items, and returns a plan', async () => {
    const scene = await openRoles({ plan: PLAN });
    const { state, runId } = await scene.run(request);
    expect(accepted(state)).toEqual({
      ok: true,
      result: { role: 'planner', create: [], close: ['9'], update: [] },
    });
    const seen = scene.seen('plan');
    expect(seen).toContain(JSON.stringify('# A\n\nAreas {% raw %}.\n'));
    expect(seen).toContain(JSON.stringify('@@ -1 +1 @@\n-old\n+new\n'));
    expect(seen).toContain('"status": "ready"');
    expect(seen).toContain(JSON.stringify(BODY));
    await expectSoundRecord(recordPath(scene, runId));
  });

  it('is refused where it changed a file', async () => {
    const scene = await openRoles({ plan: `writeFileSync('notes.md', 'x'); ${PLAN}` });
    expect(refusal((await scene.run(request)).state)).toMatch(/^the run ended policy: /);
  });

  it('takes five hundred items, and a result as long', async () => {
    const create = `Array.from({ length: 500 }, (_, at) => ({ tempID: 't' + at, title: 'T', body: 'b'.repeat(1500), labels: [], blockedBy: [] }))`;
    const scene = await openRoles({
      plan: `give({ role: 'planner', create: ${create}, close: [], update: [] });`,
    });
    const body = 'x'.repeat(2_000);
    const specs = Array.from({ length: 500 }, (_, at) => ({
      ...request.specs[0],
      spec,
      text: `${body}${at}`,
      diff: null,
    }));
    const { state, runId } = await scene.run({ ...request, specs });
    const { result } = accepted(state);
    expect(result.role === 'planner' ? result.create.length : 0).toBe(500);
    expect(scene.seen('plan')).toContain(`${body}499`);
    await expectSoundRecord(recordPath(scene, runId));
  });

  it('is refused with the problems that its contract has', async () => {
    const scene = await openRoles({ plan: PLAN });
    const items = [GIVEN, { ...GIVEN, item: { ...ITEM, id: '8' } }];
    expect(refusal((await scene.run({ ...request, items })).state)).toBe(
      'the result of the planner breaks its contract: P1: too many items',
    );
  });

  it('does not start with an agent that is not configured, and names the key', async () => {
    const scene = await openRoles({ plan: PLAN }, { planner: 'nobody' });
    const { state, accepted: ids } = await scene.run(request);
    expect(ids).toEqual([]);
    expect(state).toEqual({
      kind: 'lost',
      reason:
        'the run can\'t start: work.agents.planner names the agent "nobody", which is not configured (correct work.agents.planner in .tnh/config.yaml, or add agents.nobody)',
    });
  });
});

describe("a reviewer's run", () => {
  const FIND = `give({ role: 'reviewer', review: { verdict: 'needs-changes', summary: 'One.', comments: [
    { path: 'src/area.ts', line: 1, body: 'What: a. Why: b. Fix: c.' }] } });`;

  async function review(act: string) {
    const scene = await openRoles({ review: act });
    await scene.repo.git('switch', '-q', '-c', 'conductor/item/7');
    await scene.repo.write('src/area.ts', 'export const area = 2;\n');
    await scene.repo.git('commit', '-qam', 'revision');
    const head = (await scene.repo.git('rev-parse', 'HEAD')).trim();
    await scene.repo.git('switch', '-q', 'main');
    const ran = await scene.run({
      role: 'reviewer',
      item: GIVEN,
      revision: revisionAt(head, { pipeline: { status: 'success', url: null, reason: null } }),
      reviews: [],
    });
    return { scene, head, ...ran };
  }

  it.each([
    ['approve', APPROVE],
    ['needs-changes', FIND],
  ])('returns %s on the head of the revision', async (verdict, act) => {
    const { scene, head, state, runId } = await review(act);
    expect(accepted(state).result).toMatchObject({ role: 'reviewer', review: { verdict } });
    const [started] = await events(scene, runId);
    expect(started?.payload.base_sha).toBe(head);
    const seen = scene.seen('review');
    expect(seen).toContain('+export const area = 2;');
    expect(seen).toContain('A missing input');
    expect(seen).not.toContain('Earlier reviews:');
    await expectSoundRecord(recordPath(scene, runId));
  });

  it('is refused where it changed a file', async () => {
    const { state } = await review(`writeFileSync('src/area.ts', ''); ${APPROVE}`);
    expect(refusal(state)).toMatch(/^the run ended policy: /);
  });
});
