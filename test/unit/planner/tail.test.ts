import { describe, expect, it } from 'vitest';
import { readTail } from '../../../src/planner/tail.ts';

describe('the end of a final message', () => {
  it.each([
    ['alone', '{"claims":["fixed"]}'],
    ['after prose', 'I fixed it.\n\n{"claims":["fixed"]}\n'],
    ['over several lines', 'Done.\n{\n  "claims": ["fixed"]\n}\n'],
    ['between fences', 'Done.\n```json\n{"claims":["fixed"]}\n```\n'],
    ['after another object', '{"claims":["implemented"]}\n\nNo:\n{"claims":["fixed"]}'],
    ['behind spaces', 'Done.\n  {"claims":["fixed"]}'],
    ['over several indented lines', 'Done.\n  {\n    "claims": [\n      "fixed"\n    ]\n  }\n'],
    ['quoted as code', 'Done.\n`{"claims":["fixed"]}`'],
    ['between fences on one line', 'Done.\n```json {"claims":["fixed"]} ```'],
    ['between indented fences', '1. Done.\n   ```json\n   {"claims":["fixed"]}\n   ```'],
    ['with keys that are not known', '{"claims":["fixed"],"mood":"good"}'],
  ])('is read %s', (_where, text) => {
    expect(readTail(text)).toEqual({ claims: ['fixed'] });
  });

  it.each([
    ['there is none', 'I fixed it.'],
    ['it is quoted further up', '{"claims":["fixed"]}\nis what I was asked for.'],
    ['it is cut off', 'Done.\n{"claims":["fixed"'],
    ['it is a list', '["fixed"]'],
    ['it has none of the keys', '{"answer":42}'],
    ['a key has another form', '{"claims":"fixed"}'],
    ['it stands in the middle of a line', 'result: {"claims":["fixed"]}'],
    ['nothing was said', ''],
  ])('is not there when %s', (_why, text) => {
    expect(readTail(text)).toBeNull();
  });

  it('is found at the margin whatever it contains', () => {
    const findings = Array.from({ length: 300 }, (_, index) => ({ summary: `finding ${index}` }));
    const text = JSON.stringify({ verdict: 'needs-changes', findings }, null, 2);
    expect(readTail(text)?.findings).toHaveLength(300);
  });

  it('takes no longer than its limit for a long final message', () => {
    expect(readTail(`${'{\n'.repeat(200_000)}{"claims":["fixed"]}`)).toEqual({ claims: ['fixed'] });
  });
});

describe('a line that only begins like a tail', () => {
  it.each<[string, string, object | null]>([
    ['is passed over when it is no JSON', 'Done.\n{not json\n{"claims":[]}', { claims: [] }],
    ['is read with a fence behind spaces', '{"claims":[]}  \n  ```', { claims: [] }],
    ['is none as a number', '{\n42', null],
    ['is none as null behind a brace', 'null', null],
    ['is none when its keys are inherited', '{"toString":1}', null],
    ['is read with blockers alone', '{"blockers":[]}', { blockers: [] }],
    [
      'is read with blockers that are texts',
      '{"blockers":[" no database ",{"code":"a","summary":"b"}]}',
      {
        blockers: [
          { code: 'unspecified', summary: 'no database' },
          { code: 'a', summary: 'b' },
        ],
      },
    ],
    ['is read without blockers that are none', '{"blockers":["None.","n/a",""]}', { blockers: [] }],
    ['is none with blockers of another form', '{"blockers":[1]}', null],
    ['is read with a verdict alone', '{"verdict":"approve"}', { verdict: 'approve' }],
    ['is read with findings alone', '{"findings":[]}', { findings: [] }],
    ['is none with usage alone', '{"usage":{}}', null],
  ])('%s', (_name, text, expected) => {
    expect(readTail(text)).toEqual(expected);
  });

  it('is not looked for beyond the last object that is one', () => {
    expect(readTail('{"claims":["fixed"]}\n{"answer":42}')).toBeNull();
  });
});
