import { describe, expect, it } from 'vitest';
import { shortIdsOf } from '../../../src/overview/short-ids.ts';

const A = '0199ab12-cdef-7000-8000-000000000001';
const B = '0199ab12-cdef-7000-8000-000000000002';
const C = '0199ab12-ce00-7000-8000-000000000003';
const D = '0199ab13-0000-7000-8000-000000000004';
const E = '0299ab13-0000-7000-8000-000000000005';

describe('the short id of a run', () => {
  it.each<[string, string[], string[]]>([
    ['has at least 8 characters', [A, E], ['0199ab12', '0299ab13']],
    ['is as long as it takes to be unique', [C, B, D], ['0199ab12-ce', '0199ab12-cd', '0199ab13']],
    ['is the whole id if nothing less is unique', [A, B], [A, B]],
    ['never ends in a dash', [C, '0199ab12-0000-7000-8000-000000000006'], ['0199ab12-c', '0199ab12-0']],
    ['is the same if an id is listed twice', [A, A], ['0199ab12', '0199ab12']],
  ])('%s', (_, ids, expected) => {
    const short = shortIdsOf(ids);
    expect(ids.map(short)).toEqual(expected);
    for (const id of ids)
      expect(ids.filter((other) => other.startsWith(short(id))).every((other) => other === id)).toBe(true);
  });

  it('is the whole id of a run that is not listed', () => {
    expect(shortIdsOf([A])(E)).toBe(E);
  });
});
