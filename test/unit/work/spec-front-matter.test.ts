import { describe, expect, it } from 'vitest';
import { readSpecFrontMatter } from '../../../src/work/items/spec-front-matter.ts';

describe('the front matter of a spec', () => {
  it.each(['draft', 'approved', 'deprecated'])('says that the spec is %s', (status) => {
    const text = `---\ntitle: A\nstatus: ${status}\n---\n\n# A\n`;
    expect(readSpecFrontMatter(text)).toEqual({ kind: 'status', status });
  });

  it.each([
    ['lines that end as on Windows', '---\r\nstatus: draft\r\n---\r\n\r\ntext\r\n'],
    ['a mark of the byte order', '\uFEFF---\nstatus: draft\n---\n'],
    ['nothing behind it', '---\nstatus: draft\n---'],
    ['a quoted word and a comment', '---\nstatus: "draft" # for now\n---\n'],
    ['other keys of any kind', '---\nowners: [a, b]\nx: { y: 1 }\nstatus: draft\n---\n'],
    ['a line of dashes in the text', '---\nstatus: draft\n---\ntext\n\n---\n'],
  ])('is read with %s', (_, text) => {
    expect(readSpecFrontMatter(text)).toEqual({ kind: 'status', status: 'draft' });
  });

  it.each(['', '# A\n\nText\n', 'text\n---\nstatus: draft\n---\n', '----\n'])('%j has none', (text) => {
    expect(readSpecFrontMatter(text)).toEqual({ kind: 'none' });
  });

  it.each([
    ['---\nstatus: aproved\n---\n', 2, 'the `status` `aproved` is unknown: did you mean `approved`?'],
    [
      '---\ntitle: A\n\nstatus: Approved\n---\n',
      4,
      'the `status` `Approved` is unknown: did you mean `approved`?',
    ],
    [
      '---\nstatus: ready\n---\n',
      2,
      'the `status` `ready` is unknown: use one of `draft`, `approved`, `deprecated`',
    ],
    [
      '---\nstatus: [draft]\n---\n',
      2,
      'the `status` of a spec must be one of `draft`, `approved`, `deprecated`',
    ],
    ['---\nstatus:\n---\n', 2, 'the `status` of a spec must be one of `draft`, `approved`, `deprecated`'],
    ['---\ntitle: A\n---\n', 1, '`status` is missing in the front matter'],
    ['---\n---\n', 1, '`status` is missing in the front matter'],
    ['---\n- status\n---\n', 1, '`status` is missing in the front matter'],
    ['---\nstatus: draft\n', 1, 'the front matter is not closed: end it with `---`'],
  ])('%j has a problem in line %i', (text, line, message) => {
    expect(readSpecFrontMatter(text)).toEqual({ kind: 'problem', line, message });
  });

  it('that is no YAML has a problem where it is wrong', () => {
    const read = readSpecFrontMatter('---\ntitle: A\nstatus: "draft\n---\n');
    expect(read).toMatchObject({ kind: 'problem', line: 3 });
  });
});
