import { describe, expect, it } from 'vitest';
import type { RoleEnd, RoleRequest } from '../../../../src/work/engine/role.ts';
import { APPROVES, applyPlan, createEngineFixture, implemented, NEVER, task } from './engine-fixture.ts';

const workAndApprove = async (request: RoleRequest): Promise<RoleEnd> =>
  request.role === 'reviewer' ? APPROVES : implemented();

describe('the work item engine', () => {
  it('takes an item from its plan to its merge', async () => {
    const { engine, plan, status, eventsOf } = createEngineFixture(workAndApprove);
    await plan(task('a'));
    expect(await engine.runUntilIdle(NEVER)).toEqual({ kind: 'idle', problems: [] });
    expect(await status('1')).toBe('approved');
    expect(await engine.executeCommand({ kind: 'merge', itemId: '1' }, 'ann')).toEqual({ kind: 'done' });
    expect(await status('1')).toBe('closed');
    expect(eventsOf('revision_merged')).toMatchObject([{ item_id: '1', into: 'main', by: 'ann' }]);
    expect(eventsOf('command_refused')).toEqual([]);
  });

  it('calls listeners for each entry once, in order', async () => {
    const { engine, plan, journal } = createEngineFixture(workAndApprove);
    await plan(task('a'));
    const before = journal.entries.length;
    const seen: number[] = [];
    await engine.runUntilIdle(NEVER, { onEvent: ({ seq }) => seen.push(seq) });
    expect(seen).toEqual(journal.entries.slice(before).map(({ seq }) => seq));
  });

  it('starts only the roles that it is asked to start', async () => {
    const { engine, plan, status, runner } = createEngineFixture(workAndApprove);
    await plan(task('a'));
    await engine.runUntilIdle(NEVER, { roles: ['implementor'] });
    expect(await status('1')).toBe('review');
    expect(runner.requests.map(({ request }) => request.role)).toEqual(['implementor']);
  });

  it('gives the planner the text of each spec and what changed since it was planned', async () => {
    const { engine, specs, runner } = createEngineFixture(async () => ({
      ok: true,
      result: { role: 'planner', create: [], close: [], update: [] },
    }));
    specs.files.set('a.md', { text: 'one', status: 'approved' });
    await engine.runUntilIdle(NEVER);
    specs.files.set('a.md', { text: 'two', status: 'approved' });
    await engine.runUntilIdle(NEVER);
    expect(runner.requests.map(({ request }) => request)).toMatchObject([
      { specs: [{ text: 'one', diff: null }] },
      { specs: [{ text: 'two', diff: '-one\n+two' }] },
    ]);
  });

  it('stops planning after three failures and reports it, until a user requests a plan', async () => {
    const { engine, specs, runner } = createEngineFixture(async () => ({ ok: false, reason: 'no idea' }));
    specs.files.set('a.md', { text: 'one', status: 'approved' });
    const end = await engine.runUntilIdle(NEVER);
    expect(end.problems).toEqual([
      'planning has stopped: 3 planner runs in a row failed with these specs: no idea',
    ]);
    expect(runner.requests).toHaveLength(3);
    expect((await engine.snapshot()).planningStopped).toContain('no idea');
    expect(await engine.plan('ann', NEVER)).toMatchObject({
      kind: 'accepted',
      conclusion: { ok: false, reason: 'no idea' },
    });
    expect(runner.requests).toHaveLength(4);
  });

  it('changes nothing for a plan that fails its check, and counts it', async () => {
    const { result } = applyPlan({ close: ['7'] });
    const { engine, specs, eventsOf } = createEngineFixture(async () => ({ ok: true, result }));
    specs.files.set('a.md', { text: 'one', status: 'approved' });
    const end = await engine.runUntilIdle(NEVER);
    expect(end.problems[0]).toContain('there is no item 7');
    expect(
      eventsOf('command_started').filter(
        (event) => 'command' in event && event.command.kind === 'apply_planner_result',
      ),
    ).toEqual([]);
  });

  it('applies five hundred items in one write', async () => {
    const { provider, plan, engine } = createEngineFixture(workAndApprove);
    await plan(
      ...Array.from({ length: 500 }, (_, index) =>
        task(`t${index}`, { blockedBy: index === 499 ? [] : [`t${index + 1}`] }),
      ),
    );
    expect(provider.done.size).toBe(1);
    const { state } = await engine.snapshot();
    expect(state.items.size).toBe(500);
    expect(state.items.get('1')?.item.blockedBy).toEqual(['2']);
  });

  it.each<[string, RoleEnd, string, string]>([
    [
      'blocked',
      implemented({ outcome: 'blocked', patch: null, summary: 'Type: spec-gap\nmore' }),
      'blocked',
      'Type: spec-gap',
    ],
    [
      'validation-failure',
      implemented({ outcome: 'validation-failure', patch: null, summary: 'lint fails' }),
      'needs-refinement',
      'lint fails',
    ],
    [
      'completed with an empty patch, three times',
      implemented({ patch: '' }),
      'blocked',
      'it failed 3 times in a row: it reports completed, but changed no file',
    ],
    [
      'completed with a patch that does not apply',
      implemented({ patch: 'CONFLICT' }),
      'blocked',
      'it failed 3 times in a row: the patch does not apply',
    ],
    [
      'no result, three times',
      { ok: false, reason: 'it fell over' },
      'blocked',
      'it failed 3 times in a row: it fell over',
    ],
  ])('after %s leaves the item to users with the reason', async (_, end, expected, reason) => {
    const { engine, plan, eventsOf } = createEngineFixture(async () => end);
    await plan(task('a'));
    await engine.runUntilIdle(NEVER);
    const { state } = await engine.snapshot();
    expect(state.items.get('1')).toMatchObject({ item: { status: expected }, statusReason: reason });
    expect(eventsOf('revision_made')).toEqual([]);
  });

  it('keeps summaries, and puts scope corrections into the message of the commit', async () => {
    const summary = 'Did it.\n- Scope correction: src/a.ts -> src/b.ts: the handler lives there';
    const { engine, plan, provider } = createEngineFixture(async (request) =>
      request.role === 'reviewer' ? APPROVES : implemented({ summary }),
    );
    const messages: string[] = [];
    const { makeRevision } = provider;
    Object.assign(provider, {
      makeRevision: (key: string, request: Parameters<typeof makeRevision>[1]) => {
        messages.push(request.message);
        return makeRevision(key, request);
      },
    });
    await plan(task('a'));
    await engine.runUntilIdle(NEVER);
    expect((await engine.snapshot()).state.items.get('1')?.summaries).toMatchObject([{ summary }]);
    expect(messages).toEqual([
      'task a\n\nWork item: 1\nScope correction: src/a.ts -> src/b.ts: the handler lives there',
    ]);
  });

  it('retries an item whose checks fail, from its revision', async () => {
    const { engine, plan, provider, runner, status } = createEngineFixture(workAndApprove);
    let red = 1;
    provider.checks = () => ({ status: red-- > 0 ? 'failure' : 'success', url: null, reason: 'lint' });
    await plan(task('a'));
    await engine.runUntilIdle(NEVER);
    expect(await status('1')).toBe('approved');
    expect(runner.requests.map(({ request }) => request)).toMatchObject([
      { role: 'implementor', earlier: null },
      { role: 'implementor', earlier: { revision: { pipeline: { status: 'failure', reason: 'lint' } } } },
      { role: 'reviewer' },
    ]);
  });

  it('does not constantly request checks that another process runs', async () => {
    const { engine, plan, provider, sleeps, status } = createEngineFixture(workAndApprove);
    let requested = 0;
    const pending = { status: 'pending', url: null, reason: null } as const;
    provider.checks = () => {
      requested += 1;
      return requested < 5 ? pending : { ...pending, status: 'success' };
    };
    await plan(task('a'));
    await engine.runUntilIdle(NEVER);
    expect(await status('1')).toBe('approved');
    expect(sleeps()).toBeGreaterThanOrEqual(4);
  });

  it('records changes at the provider', async () => {
    const { engine, plan, provider, status, eventsOf } = createEngineFixture(workAndApprove);
    await plan(task('a', { blockedBy: ['b'] }), task('b', { labels: ['task:refinement', 'priority:high'] }));
    await engine.runUntilIdle(NEVER);
    expect(await status('1')).toBe('pending');
    provider.meddle('2', (found) => ({
      ...found,
      body: 'answered',
      item: { ...found.item, status: 'closed' },
    }));
    await engine.runUntilIdle(NEVER);
    expect(await status('1')).toBe('approved');
    expect(eventsOf('status_changed')).toContainEqual(
      expect.objectContaining({ item_id: '2', to: 'closed', by: 'provider' }),
    );
    expect(eventsOf('item_updated')).toMatchObject([{ body: 'answered' }]);
  });

  it('tries what the provider refused again, later and with the same key', async () => {
    const { engine, plan, provider, status, eventsOf } = createEngineFixture(workAndApprove);
    await plan(task('a'));
    const { write } = provider;
    let failures = 2;
    Object.assign(provider, {
      write: async (...given: Parameters<typeof write>) => {
        if (given[0].startsWith('apply/') && failures-- > 0) throw new Error('the disk is full');
        return write(...given);
      },
    });
    expect((await engine.runUntilIdle(NEVER)).problems).toEqual([]);
    expect(await status('1')).toBe('approved');
    expect(eventsOf('command_failed')).toMatchObject([
      { reason: 'the disk is full' },
      { reason: 'the disk is full' },
    ]);
    expect(eventsOf('revision_made')).toHaveLength(1);
  });

  it('is idle, with the reason, if the provider keeps refusing', async () => {
    const { engine, plan, provider, eventsOf } = createEngineFixture(workAndApprove);
    await plan(task('a'));
    Object.assign(provider, { write: async () => Promise.reject(new Error('the disk is full')) });
    expect((await engine.runUntilIdle(NEVER)).problems).toEqual(['transition/1/2/ready: the disk is full']);
    expect(eventsOf('command_failed')).toHaveLength(3);
  });

  it("leaves an item to users if its run can't start", async () => {
    const { engine, plan, status, runner } = createEngineFixture(workAndApprove);
    Object.assign(runner, { run: async () => ({ kind: 'lost', reason: 'no such agent' }) });
    await plan(task('a'));
    await engine.runUntilIdle(NEVER);
    expect(await status('1')).toBe('ready');
    expect((await engine.snapshot()).state.items.get('1')?.failedStarts).toHaveLength(3);
  });

  it('ends a lost run, and retries its item without counting a failure', async () => {
    const { engine, plan, runner, status, eventsOf } = createEngineFixture(workAndApprove);
    await plan(task('a'));
    await engine.recover();
    const lost = { runId: 'gone', role: 'implementor', itemId: '1', specs: [], revisionId: null } as const;
    await engine.executeCommand({ kind: 'accept_run', ...lost }, 'ann');
    await engine.recover();
    expect(runner.cancelled).toEqual(['gone']);
    expect(eventsOf('run_ended')).toMatchObject([{ run_id: 'gone', ok: false, counted: false }]);
    expect(await status('1')).toBe('ready');
  });

  it('leaves a run at a gate alone and applies its result when it has ended elsewhere', async () => {
    const { engine, plan, runner, status } = createEngineFixture(workAndApprove);
    const { run } = runner;
    Object.assign(runner, {
      run: async (
        request: RoleRequest,
        onAccepted: (runId: string) => Promise<void>,
        signal: AbortSignal,
      ) => {
        if (request.role === 'reviewer') return run(request, onAccepted, signal);
        await onAccepted('gated');
        runner.runs.set('gated', { kind: 'waiting', reason: 'a gate asks' });
        return { kind: 'waiting', reason: 'a gate asks' };
      },
    });
    await plan(task('a'));
    await engine.runUntilIdle(NEVER);
    expect(await status('1')).toBe('in-progress');
    expect((await engine.snapshot()).limits.waitingRuns.get('gated')?.reason).toBe('a gate asks');
    runner.runs.set('gated', { kind: 'ended', end: implemented() });
    await engine.runUntilIdle(NEVER);
    expect(await status('1')).toBe('approved');
  });
});
