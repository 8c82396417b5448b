import { describe, expect, it } from 'vitest';
import { explainRefusal, type FoundRun } from '../../../src/adapters/engine-postgres/run-log.ts';
import { sha256Hex } from '../../../src/node/sha256.ts';

const OURS = '{"seq":4}';
const hold = { runId: 'r', epoch: 7, holder: 'us' };
const from = { seq: 5, head: sha256Hex(OURS) };
const end = { seq: 7, head: 'after' };

describe('a refused append', () => {
  const found: FoundRun = { seq: 5, head: from.head, epoch: 7, holder: 'us', last_line: OURS };
  it.each<[string, FoundRun | null, string | null, RegExp?]>([
    ['was executed, and its answer was lost', { ...found, seq: 7, head: 'after' }, null],
    [
      'after another claim, with or without further events',
      { ...found, epoch: 8, holder: 'them' },
      'LeaseLost',
    ],
    ['after another claim that has appended', { ...found, seq: 9, epoch: 9, holder: 'them' }, 'LeaseLost'],
    ['after another claim that was released', { ...found, epoch: 8, holder: null }, 'LeaseLost'],
    ['after this claim was released', { ...found, holder: null }, 'LeaseLost'],
    ['after the run was lost', null, 'LogWentBack', /acknowledged 5 events, and the run is gone/],
    ['after events were lost', { ...found, seq: 3, last_line: null }, 'LogWentBack', /and 3 are left/],
    [
      'after events were lost and another process continued',
      { ...found, seq: 8, epoch: 7, holder: 'them', last_line: '{"other":4}' },
      'LogWentBack',
      /other events have their place/,
    ],
    [
      'after the claim was lost',
      { ...found, epoch: 6, holder: null },
      'LogWentBack',
      /the claim of this process is gone/,
    ],
    [
      'after the claim was lost and its epoch was given out again',
      { ...found, holder: 'them' },
      'LogWentBack',
      /claim/,
    ],
    [
      'although this claim holds a longer log',
      { ...found, seq: 6, head: 'other' },
      'LogWentBack',
      /did not append/,
    ],
  ])('%s', (_, row, name, message = /another process has taken over run r/) => {
    const refusal = explainRefusal(hold, from, end, row);
    expect(refusal?.name ?? null).toBe(name);
    if (name !== null) expect(refusal?.message).toMatch(message);
  });
});
