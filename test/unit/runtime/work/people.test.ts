import { describe, expect, it } from 'vitest';
import type { RoleEnd, RoleRequest } from '../../../../src/work/engine/role.ts';
import { WORK_BOUNDARIES, withBoundaries } from '../../../../testing/work-boundaries.ts';
import { APPROVES, aborted, createEngineFixture, implemented, NEVER, task } from './engine-fixture.ts';

const workAndApprove = async (request: RoleRequest): Promise<RoleEnd> =>
  request.role === 'reviewer' ? APPROVES : implemented();

describe('a user', () => {
  it('who closes an item stops the run on it, whose result is refused and whose summary is kept', async () => {
    const fixture = createEngineFixture(async (_, __, signal) => {
      await fixture.engine.executeCommand(
        { kind: 'transition', itemId: '1', to: 'closed', reason: 'no more' },
        'ann',
      );
      await aborted(signal);
      return implemented({ summary: 'in vain' });
    });
    await fixture.plan(task('a'));
    await fixture.engine.runUntilIdle(NEVER);
    expect(await fixture.status('1')).toBe('closed');
    expect(fixture.eventsOf('command_refused')).toMatchObject([
      { kind: 'apply_implementor_result', code: 'item_moved' },
    ]);
    expect(fixture.eventsOf('summary_kept')).toMatchObject([{ summary: 'in vain' }]);
    expect(fixture.eventsOf('revision_made')).toEqual([]);
    expect((await fixture.engine.snapshot()).state.runs.size).toBe(0);
  });

  it('who dispatches an item waits for its end', async () => {
    const { engine, plan, status } = createEngineFixture(workAndApprove);
    await plan(task('a'));
    expect(await engine.dispatch('1', 'ann', NEVER)).toMatchObject({
      kind: 'accepted',
      conclusion: { kind: 'ended', ok: true },
    });
    expect(await status('1')).toBe('review');
  });

  it.each([
    ['an item that is not there', '9', 'unknown_item', 'list the items: conductor work list'],
    ['a question', '1', 'not_code', 'answer it in the spec, then move the item to closed'],
  ])('who dispatches %s gets the reason and the fix', async (_, id, code, help) => {
    const { engine, plan, eventsOf } = createEngineFixture(workAndApprove);
    await plan(task('a', { labels: ['task:refinement', 'priority:high'] }));
    expect(await engine.dispatch(id, 'ann', NEVER)).toMatchObject({ kind: 'refused', code, help });
    expect(eventsOf('command_refused')).toMatchObject([{ by: 'ann', code }]);
  });

  it('who supplies the result of an implementor moves a ready item on', async () => {
    const { engine, plan, status } = createEngineFixture(workAndApprove);
    await plan(task('a'));
    await engine.recover();
    const result = { role: 'implementor', outcome: 'completed', patch: 'mine', summary: 'by hand' } as const;
    const command = {
      kind: 'apply_implementor_result',
      runId: 'by hand',
      itemId: '1',
      base: 'base',
      result,
    } as const;
    expect(await engine.executeCommand(command, 'ann')).toEqual({ kind: 'done' });
    expect(await status('1')).toBe('review');
  });

  it('who asks for a plan without specs is refused', async () => {
    const { engine } = createEngineFixture(workAndApprove);
    expect(await engine.plan('ann', NEVER)).toMatchObject({ kind: 'refused', code: 'nothing_to_plan' });
  });

  it('who asks for a review gets one', async () => {
    const { engine, plan, status } = createEngineFixture(workAndApprove);
    await plan(task('a'));
    await engine.runUntilIdle(NEVER, { roles: ['implementor'] });
    expect(await engine.review('1', 'ann', NEVER)).toMatchObject({ kind: 'accepted' });
    expect(await status('1')).toBe('approved');
  });

  it.each(['none', ...WORK_BOUNDARIES.filter((name) => /append|write|cancel/.test(name))])(
    'who cancels a run finds the item blocked, killed at: %s',
    async (boundary) => {
      const controller = new AbortController();
      const fixture = createEngineFixture(async (_, __, signal) => {
        await aborted(signal);
        return { ok: false, reason: 'stopped' };
      });
      await fixture.plan(task('a'));
      const watching = fixture.engine.watch(controller.signal);
      while ((await fixture.status('1')) !== 'in-progress')
        await new Promise((resolve) => setImmediate(resolve));
      let dead = false;
      const ports = withBoundaries(fixture, async (name) => {
        dead ||= name === boundary;
        if (dead) throw new Error('killed');
      });
      const requested = fixture.startEngine(ports).executeCommand({ kind: 'cancel_run', itemId: '1' }, 'ann');
      await requested.catch(() => undefined);
      if (boundary === 'before append')
        await fixture.engine.executeCommand({ kind: 'cancel_run', itemId: '1' }, 'ann');
      while ((await fixture.status('1')) !== 'blocked') await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await watching;
      const { state } = await fixture.engine.snapshot();
      expect(state.items.get('1')).toMatchObject({ item: { status: 'blocked' }, failures: [] });
      expect(state.items.get('1')?.statusReason).toContain('ann cancelled run');
      expect([state.runs.size, state.started.size]).toEqual([0, 0]);
      expect(fixture.eventsOf('run_ended')).toHaveLength(1);
    },
  );
});

describe('a watch', () => {
  it('stops its agents on the signal, which is recorded and no failure', async () => {
    const controller = new AbortController();
    const { engine, plan, eventsOf } = createEngineFixture(async (_, __, signal) => {
      controller.abort();
      if (!signal.aborted) await aborted(signal);
      return { ok: false, reason: 'stopped by a signal' };
    });
    await plan(task('a'));
    expect(await engine.watch(controller.signal)).toMatchObject({ kind: 'stopped' });
    const { state } = await engine.snapshot();
    expect(state.items.get('1')).toMatchObject({ item: { status: 'pending' }, failures: [] });
    expect(eventsOf('run_ended')).toMatchObject([
      { ok: false, counted: false, reason: 'stopped by a signal' },
    ]);
  });

  it('handles changes while it waits', async () => {
    const controller = new AbortController();
    const { engine, plan, status } = createEngineFixture(workAndApprove);
    const watching = engine.watch(controller.signal);
    await plan(task('a'));
    while ((await status('1')) !== 'approved') await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await watching).toEqual({ kind: 'stopped', problems: [] });
  });
});
