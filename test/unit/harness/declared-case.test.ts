import { describe, expect, it } from 'vitest';
import type { Case } from '../../../harness/case.ts';
import { declarationProblems } from '../../../harness/declared-case.ts';

/** As a program without types would write it. */
function problems(kind: string, options: unknown): string[] {
  return declarationProblems({ kind, id: 'a', options } as Case);
}

describe('a case that a program declares', () => {
  it.each<[string, unknown]>([
    [
      'cli',
      { command: ['x'], stdout: /a/, stderr: { matches: /b/ }, files: { f: /c/, g: true }, exit: undefined },
    ],
    ['cli', { command: ['x'], normalise: ['ansi', { replace: /a/g, with: '' }] }],
    [
      'web',
      { url: '/', steps: [{ click: 'a' }], expect: [{ text: /a/, in: 'b' }, { title: { equals: '' } }] },
    ],
    ['docs', { files: ['a.md'] }],
    ['unit', { test: () => undefined, retries: 1, timeout: '5s' }],
  ])('may say all of this: %s %j', (kind, options) => {
    expect(problems(kind, options)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['cli', { command: ['x'], stdOut: 'y' }, '`stdOut` is an unknown key; did you mean `stdout`?'],
    ['cli', { comand: ['x'] }, '`comand` is an unknown key; did you mean `command`?'],
    ['cli', { command: 'ls -l' }, '`command` is not a list'],
    ['cli', { command: [] }, '`command` is empty'],
    [
      'cli',
      { command: ['x'], stdout: { contain: 'y' } },
      '`stdout.contain` is an unknown key; did you mean `contains`?',
    ],
    ['cli', { command: ['x'], retries: -1 }, '`retries` is -1, but must be at least 0'],
    ['cli', { command: ['x'], timeout: 'soon' }, '`timeout` is not as it should be: "soon"'],
    ['cli', { command: ['x'], normalise: ['colour'] }, '`normalise.0` is not one of ansi, dates, paths'],
    ['web', {}, '`url` is missing'],
    [
      'web',
      { url: '/', expect: [{ visable: 'x' }] },
      '`expect.0.visable` is an unknown key; did you mean `visible`?',
    ],
    [
      'web',
      { url: '/', steps: [{ click: 'a' }, { click: 'b', with: 'c' }] },
      '`steps.1`: `with` does not apply to `click`; it applies to `fill` and `select`: remove it',
    ],
    [
      'web',
      { url: '/', expect: [{ visible: 'a', text: 'b' }] },
      '`expect.0`: an expectation needs exactly one main key, but this one has `visible` and `text`; use exactly one of `visible`, `hidden`, `text`, `title`, `url`, `count`',
    ],
    ['unit', { test: 'x' }, 'it has no function'],
    ['unit', { test: () => undefined, retries: 0.5 }, '`retries` is no whole number'],
  ])('is refused with what is wrong: %s %j', (kind, options, problem) => {
    expect(problems(kind, options)).toContain(`the case "a": ${problem}`);
  });
});
