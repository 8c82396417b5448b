import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatClaim, parseClaim } from '../../../src/planner/claims/claim.ts';
import { readClaims } from '../../../src/planner/claims/extract-claims.ts';

/**
 * Final messages in the styles of several agents, labelled by these rules. `implemented`: it says that it changed a file
 * of the workspace, in whatever words. `fixed`: the same of a fault. `created PATH`: it names a file as new. `tests_pass`:
 * it says without a condition that the tests, an area of them or all checks pass, and reports no failing check.
 * `tuning.json` may be read while the reader is changed. `held-out.json` may not: its figures show what the reader makes
 * of messages that it was not written for. To change the reader for one of them, move the whole set to `tuning.json` first and
 * write another one.
 */
interface Labelled {
  readonly agent: string;
  readonly text: string;
  readonly claims: readonly string[];
}

/** `work` is what an empty diff contradicts: a message that claims any change at all. */
type Kind = 'work' | 'tests_pass' | 'created';

interface Figures {
  readonly recall: number;
  readonly precision: number;
}

const read = (name: string): Labelled[] =>
  JSON.parse(readFileSync(new URL(`../../fixtures/claims/${name}.json`, import.meta.url), 'utf8'));

const claimsOfKind = (claims: readonly string[], kind: Kind): readonly string[] => {
  if (kind === 'work') return claims.some((claim) => claim !== 'tests_pass') ? ['work'] : [];
  return claims.filter((claim) => claim.startsWith(kind));
};

function figuresOf(messages: readonly Labelled[], kind: Kind): Figures {
  let right = 0;
  let heard = 0;
  let labelled = 0;
  for (const { text, claims } of messages) {
    const found = claimsOfKind(readClaims(null, text).claims.map(formatClaim), kind);
    const wanted = claimsOfKind(claims, kind);
    right += found.filter((claim) => wanted.includes(claim)).length;
    heard += found.length;
    labelled += wanted.length;
  }
  return { recall: right / labelled, precision: right / heard };
}

describe.each(['tuning', 'held-out'])('the labelled messages of %s.json', (name) => {
  const messages = read(name);

  it('are enough of them, each with claims in their written form', () => {
    expect(messages.length).toBeGreaterThanOrEqual(100);
    expect(new Set(messages.map(({ text }) => text)).size).toBe(messages.length);
    for (const { claims } of messages) expect(claims.map(parseClaim)).not.toContain(null);
  });
});

it.each<[string, Kind, Figures]>([
  ['tuning', 'work', { recall: 0.96, precision: 0.99 }],
  ['tuning', 'tests_pass', { recall: 0.96, precision: 0.99 }],
  ['tuning', 'created', { recall: 0.97, precision: 0.99 }],
  ['held-out', 'work', { recall: 0.88, precision: 0.98 }],
  ['held-out', 'tests_pass', { recall: 0.94, precision: 0.99 }],
  ['held-out', 'created', { recall: 0.99, precision: 0.99 }],
])(
  'in %s.json, claims of kind %s are heard and not invented, at least as often as pinned',
  (name, kind, floor) => {
    const { recall, precision } = figuresOf(read(name), kind);
    expect(recall).toBeGreaterThanOrEqual(floor.recall);
    expect(precision).toBeGreaterThanOrEqual(floor.precision);
  },
);

describe('no label shares a message with another set', () => {
  it('keeps the held-out messages apart', () => {
    const tuned = new Set(read('tuning').map(({ text }) => text));
    expect(read('held-out').filter(({ text }) => tuned.has(text))).toEqual([]);
  });
});
