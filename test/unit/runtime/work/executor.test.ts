import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../../src/contracts/work/work-event.ts';
import { createCommandExecutor } from '../../../../src/runtime/work/command-executor.ts';
import type { RequestedCommand, WorkCommand } from '../../../../src/work/engine/command.ts';
import {
  createMemoryJournal,
  createMemoryProvider,
  readPlainLabels,
} from '../../../../testing/work-fakes.ts';
import { limits } from '../../work/fixtures.ts';
import { applyPlan, task } from './engine-fixture.ts';

function createExecutorFixture() {
  const journal = createMemoryJournal(() => '2026-01-01T00:00:00.000Z');
  const provider = createMemoryProvider();
  const start = () =>
    createCommandExecutor({
      journal,
      provider,
      runner: { cancel: async () => undefined },
      readLabels: readPlainLabels,
      guards: () => ({ limits: limits(), checkPlan: () => [] }),
      onEntries: () => undefined,
    });
  return { journal, provider, executor: start(), start };
}

const ask = (key: string, command: WorkCommand, name = 'ann'): RequestedCommand => ({
  key,
  by: { kind: 'person', name },
  command,
});
const types = (entries: readonly { readonly event: WorkEvent }[]) => entries.map(({ event }) => event.type);

describe('the executor', () => {
  it('records a command before it, its effects, and its end', async () => {
    const { executor, journal } = createExecutorFixture();
    expect(await executor.execute(ask('k', applyPlan({ create: [task('a')] })))).toEqual({ kind: 'done' });
    expect(types(journal.entries)).toEqual(['command_started', 'item_created', 'command_done']);
  });

  it('executes the same command once, whichever process requests it', async () => {
    const { executor, journal, start } = createExecutorFixture();
    const requested = ask('k', applyPlan({ create: [task('a')] }));
    await executor.execute(requested);
    expect(await executor.execute(requested)).toEqual({ kind: 'done_before' });
    expect(await start().execute(requested)).toEqual({ kind: 'done_before' });
    expect(journal.entries).toHaveLength(3);
  });

  it('refuses with the code, the reason and the fix, and records the same refusal once', async () => {
    const { executor, journal } = createExecutorFixture();
    const requested = ask('k', { kind: 'merge', itemId: '7' });
    expect(await executor.execute(requested)).toEqual({
      kind: 'refused',
      code: 'unknown_item',
      reason: 'there is no item 7',
      help: 'list the items: conductor work list',
    });
    await executor.execute(requested);
    expect(types(journal.entries)).toEqual(['command_refused']);
  });

  it("says why a merge can't be done, and leaves the item as it is", async () => {
    const { executor, provider, journal } = createExecutorFixture();
    await executor.execute(ask('k', applyPlan({ create: [task('a')] })));
    await executor.execute(ask('l', { kind: 'transition', itemId: '1', to: 'ready', reason: 'so' }));
    const result = { role: 'implementor', outcome: 'completed', patch: 'diff', summary: 's' } as const;
    await executor.execute(
      ask('m', { kind: 'apply_implementor_result', runId: 'r', itemId: '1', base: 'b', result }),
    );
    await executor.execute(ask('n', { kind: 'transition', itemId: '1', to: 'approved', reason: 'so' }));
    Object.assign(provider, {
      merge: async () => ({ ok: false, reason: 'a.ts conflicts', help: 'rebase it' }),
    });
    expect(await executor.execute(ask('o', { kind: 'merge', itemId: '1' }))).toEqual({
      kind: 'failed',
      reason: 'a.ts conflicts',
      help: 'rebase it',
    });
    expect(executor.state.items.get('1')?.item.status).toBe('approved');
    expect(journal.entries.at(-1)?.event).toEqual({
      type: 'command_failed',
      key: 'o',
      by: 'ann',
      kind: 'merge',
      item_id: '1',
      reason: 'a.ts conflicts',
    });
  });

  it('fails a command of another version, and continues', async () => {
    const { executor, journal } = createExecutorFixture();
    await journal.withLock((append) =>
      append([{ type: 'command_started', key: 'old', by: 'engine', command: { kind: 'dance' } }]),
    );
    await executor.execute(ask('k', applyPlan({})));
    expect(types(journal.entries)).toEqual([
      'command_started',
      'command_failed',
      'command_started',
      'command_done',
    ]);
  });

  it("distinguishes a user from the engine, whatever the user's name is", async () => {
    const { executor, journal } = createExecutorFixture();
    await executor.execute(ask('k', applyPlan({}), 'engine'));
    expect(journal.entries[0]?.event).toMatchObject({ by: 'a person' });
  });
});
