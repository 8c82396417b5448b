import { describe, expect, it } from 'vitest';
import {
  runTitle,
  TASK_TITLE_LENGTH,
  TITLE_LENGTH,
  type TitleSources,
} from '../../src/runtime/drive/run-title.ts';

const NONE: TitleSources = {
  title: null,
  task: null,
  description: 'Implement a task.',
  workflowId: 'implement',
};
const ESC = '\u001b';

describe('the title of a run', () => {
  it.each<[string, Partial<TitleSources>, string]>([
    ['is the one that was given', { title: 'Quiet flag', task: 'Add a --quiet flag' }, 'Quiet flag'],
    ['is else the first line of the task', { task: 'Add a flag\n\nIt prints nothing.' }, 'Add a flag'],
    ['is else the first line of the description', { description: 'Fix it.\nThen ask.' }, 'Fix it.'],
    ['is else the id of the workflow', { description: ' \n ' }, 'implement'],
    ['skips a blank title', { title: ' \t ', task: 'Add a flag' }, 'Add a flag'],
    ['skips a blank task', { task: '\n \r\n' }, 'Implement a task.'],
    ['skips blank lines', { task: '\n\n  Add a flag\nmore' }, 'Add a flag'],
    ['ends at any line end', { task: 'one\rtwo\u2028three' }, 'one'],
    ['has single spaces', { title: '  a \t b  ' }, 'a b'],
    ['has no colours', { title: `${ESC}[31mred${ESC}[0m flag` }, 'red flag'],
    ['has no links', { title: `${ESC}]8;;https://evil.example\u0007text${ESC}]8;;\u0007` }, 'text'],
    ['has no control characters', { title: 'a\u0000b\u0008c\u009bd' }, 'abcd'],
    ['has no characters that reverse text', { title: 'a\u202eb\u2066c\u200fd\u061ce' }, 'abcde'],
    ['has no byte order mark', { task: '\ufeffAdd a flag' }, 'Add a flag'],
    ['replaces half a character', { title: 'a\ud83d b' }, 'a\ufffd b'],
    ['skips a title of control characters alone', { title: '\u0007\u202e', task: 'Add' }, 'Add'],
    ['keeps other scripts', { task: 'שלום עולם' }, 'שלום עולם'],
    ['keeps composed emoji', { title: '👩‍👩‍👧 family' }, '👩‍👩‍👧 family'],
  ])('%s', (_, sources, expected) => {
    expect(runTitle({ ...NONE, ...sources })).toBe(expected);
  });

  it.each<[string, string, string]>([
    ['72 characters', 'a'.repeat(72), 'a'.repeat(72)],
    ['73 characters', 'a'.repeat(73), `${'a'.repeat(71)}…`],
    ['72 emoji', '😀'.repeat(72), '😀'.repeat(72)],
    ['73 emoji', '😀'.repeat(73), `${'😀'.repeat(71)}…`],
    ['a space where it is cut', `${'a'.repeat(70)} bcd`, `${'a'.repeat(70)}…`],
    ['a family where it is cut', `${'a'.repeat(70)}👩‍👩‍👧b`, `${'a'.repeat(70)}…`],
  ])('that is taken from the task has at most 72 characters: %s', (_, task, expected) => {
    const title = runTitle({ ...NONE, task });
    expect(title).toBe(expected);
    expect([...title].length).toBeLessThanOrEqual(TASK_TITLE_LENGTH);
  });

  it('that was given is cut only if it is not a readable line', () => {
    const long = 'word '.repeat(30).trim();
    expect(runTitle({ ...NONE, title: long })).toBe(long);
    expect([...runTitle({ ...NONE, title: 'x'.repeat(10_000) })]).toHaveLength(TITLE_LENGTH);
  });
});
