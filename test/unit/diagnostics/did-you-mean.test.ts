import { describe, expect, it } from 'vitest';
import { didYouMean } from '../../../src/diagnostics/did-you-mean.ts';

describe('didYouMean', () => {
  it.each<[string, string[], string | null]>([
    ['promt', ['prompt', 'policy'], 'prompt'],
    ['stop', ['step', 'STOP'], 'STOP'],
    ['idle-timeout', ['timeout', 'idle_timeout'], 'idle_timeout'],
    ['wrok', ['work'], 'work'],
    ['xyz', ['prompt', 'policy'], null],
    ['a', ['b'], 'b'],
    ['', ['prompt'], null],
    ['same', ['same'], null],
    ['completd', ['complete', 'completed'], 'complete'],
    ['anything', [], null],
  ])('%s among %j is %s', (word, candidates, expected) => {
    expect(didYouMean(word, candidates)).toBe(expected);
  });
});
