import { describe, expect, it } from 'vitest';
import { JOURNAL_CASES } from '../../testing/work-journal-conformance.ts';
import { PROVIDER_CASES } from '../../testing/work-provider-conformance.ts';
import { headOf, openJournal, openProvider, patchOf, workRepo } from './work-local-fixture.ts';

describe('the local provider of work items', () => {
  it.each(PROVIDER_CASES)('$name', async ({ run }) => {
    const repo = await workRepo();
    const kept = run({
      provider: openProvider(repo),
      reopen: async () => openProvider(repo),
      patchOf: (text) => patchOf(repo, `${text}\n`),
      brokenPatch: async () => {
        const { patch } = await patchOf(repo, 'other\n');
        return { base: await headOf(repo), patch: patch.replace('-start', '-strat') };
      },
    });
    await expect(kept).resolves.toBeUndefined();
  });
});

describe('the local journal of work items', () => {
  it.each(JOURNAL_CASES)('$name', async ({ run }) => {
    const repo = await workRepo();
    const kept = run({ journal: openJournal(repo), reopen: async () => openJournal(repo) });
    await expect(kept).resolves.toBeUndefined();
  });
});
