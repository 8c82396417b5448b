import { describe, expect, it } from 'vitest';
import { createMemoryJournal, createMemoryProvider } from '../../../../testing/work-fakes.ts';
import { JOURNAL_CASES } from '../../../../testing/work-journal-conformance.ts';
import { PROVIDER_CASES } from '../../../../testing/work-provider-conformance.ts';

describe('the provider in memory', () => {
  it.each(PROVIDER_CASES)('$name', async ({ run }) => {
    const provider = createMemoryProvider();
    const kept = run({
      provider,
      reopen: async () => provider,
      patchOf: async (text) => ({ base: 'base', patch: text }),
      brokenPatch: async () => ({ base: 'base', patch: 'CONFLICT' }),
    });
    await expect(kept).resolves.toBeUndefined();
  });
});

describe('the journal in memory', () => {
  it.each(JOURNAL_CASES)('$name', async ({ run }) => {
    const journal = createMemoryJournal(() => '2026-01-01T00:00:00.000Z');
    await expect(run({ journal, reopen: async () => journal })).resolves.toBeUndefined();
  });
});
