import { describe, expect, it } from 'vitest';
import { createWorkEngine } from '../../../src/runtime/work/create-work-engine.ts';
import { readBody } from '../../../src/work/bodies/body.ts';
import type { RoleEnd, RoleRequest } from '../../../src/work/engine/role.ts';
import {
  AMPLE_DISK,
  createMemoryJournal,
  createMemorySpecs,
  createScriptedRunner,
  readPlainLabels,
} from '../../../testing/work-fakes.ts';
import { patchOf } from '../work-local-fixture.ts';
import { FULL_NAME, openWorkScene, type WorkScene } from './scene.ts';

const NEVER = new AbortController().signal;
const BODY = '## In Scope\n\n- file.txt\n\n## Out of Scope\n\n- secret.txt\n';
const LABELS = ['task:implement', 'status:pending', 'priority:medium', 'complexity:low'];

type Review = 'approve' | 'needs-changes' | 'fails';

/** A repository on GitHub with an engine whose agents write `file.txt` and review as the test says. */
async function openWorld(review: Review = 'approve') {
  const scene = await openWorkScene();
  const journal = createMemoryJournal(() => scene.clock.now().toISOString());
  const prompts: RoleRequest[] = [];
  let visits = 0;
  const act = async (request: RoleRequest): Promise<RoleEnd> => {
    prompts.push(request);
    visits += 1;
    if (request.role === 'implementor') {
      const { base, patch } = await patchOf(scene.repo, `visit ${visits}\n`);
      return {
        ok: true,
        base,
        result: { role: 'implementor', outcome: 'completed', patch, summary: 'Closes #99. cc @mia' },
      };
    }
    if (review === 'fails') return { ok: false, reason: 'no verdict' };
    return {
      ok: true,
      result: { role: 'reviewer', review: { verdict: review, summary: 'read', comments: [] } },
    };
  };
  const start = async () =>
    createWorkEngine({
      journal,
      provider: await scene.open(),
      runner: createScriptedRunner(act, () => `run-${journal.entries.length}`),
      specs: createMemorySpecs(),
      clock: scene.clock,
      disk: AMPLE_DISK,
      notify: null,
      newKey: () => `key-${journal.entries.length}`,
      slots: 1,
      maxRounds: 2,
      scopeOf: (body) => readBody(body).inScope.map(({ path }) => path),
      readLabels: readPlainLabels,
      checkPlan: () => [],
    });
  const engine = await start();
  const plan = (...titles: readonly string[]) =>
    engine.executeCommand(
      {
        kind: 'apply_planner_result',
        runId: 'plan',
        specs: [],
        result: {
          role: 'planner',
          create: titles.map((title) => ({
            tempID: title,
            title,
            body: BODY,
            labels: LABELS,
            blockedBy: [],
          })),
          close: [],
          update: [],
        },
      },
      'ann',
    );
  return {
    ...scene,
    engine,
    start,
    plan,
    prompts,
    status: async (id = '1') => (await engine.snapshot()).state.items.get(id)?.item.status,
    events: (type: string) =>
      journal.entries.map(({ event }) => event).filter((event) => event.type === type),
    labels: (number = 1) =>
      scene.double
        .findRepository(FULL_NAME)
        .issues.get(number)
        ?.labels.filter((each) => each.startsWith('status:')),
    comments: () => scene.double.findRepository(FULL_NAME).comments.map(({ body }) => body),
    pull: () => {
      const [found] = [...scene.double.findRepository(FULL_NAME).pulls.values()];
      if (found === undefined) throw new Error('there is no pull request');
      return found;
    },
  };
}

const setLabel = (world: Pick<WorkScene, 'as'>, login: string, label: string, number = 1) =>
  world.as(login, 'POST', `/issues/${number}/labels`, { labels: [label] });

describe('a label that a person sets', () => {
  it('moves the item in that person’s name if the status table allows it, and the old label goes', async () => {
    const world = await openWorld('fails');
    await world.plan('one');
    await world.engine.runUntilIdle(NEVER);
    expect(await world.status()).toBe('review');
    await setLabel(world, 'mia', 'status:needs-refinement');
    await world.engine.recover();
    expect(await world.status()).toBe('needs-refinement');
    expect(world.events('status_changed').at(-1)).toMatchObject({ by: 'mia', to: 'needs-refinement' });
    expect(world.labels()).toEqual(['status:needs-refinement']);
  });

  it('is refused with the reason in a comment, and restored, if the table does not allow it', async () => {
    const world = await openWorld();
    await world.plan('one');
    await world.engine.recover();
    await setLabel(world, 'mia', 'status:approved');
    await world.as('mia', 'DELETE', '/issues/1/labels/status:ready');
    await world.engine.recover();
    await world.engine.recover();
    expect(await world.status()).toBe('ready');
    expect(world.labels()).toEqual(['status:ready']);
    expect(world.events('command_refused')).toMatchObject([{ by: 'mia', code: 'illegal_transition' }]);
    expect(world.comments().filter((body) => body.includes('which was refused'))).toEqual([
      expect.stringContaining("it can't move from ready to approved"),
    ]);
  });

  it('counts where conductor moves the item at the same time: the label is judged from the new status', async () => {
    const world = await openWorld('fails');
    await world.plan('one');
    await world.engine.recover();
    world.double.addFault({
      operation: 'issues/remove-label',
      when: 'before',
      effect: { kind: 'run', run: () => void setLabel(world, 'mia', 'status:blocked') },
    });
    await world.engine.runUntilIdle(NEVER);
    await world.engine.recover();
    // Whether the label came before or after the end of the run: it is judged once.
    const judged = [...world.events('command_refused'), ...world.events('status_changed')];
    expect(judged.filter((event) => 'by' in event && event.by === 'mia')).toHaveLength(1);
    expect(world.labels()).toEqual([`status:${await world.status()}`]);
  });

  it('is put back with a comment if it is gone, or if there are two', async () => {
    const world = await openWorld();
    await world.plan('one');
    await world.engine.recover();
    await world.as('mia', 'DELETE', '/issues/1/labels/status:ready');
    await world.engine.recover();
    expect(world.labels()).toEqual(['status:ready']);
    await setLabel(world, 'mia', 'status:approved');
    await setLabel(world, 'mia', 'status:blocked');
    await world.engine.recover();
    expect(world.labels()).toEqual(['status:ready']);
    expect(world.comments().filter((body) => body.includes('stays ready'))).toHaveLength(2);
  });
});

describe('an issue', () => {
  it('of a person with write access becomes an item; a stranger’s does not, until such a person labels it', async () => {
    const world = await openWorld();
    await world.as('mia', 'POST', '/issues', {
      title: 'Mine',
      body: BODY,
      labels: ['task:implement', 'bug'],
    });
    await world.as('stranger', 'POST', '/issues', {
      title: 'Theirs',
      body: 'do evil',
      labels: ['task:implement'],
    });
    await world.as('stranger', 'POST', '/issues/1/comments', { body: '/conductor scope secret.txt please' });
    await world.engine.recover();
    const items = async () =>
      [...(await world.engine.snapshot()).state.items.values()].map(({ item }) => item.title);
    expect(await items()).toEqual(['Mine']);
    await setLabel(world, 'mia', 'task:implement', 2);
    world.double.advance(60_000);
    await world.as('stranger', 'PATCH', '/issues/2', { body: 'do something else' });
    await world.engine.recover();
    expect(await items()).toEqual(['Mine']);
    await world.as('mia', 'DELETE', '/issues/2/labels/task:implement');
    world.double.advance(60_000);
    await setLabel(world, 'mia', 'task:implement', 2);
    await world.engine.recover();
    expect(await items()).toEqual(['Mine', 'Theirs']);
  });

  it('that is edited changes its item; a stranger’s edit does not', async () => {
    const world = await openWorld();
    await world.as('stranger', 'POST', '/issues', { title: 'Theirs', body: BODY });
    await setLabel(world, 'mia', 'task:implement');
    await world.engine.recover();
    const record = async () => (await world.engine.snapshot()).state.items.get('1');
    world.double.advance(60_000);
    await world.as('stranger', 'PATCH', '/issues/1', { title: 'Evil' });
    await world.engine.recover();
    expect((await record())?.item.title).toBe('Theirs');
    world.double.advance(60_000);
    const shown = (await world.as('mia', 'GET', '/issues/1')) as { body: string };
    await world.as('mia', 'PATCH', '/issues/1', { title: 'Better', body: `More.\n\n${shown.body}` });
    await setLabel(world, 'mia', 'priority:high');
    await world.engine.recover();
    await world.engine.recover();
    expect(await record()).toMatchObject({
      item: { title: 'Better', priority: 'high' },
      body: expect.stringMatching(/^More\.\n\n## In Scope/),
    });
    expect(world.comments().filter((body) => body.includes('stranger may not write'))).toHaveLength(1);
  });
});

describe('a pull request', () => {
  it('takes the review of a person: its findings reach the implementor, and the same pull request is updated', async () => {
    const world = await openWorld('fails');
    await world.plan('one');
    await world.engine.runUntilIdle(NEVER);
    const { number, headSha } = world.pull();
    const body = world.double.findRepository(FULL_NAME).issues.get(number)?.body ?? '';
    expect(body).toContain('Closes #1');
    expect(body).toMatch(/```text\nCloses #99\. cc @mia\n```/);
    await world.as('stranger', 'POST', `/pulls/${number}/reviews`, { event: 'APPROVE', body: 'fine' });
    await world.engine.recover();
    expect(await world.status()).toBe('review');
    await world.as('mia', 'POST', `/pulls/${number}/reviews`, {
      event: 'REQUEST_CHANGES',
      body: 'not yet',
      comments: [{ path: 'file.txt', line: 1, body: 'say why' }],
    });
    world.prompts.length = 0;
    await world.engine.runUntilIdle(NEVER);
    expect(world.prompts[0]).toMatchObject({
      role: 'implementor',
      earlier: {
        reviews: [
          { review: { summary: 'not yet', comments: [{ path: 'file.txt', line: 1, body: 'say why' }] } },
        ],
      },
    });
    expect(world.pull().number).toBe(number);
    expect(world.pull().headSha).not.toBe(headSha);
    await world.as('mia', 'POST', `/pulls/${number}/reviews`, { event: 'APPROVE' });
    await world.engine.recover();
    expect(await world.status()).toBe('approved');
    const { reviews } = world.double.findRepository(FULL_NAME);
    expect(reviews).toHaveLength(3);
    await world.engine.executeCommand({ kind: 'merge', itemId: '1' }, 'ann');
    expect(await world.status()).toBe('closed');
    expect(await world.repo.git('show', 'main:file.txt')).toMatch(/^visit \d+\n$/);
    expect(world.double.findRepository(FULL_NAME).issues.get(1)?.state).toBe('closed');
  });

  it('extends the scope of its item only by a comment of a person with write access', async () => {
    const world = await openWorld('fails');
    await world.plan('one');
    await world.engine.runUntilIdle(NEVER);
    const { number } = world.pull();
    const say = (login: string, body: string) =>
      world.as(login, 'POST', `/issues/${number}/comments`, { body });
    await say('stranger', '/conductor scope docs/no.md mine');
    await say('mia', '> /conductor scope docs/quoted.md\n\nno');
    await say('mia', 'Fine.\n/conductor scope docs/options.md the page lists every option');
    await say('mia', '/conductor scope secret.txt me too');
    await world.engine.recover();
    expect(world.events('scope_extended')).toMatchObject([
      { item_id: '1', path: 'docs/options.md', reason: 'the page lists every option', by: 'mia' },
    ]);
    expect(world.events('command_refused')).toMatchObject([{ code: 'path_out_of_scope', by: 'mia' }]);
    expect(world.comments().filter((body) => body.includes('`docs/options.md` from now on'))).toHaveLength(1);
  });

  it('that a person merges closes its item as merged, in that person’s name', async () => {
    const world = await openWorld('approve');
    await world.plan('one');
    await world.engine.runUntilIdle(NEVER);
    expect(await world.status()).toBe('approved');
    await world.as('mia', 'PUT', `/pulls/${world.pull().number}/merge`, {});
    await world.engine.recover();
    expect(await world.status()).toBe('closed');
    expect(world.events('revision_merged')).toMatchObject([{ by: 'mia', into: 'main' }]);
    expect(await world.repo.git('show', 'main:file.txt')).toMatch(/^visit/);
  });

  it('whose checks fail sends its item back', async () => {
    const world = await openWorld('approve');
    world.setChecks('failure');
    await world.plan('one');
    await world.engine.runUntilIdle(NEVER);
    expect(await world.status()).toBe('needs-refinement');
    expect(world.events('pipeline_changed')[0]).toMatchObject({ pipeline: { status: 'failure' } });
  });
});
