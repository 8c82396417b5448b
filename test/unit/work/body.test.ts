import { describe, expect, it } from 'vitest';
import { readBody } from '../../../src/work/bodies/body.ts';
import { printTemplate } from '../../../src/work/bodies/body-template.ts';
import { checkBody } from '../../../src/work/bodies/check-body.ts';
import { REFINEMENT_BODY, TASK_BODY } from './work-fixtures.ts';

const scope = (entries: string) => TASK_BODY.replace('- src/client.ts\n- src/client.test.ts', entries);
const pathsIn = (entries: string) => readBody(scope(entries)).inScope.map(({ path }) => path);
const found = (body: string, type: 'implement' | 'refinement' | null = 'implement') =>
  checkBody(body, type).map(({ code, line, column }) => `${code} ${line}:${column}`);

describe('the body of a task', () => {
  it('is read with its lines', () => {
    expect(readBody(TASK_BODY)).toMatchObject({
      kind: 'task',
      objective: 'Give the client a retry.',
      specReferences: [{ spec: 'docs/specs/retry.md', sections: ['Limits', 'Errors'], quote: null, line: 7 }],
      inScope: [
        { path: 'src/client.ts', note: null, line: 14 },
        { path: 'src/client.test.ts', note: null, line: 15 },
      ],
      outOfScope: [{ path: 'src/server.ts', note: 'owned by #12', line: 19 }],
      unreadEntries: [],
      criteria: [
        { text: 'A failed request is sent again once', done: false, line: 23 },
        { text: 'Test: src/client.test.ts passes', done: false, line: 24 },
      ],
      context: 'The transport knows when a request failed.',
      constraints: 'No new dependency.',
    });
  });

  it('is the same with the ends of lines of another system, and keeps its lines behind front matter', () => {
    const { sections: _, ...plain } = readBody(TASK_BODY);
    const { sections: __, ...windows } = readBody(TASK_BODY.replaceAll('\n', '\r\n'));
    expect(windows).toEqual(plain);
    const behind = readBody(`---\ntitle: Retry\n# a note\n---\n${TASK_BODY}`);
    expect(behind.inScope[0]).toEqual({ path: 'src/client.ts', note: null, line: 18 });
    expect(found(`---\ntitle: Retry\n---\n${TASK_BODY}`)).toEqual([]);
  });

  it.each([
    ['plain', '- src/a.ts', ['src/a.ts']],
    ['in backticks', '- `src/a.ts`', ['src/a.ts']],
    ['in backticks, with a note', '- `src/a.ts` — the parser', ['src/a.ts']],
    ['with a note in parentheses', '- src/a.ts (the parser)', ['src/a.ts']],
    ['with a note behind a dash', '- src/a.ts - the parser', ['src/a.ts']],
    ['with a note behind a colon', '- src/a.ts: the parser', ['src/a.ts']],
    ['with words behind it', '- src/a.ts and its tests', ['src/a.ts']],
    ['with a full stop', '- src/a.ts.', ['src/a.ts']],
    ['a folder', '- src/parser/', ['src/parser/']],
    ['a folder without its slash', '- src/parser', ['src/parser']],
    ['a glob', '- src/**/*.ts', ['src/**/*.ts']],
    ['a glob that starts with stars', '- **/*.test.ts', ['**/*.test.ts']],
    ['a glob between stars', '- **/parser/**', ['**/parser/**']],
    ['in bold', '- **src/a.ts**: the parser', ['src/a.ts']],
    ['a link', '- [src/a.ts](src/a.ts)', ['src/a.ts']],
    ['a bare name', '- Makefile', ['Makefile']],
    ['a dot file', '- .gitignore', ['.gitignore']],
    ['from here', '- ./src/a.ts', ['src/a.ts']],
    ['with parentheses of its own', '- app/(auth)/page.tsx', ['app/(auth)/page.tsx']],
    ['with a blank, in backticks', '- `docs/my page.md`', ['docs/my page.md']],
    ['with a blank', '- docs/my page.md', ['docs/my page.md']],
    ['with underscores', '- src/__init__.py', ['src/__init__.py']],
    [
      'several in backticks',
      '- `src/a.ts`, `src/b.ts` and `src/c.ts` (all three)',
      ['src/a.ts', 'src/b.ts', 'src/c.ts'],
    ],
    ['several', '- src/a.ts, src/b.ts', ['src/a.ts', 'src/b.ts']],
    ['with a box', '- [ ] src/a.ts', ['src/a.ts']],
    ['with stars for bullets', '* src/a.ts\n* src/b.ts', ['src/a.ts', 'src/b.ts']],
    ['with numbers', '1. src/a.ts\n2. src/b.ts', ['src/a.ts', 'src/b.ts']],
    ['below a name', '- Parser:\n  - src/a.ts\n  - src/b.ts', ['src/a.ts', 'src/b.ts']],
    ['with notes below', '- src/a.ts\n  - only the parser', ['src/a.ts']],
    ['of a folder with names below', '- src/parser/\n  - a.ts', ['src/parser/']],
    ['on lines of their own', 'src/a.ts\nsrc/b.ts', ['src/a.ts', 'src/b.ts']],
    ['in a fence', '```\nsrc/a.ts\nsrc/b.ts\n```', ['src/a.ts', 'src/b.ts']],
    [
      'in a table',
      '| File | Why |\n| --- | --- |\n| `src/a.ts` | the parser |\n| 2 | src/b.ts |',
      ['src/a.ts', 'src/b.ts'],
    ],
    ['unicode', '- src/größe.ts', ['src/größe.ts']],
    ['none', '- none', []],
    ['None with a note', '- None (nothing to do)', []],
    ['not applicable', '- N/A', []],
    ['words', '- the parser module', []],
    ['in words', '- The parser in `src/a.ts`\n- What src/b.ts exports', ['src/a.ts', 'src/b.ts']],
    ['in a sentence', 'Only `src/a.ts` and the\nfolder `src/b/`.', ['src/a.ts', 'src/b/']],
    ['but one', '- Everything except `src/a.ts`\n- Nothing of it, not `src/b.ts`', []],
    ['that are no paths', '- The route `/api/users`\n- The call `config.load`', []],
    ['the sentence of the template alone', '', []],
  ])('lists paths: %s', (_, entries, paths) => {
    expect(pathsIn(entries)).toEqual(paths);
  });

  it.each([
    ['- Anything in `src/server/`', ['src/server/']],
    ["- Don't touch src/server.ts", ['src/server.ts']],
    ['Changes to `src/server.ts` are not part of this.', ['src/server.ts']],
    ['- All files other than `src/client.ts`', []],
    ['| File | Owner |\n| --- | --- |\n| src/server.ts | #12 |', ['src/server.ts']],
  ])('excludes what is described in prose: %s', (entries, paths) => {
    const body = readBody(TASK_BODY.replace('- src/server.ts (owned by #12)', entries));
    expect(body.outOfScope.map(({ path }) => path)).toEqual(paths);
  });

  it('keeps unread entries for readers', () => {
    expect(readBody(scope('- src/a.ts\n- the parser module')).unreadEntries).toEqual([
      { text: 'the parser module', line: 15 },
    ]);
  });

  it('knows which criteria are done', () => {
    const body = TASK_BODY.replace('- [ ] A failed', '- [x] A failed').replace('- [ ] Test: ', '- ');
    expect(readBody(body).criteria.map(({ done }) => done)).toEqual([true, false]);
  });
});

describe('the body of a refinement', () => {
  it('is read with its lines', () => {
    expect(readBody(REFINEMENT_BODY)).toMatchObject({
      kind: 'refinement',
      ambiguity: 'The spec does not say how often to retry.',
      specReferences: [
        { spec: 'docs/specs/retry.md', sections: ['Limits'], quote: 'retry a few times', line: 7 },
      ],
      options: [{ line: 13 }, { line: 14 }],
      recommendation: 'Option B, because callers retry too.',
      blockedTasks: [{ text: 'The retry itself.', line: 22 }],
    });
  });
});

describe('the check of a body', () => {
  const withoutSection = (name: string) => TASK_BODY.replace(new RegExp(`^#+ ${name}$`, 'm'), '');
  const emptied = (name: string) =>
    TASK_BODY.replace(new RegExp(`(## ${name}\n)[\\s\\S]*?(?=\n## |\n### |$)`), '$1');

  it.each([
    ['a task', TASK_BODY, 'implement'],
    ['a refinement', REFINEMENT_BODY, 'refinement'],
    ['a task without a type', TASK_BODY, null],
    ['a refinement without a type', REFINEMENT_BODY, null],
    ['the template of a task', printTemplate('task'), 'implement'],
    ['the template of a refinement', printTemplate('refinement'), 'refinement'],
    [
      'sections in another order',
      TASK_BODY.split(/^(?=## )/m)
        .toReversed()
        .join('\n'),
      'implement',
    ],
    ['a section more', `${TASK_BODY}\n## Notes\n\nMore.\n`, 'implement'],
    ['a title', `# Retry\n\n${TASK_BODY}`, 'implement'],
    [
      'headings in another case, with colons',
      TASK_BODY.replace(/^(#+ .*)$/gm, (line) => `${line.toUpperCase()}:`),
      'implement',
    ],
    ['headings that are underlined', TASK_BODY.replace('## Objective\n', 'Objective\n---\n'), 'implement'],
    ['a refinement with empty sections', REFINEMENT_BODY.replace(/^[^#\n].*$/gm, ''), 'refinement'],
    ['criteria without boxes', TASK_BODY.replaceAll('- [ ] ', '- '), 'implement'],
    ['nothing out of scope', TASK_BODY.replace('- src/server.ts (owned by #12)', '- none'), 'implement'],
    ['modules described in prose', scope('- the parser module'), 'implement'],
    ['a heading in a fence', `${TASK_BODY}\n\`\`\`\n## Objective\n\`\`\`\n`, 'implement'],
  ] as const)('passes %s', (_, body, type) => {
    expect(found(body, type)).toEqual([]);
  });

  it.each(['Objective', 'Spec Reference', 'Out of Scope', 'Context', 'Constraints'])(
    'misses "%s"',
    (name) => {
      expect(found(withoutSection(name))).toEqual(['WR403 1:1']);
    },
  );

  it.each(['Ambiguity', 'Spec Reference', 'Options', 'Recommendation', 'Blocked Tasks'])(
    'misses "%s" of a refinement',
    (name) => {
      const body = REFINEMENT_BODY.replace(`## ${name}\n`, '');
      expect(found(body, 'refinement')).toEqual(['WR403 1:1']);
    },
  );

  it.each([
    ['no In Scope', withoutSection('In Scope'), ['WR403 1:1']],
    ['no Acceptance Criteria', withoutSection('Acceptance Criteria'), ['WR403 1:1']],
    ['no Scope', withoutSection('Scope'), ['WR403 1:1']],
    ['an empty objective', emptied('Objective'), ['WR406 1:1']],
    [
      'an objective of a comment',
      TASK_BODY.replace('Give the client a retry.', '<!-- later -->'),
      ['WR406 1:1'],
    ],
    ['an empty In Scope', scope(''), ['WR407 12:1']],
    ['an In Scope of none', scope('- none'), ['WR407 12:1']],
    ['an In Scope of a sentence', scope('Files/modules this task may touch:'), ['WR407 12:1']],
    ['no criteria', emptied('Acceptance Criteria'), ['WR408 21:1']],
    ['criteria of empty boxes', TASK_BODY.replace(/- \[ \] .*/g, '- [ ]'), ['WR408 21:1']],
    ['a section twice', `${TASK_BODY}\n## Context\n\nMore.\n`, ['WR404 34:1']],
    ['a section at another level', TASK_BODY.replace('## Context', '# Context'), ['WR405 26:1']],
    ['a section in a fence alone', TASK_BODY.replace('## Context', '```\n## Context\n```'), ['WR403 1:1']],
    ['another name for Scope', TASK_BODY.replace('## Scope', '## Reach'), ['WR403 1:1']],
    ['In Scope outside of Scope', TASK_BODY.replace('### In Scope', '## In Scope'), ['WR405 12:1']],
    ['the body of a refinement', REFINEMENT_BODY, ['WR402 1:1']],
    ['nothing', '', ['WR401 1:1']],
    ['a sentence', 'Please add a retry.', ['WR401 1:1']],
  ])('refuses %s', (_, body, problems) => {
    expect(found(body)).toEqual(problems);
  });
});
