import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../../../src/ports/work/work-provider.ts';
import { APPROVES, createEngineFixture, implemented, NEVER, task } from './engine-fixture.ts';

const HIDDEN = { key: 'label/7', itemId: '1', by: 'mia', reason: 'label set by hand' } as const;

function ask(request: Partial<ProviderRequest> & Pick<ProviderRequest, 'kind'>): ProviderRequest {
  return { ...HIDDEN, ...request } as ProviderRequest;
}

describe('a request of a person at the provider', () => {
  it('is carried out like a command of that person, once', async () => {
    const world = createEngineFixture(async () => implemented());
    await world.plan(task('a'));
    world.provider.ask(ask({ kind: 'transition', to: 'closed' }));
    await world.engine.recover();
    await world.engine.recover();
    expect(await world.status('1')).toBe('closed');
    expect(world.provider.answered.get('label/7')).toEqual({ ok: true });
    expect(world.eventsOf('status_changed')).toMatchObject([
      { to: 'closed', by: 'mia', reason: 'label set by hand' },
    ]);
  });

  it('is refused by the status table, recorded, and answered with the reason', async () => {
    const world = createEngineFixture(async () => implemented());
    await world.plan(task('a'));
    await world.engine.recover();
    world.provider.ask(ask({ kind: 'transition', to: 'approved' }));
    await world.engine.recover();
    expect(await world.status('1')).toBe('ready');
    const reason =
      "item 1: it can't move from ready to approved; from ready it can move to in-progress or closed";
    expect(world.eventsOf('command_refused')).toMatchObject([
      { by: 'mia', kind: 'transition', code: 'illegal_transition', reason },
    ]);
    expect(world.provider.answered.get('label/7')).toMatchObject({ ok: false, reason });
  });

  it('extends the scope in the name of that person', async () => {
    const world = createEngineFixture(async () => implemented());
    await world.plan(task('a'));
    world.provider.ask(ask({ kind: 'extend_scope', path: 'docs/a.md', reason: 'documents it' }));
    await world.engine.recover();
    expect(world.eventsOf('scope_extended')).toMatchObject([
      { item_id: '1', path: 'docs/a.md', reason: 'documents it', by: 'mia' },
    ]);
  });

  it('is a review that sends the item back with its findings, or approves it', async () => {
    let stopsReviewer = true;
    const world = createEngineFixture(async (request) =>
      request.role === 'implementor' ? implemented() : stopsReviewer ? { ok: false, reason: 'no' } : APPROVES,
    );
    await world.plan(task('a'));
    await world.engine.runUntilIdle(NEVER);
    expect(await world.status('1')).toBe('review');
    stopsReviewer = false;
    const [revision] = (await world.provider.read()).revisions;
    const review = { revisionId: revision?.id ?? '', headSHA: revision?.headSHA ?? '' };
    const comments = [{ path: 'src/a.ts', line: 3, body: 'why?' }];
    world.provider.ask(
      ask({
        kind: 'review',
        ...review,
        headSHA: 'an older commit',
        review: { verdict: 'approve', summary: '', comments: [] },
      }),
    );
    await world.engine.recover();
    expect(world.provider.answered.get('label/7')).toMatchObject({ ok: false });
    world.provider.ask(
      ask({
        key: 'review/8',
        kind: 'review',
        ...review,
        review: { verdict: 'needs-changes', summary: 'no', comments },
      }),
    );
    await world.engine.recover();
    expect(world.eventsOf('review_posted')).toMatchObject([{ review: { review: { comments } } }]);
    expect(world.eventsOf('status_changed').at(-2)).toMatchObject({ to: 'pending', by: 'mia' });
    world.provider.ask(
      ask({
        key: 'review/9',
        kind: 'review',
        ...review,
        review: { verdict: 'approve', summary: '', comments: [] },
      }),
    );
    await world.engine.recover();
    expect(world.provider.answered.get('review/9')).toMatchObject({ ok: false });
  });

  it('is a merge of exactly the approved commit', async () => {
    const world = createEngineFixture(async (request) =>
      request.role === 'implementor' ? implemented() : APPROVES,
    );
    await world.plan(task('a'));
    await world.engine.runUntilIdle(NEVER);
    expect(await world.status('1')).toBe('approved');
    world.provider.ask(ask({ kind: 'merge' }));
    await world.engine.recover();
    expect(await world.status('1')).toBe('closed');
    expect(world.eventsOf('revision_merged')).toMatchObject([{ by: 'mia' }]);
  });
});
