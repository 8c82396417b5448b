import { describe, expect } from 'vitest';
import { plan, planned, readMain, test, type WorkScene } from './work-scene.ts';

const writes = (name: string, text: string) =>
  `writeFileSync('src/${name}.js', ${JSON.stringify(text)}); completed('${name} is written.');`;

async function apply(scene: WorkScene, ...items: readonly unknown[]): Promise<void> {
  expect((await scene.work('apply', await scene.give('plan.json', plan(items)))).code).toBe(0);
}

interface Shown {
  readonly item: { readonly waiting_reason: { readonly code: string; readonly command: string } | null };
  readonly revision: { readonly headSHA: string; readonly stackedOn?: readonly { itemID: string }[] };
}

const show = async (scene: WorkScene, id: string) =>
  (await scene.document('show', id)) as unknown as Shown & Awaited<ReturnType<WorkScene['document']>>;

describe('a review that fails', { timeout: 180_000 }, () => {
  test('is repeated three times, leaves the work in review, and is run again by a user', async ({
    openWorkScene,
  }) => {
    const scene = await openWorkScene({
      one: writes('one', '1'),
      'review one': `const { existsSync } = await import('node:fs');
        if (existsSync(process.env.HOME + '/fixed')) review('approve');
        else give({ role: 'reviewer', review: { verdict: 'maybe' } });`,
    });
    await apply(scene, planned('one', 'src/one.js'));
    await scene.work('dispatch', '--all');
    expect(await scene.statuses()).toEqual({ one: 'review' });
    const { runs, item, revision } = await show(scene, '1');
    expect(runs.map(({ role }) => role)).toEqual(['implementor', 'reviewer', 'reviewer', 'reviewer']);
    expect(item.waiting_reason).toMatchObject({
      code: 'failed_reviews',
      command: 'conductor work review 1',
    });
    expect((await scene.work('list')).stdout).toContain(
      'review failed 3 times; run it again: conductor work review 1',
    );
    await scene.give('fixed', '');
    expect((await scene.work('review', '1')).code).toBe(0);
    expect(await scene.statuses()).toEqual({ one: 'approved' });
    expect((await show(scene, '1')).revision.headSHA).toBe(revision.headSHA);
  });
});

describe('a review that asks for changes', { timeout: 240_000 }, () => {
  const finding = "[{ path: 'src/one.js', line: 1, body: 'What: x. Why: \"Numbers\" asks for it. Fix: y.' }]";
  test('sends the item back with its findings until its rounds are used up', async ({ openWorkScene }) => {
    const scene = await openWorkScene({
      one: `const seen = inputs.reviews === undefined ? 0 : JSON.parse(inputs.reviews).length;
        writeFileSync('src/one.js', 'export const one = ' + seen + ';\\n// ' + process.env.CONDUCTOR_RUN_ID);
        completed('One is written, ' + seen + ' reviews seen.');`,
      'review one': `if (inputs.patch === undefined) review('approve'); else review('needs-changes', ${finding});`,
    });
    await apply(scene, planned('one', 'src/one.js'));
    await scene.work('dispatch', '--all');
    expect(await scene.statuses()).toEqual({ one: 'needs-refinement' });
    const { runs, item } = await show(scene, '1');
    expect(runs.map(({ role }) => role)).toEqual(
      Array.from({ length: 3 }, () => ['implementor', 'reviewer']).flat(),
    );
    expect(item.waiting_reason).toMatchObject({ code: 'rounds_used_up' });
    expect((await scene.work('show', '1')).stdout).toContain('2 reviews seen.');
  });
});

describe('an item whose blocker is approved but not merged', { timeout: 240_000 }, () => {
  test('starts with its code and is merged after it', async ({ openWorkScene }) => {
    const scene = await openWorkScene({
      one: writes('one', 'export const one = 1;\n'),
      two: `const { readFileSync } = await import('node:fs');
        writeFileSync('src/two.js', readFileSync('src/one.js', 'utf8').replace('one', 'two'));
        completed('Two is written.');`,
    });
    await apply(scene, planned('two', 'src/two.js', ['one']), planned('one', 'src/one.js'));
    expect((await scene.work('dispatch', '--all')).code).toBe(0);
    expect(await scene.statuses()).toEqual({ two: 'approved', one: 'approved' });
    const { revision } = await show(scene, '1');
    expect(revision.stackedOn).toMatchObject([{ itemID: '2' }]);
    const files = await scene.repo.git(
      'diff-tree',
      '--name-only',
      '-r',
      `${revision.headSHA}~`,
      revision.headSHA,
    );
    expect(files.trim()).toBe('src/two.js');
    const refused = await scene.work('merge', '1');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('built on items that are not merged: 2'),
    ]);
    expect((await scene.work('merge', '1', '--with-blockers')).code).toBe(0);
    expect(await readMain(scene, 'src/two.js')).toBe('export const two = 1;\n');
    expect(await scene.statuses()).toEqual({ two: 'closed', one: 'closed' });
  });

  test('is stale when the blocker is closed without a merge', async ({ openWorkScene }) => {
    const scene = await openWorkScene({
      one: writes('one', '1'),
      two: `if (inputs.stale_patch !== undefined) console.log(inputs.stale_patch);
        ${writes('two', '2')}`,
    });
    await apply(scene, planned('two', 'src/two.js', ['one']), planned('one', 'src/one.js'));
    await scene.work('dispatch', '--all');
    const { revision: old } = await show(scene, '1');
    await scene.work('transition', '2', 'closed', '--reason', 'not wanted');
    expect(await scene.statuses()).toEqual({ two: 'ready', one: 'closed' });
    expect((await scene.work('dispatch', '--all')).code).toBe(0);
    const { revision } = await show(scene, '1');
    expect(revision.headSHA).not.toBe(old.headSHA);
    expect(revision.stackedOn).toBeUndefined();
    const { runs } = await show(scene, '1');
    const last = runs.findLast(({ role }) => role === 'implementor')?.run_id ?? '';
    expect((await scene.cli.run(['logs', last])).stdout).toContain('+++ b/src/two.js');
    expect((await scene.work('merge', '1')).code).toBe(0);
    expect(await readMain(scene, 'src/one.js')).toBe('export const one = 0;\n');
  });

  test('waits if its blockers conflict, with the items and the files', async ({ openWorkScene }) => {
    const both = (name: string) =>
      `writeFileSync('src/one.js', '${name}\\n'); completed('Done.\\n\\nIncidental: src/one.js: needed');`;
    const scene = await openWorkScene({ a: both('a'), b: both('b'), c: writes('c', 'c') });
    await apply(
      scene,
      planned('a', 'src/one.js'),
      planned('b', 'src/one.js'),
      planned('c', 'src/c.js', ['a', 'b']),
    );
    await scene.work('dispatch', '--all');
    expect(await scene.statuses()).toEqual({ a: 'approved', b: 'approved', c: 'ready' });
    expect((await scene.work('list')).stdout).toContain(
      'blockers conflict: items 1 and 2 both changed src/one.js',
    );
    expect((await show(scene, '3')).item.waiting_reason).toMatchObject({
      code: 'stack_conflict',
      items: ['1', '2'],
      files: ['src/one.js'],
    });
  });
});

describe('a user who extends the scope of an item', { timeout: 180_000 }, () => {
  test('allows a path by name and with a reason, but nothing that is out of scope', async ({
    openWorkScene,
  }) => {
    const scene = await openWorkScene({ one: `writeFileSync('notes.txt', 'new'); ${writes('one', '1')}` });
    await apply(scene, planned('one', 'src/one.js'));
    await scene.work('dispatch', '--all');
    expect(await scene.statuses()).toEqual({ one: 'blocked' });
    const outside = await scene.work('scope', '1', '--add', 'tools/agent.mjs', '--reason', 'why not');
    expect([outside.code, outside.stderr]).toEqual([
      1,
      expect.stringContaining('under Out of Scope of item 1'),
    ]);
    expect(outside.stderr).toContain('edit the body of the item');
    expect((await scene.work('scope', '1', '--add', 'notes.txt')).code).toBe(2);
    const added = await scene.work('scope', '1', '--add', 'notes.txt', '--reason', 'a note', '--as', 'ann');
    expect([added.code, added.stdout]).toEqual([0, expect.stringContaining('notes.txt allowed by ann')]);
    await scene.work('transition', '1', 'pending', '--reason', 'allowed');
    expect((await scene.work('dispatch', '--all')).code).toBe(0);
    expect(await scene.statuses()).toEqual({ one: 'approved' });
  });
});
