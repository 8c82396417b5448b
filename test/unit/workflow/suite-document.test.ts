import { describe, expect, it } from 'vitest';
import { checkSuite } from '../../../src/workflow/document/suite-document.ts';

function check(text: string) {
  return checkSuite({ name: 'suite.yaml', bytes: new TextEncoder().encode(text) });
}

/** Where and what, as one line each. */
function found(text: string): string[] {
  return check(text).diagnostics.map(
    ({ span, message, help }) => `${span.line}:${span.column} ${message}${help === null ? '' : ` | ${help}`}`,
  );
}

const WHOLE = `suite_id: smoke
goldens: test/goldens
cases:
  - id: help
    kind: cli
    command: [node, cli.mjs, --help]
    stdin: ''
    env: { A: b }
    cwd: sub
    timeout: 10s
    retries: 2
    exit: 1
    stdout: { contains: [a, b], matches: '^x' }
    stderr: usage
    files: { out.txt: true, gone.txt: false, said.txt: { equals: x } }
    golden: help.txt
    normalise: [ansi, { replace: '\\d+', with: N }]
  - id: home
    kind: web
    url: http://127.0.0.1:{port}/
    serve: [node, server.mjs]
    viewport: { width: 800, height: 600 }
    steps: [{ goto: /a }, { click: text=Save }, { fill: '#n', with: Ann }, { press: Enter, on: '#n' }, { select: '#c', with: x }, { wait: '#ok' }]
    expect: [{ visible: '#ok' }, { hidden: '#no' }, { text: Saved, in: main }, { title: Home }, { url: /a }, { count: 2, of: li }]
    quiet: true
    accessibility: false
    golden: home.png
    tolerance: 0.1
  - id: readme
    kind: docs
    files: [README.md]
    run: [sh]
x-note: mine
`;

describe('a suite file', () => {
  it('can say all that the kit knows', () => {
    const { diagnostics, suite } = check(WHOLE);
    expect(diagnostics).toEqual([]);
    expect(suite?.cases.map(({ id, kind }) => [id, kind])).toEqual([
      ['help', 'cli'],
      ['home', 'web'],
      ['readme', 'docs'],
    ]);
  });

  it('can be JSON', () => {
    const cases = [{ id: 'a', kind: 'cli', command: ['true'] }];
    expect(check(JSON.stringify({ suite_id: 's', cases })).suite).toEqual({ suite_id: 's', cases });
  });

  const cli = (rest: string) => `suite_id: s\ncases:\n  - { id: a, kind: cli, ${rest} }\n`;
  const web = (rest: string) => `suite_id: s\ncases:\n  - { id: a, kind: web, url: /, ${rest} }\n`;

  it.each<[string, string, readonly (string | RegExp)[]]>([
    ['nothing at all', '', ['1:1 the suite is empty | add `suite_id` and `cases`']],
    ['no cases', 'suite_id: s\ncases: []\n', ['2:8 `cases` is empty']],
    [
      'a misspelt key',
      cli('comand: [x]'),
      ['3:25 unknown key `comand` in the case `a` | did you mean `command`?'],
    ],
    [
      'a misspelt kind',
      'suite_id: s\ncases:\n  - { id: a, kind: cly, command: [x] }\n',
      ['3:20 `kind` is the text "cly", which is not one of its values | did you mean `cli`?'],
    ],
    ['a missing command', cli('exit: 1'), [/^3:\d+ the case `a` has no `command` \| add `command`/]],
    ['a command as text', cli('command: ls'), [/^3:34 `command` is the text "ls", but a list is expected/]],
    [
      'an id that is used again',
      'suite_id: s\ncases:\n  - { id: a, kind: cli, command: [x] }\n  - { id: a, kind: cli, command: [x] }\n',
      ['4:11 the case id `a` is used more than once'],
    ],
    [
      'a pattern that is none',
      cli("command: [x], stdout: { matches: '(' }"),
      ['3:58 `matches` is not a valid regular expression: unterminated group'],
    ],
    [
      'a step about two things',
      web('steps: [{ click: a, goto: b }]'),
      [
        /^3:\d+ a step needs exactly one main key, but this one has `goto` and `click` \| use exactly one of `goto`,/,
      ],
    ],
    [
      'an expectation about nothing',
      web('expect: [{ in: main }]'),
      [/^3:\d+ an expectation needs exactly one main key, but this one has none \|/],
    ],
    [
      'an expectation with a word of another',
      web('expect: [{ visible: main, in: body }]'),
      [/^3:59 `in` does not apply to `visible` \| it applies to `text`: remove it$/],
    ],
    ['a count of nothing', web('expect: [{ count: 1 }]'), [/^3:44 `count` needs `of` \| add `of`$/]],
    [
      'a suite id that leads elsewhere',
      'suite_id: ../x\ncases:\n  - { id: a, kind: cli, command: [x] }\n',
      [/^1:11 `suite_id` is the text "..\/x", which is not a suite id/],
    ],
  ])('is refused with its place: %s', (_, text, problems) => {
    const diagnostics = found(text);
    expect(diagnostics).toEqual(
      problems.map((problem) => (typeof problem === 'string' ? problem : expect.stringMatching(problem))),
    );
    expect(check(text).suite).toBeNull();
  });
});
