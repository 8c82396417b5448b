import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { jsonSchemaOf, type SchemaName } from '../../src/contracts/json-schemas.ts';
import { schemaProblems } from '../unit/json-schema-check.ts';
import { BLOCKED_SUMMARY } from '../unit/work/work-fixtures.ts';
import { until } from './scene.ts';
import { hasDatabase, plan, planned, readMain, test, type WorkScene } from './work-scene.ts';

const PLAN_ONE = plan([planned('one', 'src/one.js')]);
const PLANS_ONE = `give(${JSON.stringify(PLAN_ONE)});`;
const WRITES_ONE = "writeFileSync('src/one.js', 'export const one = 1;\\n'); completed('One is written.');";

/** Runs an action with `--json` and holds what it prints against the schema of that action. */
async function fits(scene: WorkScene, action: string, ...args: readonly string[]) {
  const { stdout, code } = await scene.work(action, ...args, '--json');
  const printed: unknown = JSON.parse(stdout);
  for (const name of [`cli.work-${action}`, 'cli.work'] as SchemaName[])
    expect(schemaProblems(jsonSchemaOf(name), printed), `${action} ${args.join(' ')}`).toEqual([]);
  return { code, printed: printed as Awaited<ReturnType<WorkScene['document']>> };
}

describe('the actions of work', { timeout: 120_000 }, () => {
  test('lead from a plan to a merge, each with a document that matches its schema', async ({
    openWorkScene,
  }) => {
    const scene = await openWorkScene({ plan: PLANS_ONE, one: WRITES_ONE });
    expect((await fits(scene, 'list')).printed.items).toEqual([]);
    expect(hasDatabase(scene)).toBe(false);
    expect((await fits(scene, 'labels')).code).toBe(0);
    expect((await fits(scene, 'plan')).code).toBe(0);
    const again = await scene.work('plan');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('nothing to plan')]);
    expect(await scene.statuses()).toEqual({ one: 'ready' });
    expect((await fits(scene, 'dispatch', '1')).code).toBe(0);
    expect(await scene.statuses()).toEqual({ one: 'approved' });
    const { printed } = await fits(scene, 'show', '1');
    expect(printed.runs.map(({ role, ok }) => [role, ok])).toEqual([
      ['implementor', true],
      ['reviewer', true],
    ]);
    expect(printed.labels).toEqual([
      'task:implement',
      'status:approved',
      'priority:medium',
      'complexity:low',
    ]);
    const [checks = ''] = await readdir(join(scene.repo.root, '.tnh/work/pipelines'));
    const output = join(scene.repo.root, '.tnh/work/pipelines', checks, 'artifacts/tests.stdout.txt');
    expect(await readFile(output, 'utf8')).toBe(`${scene.workspacesDir}/checks-${checks}/work\n`);
    expect((await fits(scene, 'merge', '1', '--as', 'ann')).code).toBe(0);
    expect(await readMain(scene, 'src/one.js')).toBe('export const one = 1;\n');
    expect(await scene.repo.git('status', '--porcelain')).toBe('');
    const twice = await scene.work('merge', '1');
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('item 1 is already closed')]);
    for (const { run_id } of printed.runs) expect((await scene.cli.run(['verify', run_id])).code).toBe(0);
  });

  test('apply what a person brings, and nothing of a plan that breaks its contract', async ({
    openWorkScene,
  }) => {
    const scene = await openWorkScene();
    const cycle = await scene.give(
      'cycle.json',
      plan([
        planned('a', 'src/a.js', ['b']),
        planned('b', 'src/b.js', ['a']),
        planned('c', 'src/c.js', ['9']),
      ]),
    );
    const refused = await scene.work('apply', cycle);
    expect(refused.code).toBe(2);
    for (const code of ['WR106', 'WR104']) expect(refused.stderr).toContain(code);
    expect(hasDatabase(scene) ? await scene.statuses() : {}).toEqual({});
    const good = await scene.give(
      'plan.json',
      plan([planned('b', 'src/b.js', ['a']), planned('a', 'src/a.js')]),
    );
    expect((await fits(scene, 'apply', good)).code).toBe(0);
    expect(await scene.statuses()).toEqual({ b: 'pending', a: 'ready' });
    const listed = await scene.work('list');
    expect(listed.stdout).toContain('blocked by 2 (ready)');
    const twice = await scene.work('apply', good);
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('was applied before')]);
    expect(await scene.statuses()).toEqual({ b: 'pending', a: 'ready' });
    const closes = await scene.give('close.json', plan([], { close: ['2', '2'] }));
    const double = await scene.work('apply', closes);
    expect([double.code, double.stderr]).toEqual([2, expect.stringContaining('WR109')]);
    await scene.work('transition', '2', 'closed', '--reason', 'nobody wants it');
    expect(await scene.statuses()).toEqual({ b: 'ready', a: 'closed' });
  });

  test('name the legal transitions if one is refused, and the nearest id and action if one is unknown', async ({
    openWorkScene,
  }) => {
    const scene = await openWorkScene();
    await scene.work('apply', await scene.give('plan.json', PLAN_ONE));
    await scene.repo.write('docs/specs/numbers.md', '---\nstatus: draft\n---\n');
    await scene.repo.git('commit', '--quiet', '--all', '--message=draft');
    const cases: [readonly string[], number, string][] = [
      [['transition', '1', 'approved'], 1, 'from ready it can move to in-progress or closed'],
      [['transition', '1', 'readdy'], 2, 'did you mean ready?'],
      [['show', '11'], 2, 'did you mean 1?'],
      [['merge', '1'], 1, 'item 1 is ready, not approved'],
      [['review', '1'], 1, 'not in review'],
      [['plan'], 1, 'no approved spec on main: docs/specs/numbers.md is draft'],
      [['dispatch', '1', '--all'], 2, 'takes one item, or --all'],
      [['disptach', '1'], 2, 'did you mean dispatch?'],
      [['list', '--status', 'done'], 2, 'expected one of pending'],
    ];
    for (const [args, code, words] of cases) {
      const result = await scene.work(...args);
      expect([result.code, result.stderr], args.join(' ')).toEqual([code, expect.stringContaining(words)]);
    }
    expect(await scene.statuses()).toEqual({ one: 'ready' });
  });
});

describe('an implementor that changes what is not in its scope', { timeout: 180_000 }, () => {
  const outside = "writeFileSync('notes.txt', 'a new file\\n');";

  test('is not believed, until a person attests the file over the evidence of its run', async ({
    openWorkScene,
  }) => {
    const warns = `review('approve', JSON.parse(inputs.scope_warnings)
      .map((body) => ({ path: 'notes.txt', line: null, body })));`;
    const scene = await openWorkScene({ one: `${outside} ${WRITES_ONE}`, 'review one': warns });
    await scene.work('apply', await scene.give('plan.json', PLAN_ONE));
    const failed = await scene.work('dispatch', '1');
    expect(failed.code).toBe(4);
    expect(failed.stderr).toContain('changed files outside its scope: notes.txt');
    expect(failed.stderr).toContain('it failed 3 times in a row');
    const { runs } = await scene.document('show', '1');
    const run = runs.at(-1)?.run_id ?? '';
    await scene.work('apply', await scene.give('more.json', plan([planned('two', 'src/two.js')])));

    const claims = { role: 'implementor', outcome: 'completed', patch: 'mine', summary: 'One is written.' };
    const result = await scene.give('result.json', claims);
    const alone = await scene.work('apply', result, '--item', '1');
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('names no run as evidence')]);
    await scene.work('transition', '1', 'pending', '--reason', 'the notes are wanted');
    const foreign = await scene.work('apply', result, '--item', '2', '--run', run);
    expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining('a run of item 1')]);
    const silent = await scene.work('apply', result, '--item', '1', '--run', run);
    expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining('notes.txt')]);
    const summary = 'One is written.\nIncidental: notes.txt: it only says what was done.';
    const attested = await scene.give('attested.json', { ...claims, summary });
    expect((await fits(scene, 'apply', attested, '--item', '1', '--run', run)).code).toBe(0);
    expect(await scene.statuses()).toEqual({ one: 'review', two: 'ready' });

    const finding = { path: 'src/one.js', line: 1, body: 'What: x. Why: y. Fix: z.' };
    const review = { verdict: 'approve', summary: 'Fine.', comments: [finding] };
    const broken = await scene.give('review.json', { role: 'reviewer', review });
    expect((await fits(scene, 'apply', broken, '--item', '1')).code).toBe(2);
    const approval = { role: 'reviewer', review: { ...review, comments: [] } };
    const approves = await scene.give('approval.json', approval);
    const stale = await scene.work('apply', approves, '--item', '1', '--run', run);
    expect([stale.code, stale.stderr]).toEqual([1, expect.stringContaining('a run without a review')]);
    const blocked = await scene.give('blocked.json', {
      role: 'implementor',
      outcome: 'blocked',
      patch: null,
      summary: BLOCKED_SUMMARY,
    });
    expect((await fits(scene, 'apply', blocked, '--item', '2')).code).toBe(0);

    expect((await fits(scene, 'review', '1')).code).toBe(0);
    expect(await scene.statuses()).toEqual({ one: 'approved', two: 'blocked' });
    expect((await scene.work('show', '1')).stdout).toContain('[Warning] notes.txt is incidental: attested');
    const { events } = await scene.document('merge', '1');
    expect(events.map(({ event }) => event.type)).toContain('revision_merged');
    expect(await readMain(scene, 'notes.txt')).toBe('a new file\n');
  });

  test('is not believed over a red branch, whatever a file says', async ({ openWorkScene }) => {
    const scene = await openWorkScene({
      one: `writeFileSync('red', ''); ${WRITES_ONE}`,
    });
    await scene.work('apply', await scene.give('plan.json', PLAN_ONE));
    const waits = await scene.work('dispatch', '1');
    expect([waits.code, waits.stderr]).toEqual([3, expect.stringContaining('in-progress')]);
    const { runs } = await scene.document('show', '1');
    const run = runs.at(-1)?.run_id ?? '';
    expect((await scene.work('list')).stdout).toContain('waiting for approval at gate `decide`');
    await scene.cli.run(['approve', run, '--resume']);
    const summary = 'One is written.\nIncidental: red: harmless.';
    const claims = { role: 'implementor', outcome: 'completed', patch: null, summary };
    const result = await scene.give('result.json', claims);
    const applied = await scene.work('apply', result, '--item', '1', '--run', run);
    expect([applied.code, applied.stderr]).toEqual([
      1,
      expect.stringContaining('says completed, but validator tests exited 1'),
    ]);
  });
});

describe('an item whose run waits at a gate', { timeout: 180_000 }, () => {
  const red = `writeFileSync('red', ''); ${WRITES_ONE}`;

  test('is free again when a person moves it, and the run has ended', async ({ openWorkScene }) => {
    const scene = await openWorkScene({ one: red });
    await scene.work('apply', await scene.give('plan.json', PLAN_ONE));
    expect((await scene.work('dispatch', '--all')).code).toBe(3);
    const moved = await scene.work('transition', '1', 'pending', '--reason', 'another way');
    expect([moved.code, moved.stdout]).toEqual([0, expect.stringContaining('pending → ready')]);
    expect((await scene.cli.run(['gates'])).stderr).toContain('no gate is open');
    const { runs } = await scene.document('show', '1');
    expect(runs).toMatchObject([{ ok: false, reason: 'its item or a blocker changed while the run waited' }]);
  });

  test('continues without a user once the gate is answered', async ({ openWorkScene }) => {
    const scene = await openWorkScene({ one: red });
    await scene.work('apply', await scene.give('plan.json', PLAN_ONE));
    expect((await scene.work('dispatch', '--all')).code).toBe(3);
    const { runs } = await scene.document('show', '1');
    await scene.cli.run(['reject', runs[0]?.run_id ?? '', '--comment', 'not like this']);
    await scene.work('dispatch', '--all');
    const after = await scene.document('show', '1');
    expect(after.runs[0]).toMatchObject({
      ok: false,
      reason: expect.stringContaining('says completed, but'),
    });
    expect(after.runs.length).toBeGreaterThan(1);
  });
});

describe('work watch', { timeout: 180_000 }, () => {
  test('plans a spec, works on its items, picks up new ones, and stops at Ctrl-C', async ({
    openWorkScene,
  }) => {
    const scene = await openWorkScene({ plan: PLANS_ONE, one: WRITES_ONE });
    const watching = scene.cli.start(['work', 'watch', '--json']);
    await until(() => watching.stderr().includes('review → approved'));
    watching.kill('SIGINT');
    const { code, stdout } = await watching.done;
    expect(code).toBe(130);
    const printed: unknown = JSON.parse(stdout);
    expect(schemaProblems(jsonSchemaOf('cli.work-watch'), printed)).toEqual([]);
    expect(await scene.statuses()).toEqual({ one: 'approved' });
  });

  test('stops an agent in the middle, and another process does its item again', async ({ openWorkScene }) => {
    const mark =
      "if (!existsSync(process.env.HOME + '/go')) { writeFileSync(process.env.HOME + '/began', ''); await new Promise((go) => setTimeout(go, 120000)); }";
    const scene = await openWorkScene({
      plan: PLANS_ONE,
      one: `const { existsSync } = await import('node:fs'); ${mark} ${WRITES_ONE}`,
    });
    const watching = scene.cli.start(['work', 'watch']);
    await until(() => watching.stderr().includes('ready → in-progress'));
    watching.kill('SIGINT');
    expect((await watching.done).code).toBe(130);
    await writeFile(join(scene.home, 'go'), '');
    const again = await scene.work('dispatch', '--all');
    expect(again.code, again.stderr).toBe(0);
    expect(await scene.statuses()).toEqual({ one: 'approved' });
  });
});
