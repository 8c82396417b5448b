import { describe, expect, it } from 'vitest';
import { describeBlocker } from '../../../src/work/results/blocked-summary.ts';

describe('the line about a blocker', () => {
  it.each([
    [
      'type and description',
      'Type: spec-gap\nDescription: no unit is named.\nOptions:\n1. a\n2. b',
      'spec-gap: no unit is named.',
    ],
    [
      'the description alone, where there is no type',
      'Description: it is down.\nOptions: 1. a',
      'it is down.',
    ],
    ['the first line of any other text', 'It is down.\nNobody knows why.', 'It is down.'],
  ])('has %s', (_, summary, line) => {
    expect(describeBlocker(summary)).toBe(line);
  });
});
