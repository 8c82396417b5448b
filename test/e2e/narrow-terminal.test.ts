import { describe, expect } from 'vitest';
import { onTerminal } from './on-terminal.ts';
import { fixture, type Scene, test } from './scene.ts';

const COLUMNS = 80;
const TITLE = 'Rework the internationalisation of the configuration reader and errors';

/** What a terminal of 80 columns shows, line by line. */
async function linesOf({ repo, home }: Scene, ...args: string[]): Promise<string[]> {
  const { output } = await onTerminal({ root: repo.root, home, columns: COLUMNS }, args, '');
  return output.replaceAll('\r', '').trimEnd().split('\n');
}

/** A terminal breaks a longer line anywhere, also inside a word. */
function tooLong(lines: readonly string[]): string[] {
  return lines.filter((line) => [...line].length > COLUMNS);
}

const HELP = [
  [],
  ['run'],
  ['validate'],
  ['show'],
  ['worktree'],
  ['worktree', 'prune'],
  ['policy'],
  ['policy', 'check'],
  ['work'],
  ['work', 'plan'],
  ['completion'],
  ['graph'],
];

describe('a terminal of 80 columns', () => {
  test('shows lists and details of runs without a broken word', async ({ openScene }) => {
    const scene = await openScene();
    await scene.conductor('run', fixture('unverified'), '--title', TITLE);
    await scene.conductor('run', fixture('gate-approvers'), '--title', TITLE);
    const runs = await linesOf(scene, 'runs');
    expect(runs).toHaveLength(2);
    expect(runs[0]).toContain('Rework the');
    for (const args of [['runs'], ['status'], ['gates'], ['show', '@'], ['show', '@2'], ['worktree', 'list']])
      expect([args, tooLong(await linesOf(scene, ...args))]).toEqual([args, []]);
  });

  test('shows what doctor finds without a broken word', async ({ openScene }) => {
    const scene = await openScene();
    expect(tooLong(await linesOf(scene, 'doctor'))).toEqual([]);
  });

  test('shows the help of commands and of their actions', async ({ openScene }) => {
    const scene = await openScene();
    for (const command of HELP) {
      const lines = await linesOf(scene, ...command, '--help');
      expect(lines[0]).toMatch(new RegExp(`^Usage: ${['conductor', ...command].join(' ')} `));
      expect([command, tooLong(lines)]).toEqual([command, []]);
    }
  });
});

describe('help', () => {
  test('groups the commands by what they are for', async ({ openScene }) => {
    const lines = await linesOf(await openScene(), '--help');
    const headings = lines.filter((line) => /^[A-Z].*:$/.test(line));
    expect(headings).toEqual([
      'Options:',
      'Get started:',
      'Write workflows:',
      'Run a workflow:',
      'Answer gates:',
      'Look at runs:',
      'Restore and clean up:',
      'Plan and dispatch work items:',
      'Plumbing:',
      'Example:',
    ]);
    const after = (heading: string) => lines[lines.indexOf(heading) + 1]?.trim().split(' ')[0];
    expect(['Get started:', 'Run a workflow:', 'Answer gates:', 'Plumbing:'].map(after)).toEqual([
      'init',
      'run',
      'gates',
      'evaluate',
    ]);
  });
});
