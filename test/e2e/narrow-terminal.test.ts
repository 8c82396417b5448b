import { describe, expect } from 'vitest';
import { runInProcess } from './in-process.ts';
import { onTerminal } from './on-terminal.ts';
import { fixture, type Scene, test } from './scene.ts';

const COLUMNS = 80;
const WIDE = 400;
const TITLE = 'Rework the internationalisation of the configuration reader and errors';

/** What a terminal of this width shows, line by line. */
async function linesOf({ cliOptions }: Scene, args: readonly string[], columns: number): Promise<string[]> {
  const env = { ...cliOptions.env, NO_COLOR: '1', TERM: 'xterm' };
  const { stdout, stderr } = await runInProcess(args, { ...cliOptions, env, columns });
  return `${stderr}${stdout}`.trimEnd().split('\n');
}

function tooLong(lines: readonly string[]): string[] {
  return lines.filter((line) => [...line].length > COLUMNS);
}

/** Numbers and durations are made equal, because they grow between two calls. */
function wordsIn(lines: readonly string[]): string[] {
  return lines
    .flatMap((line) => line.replace(/\d+(?:\.\d+)?(?: (?:ms|s|m|h|d)\b)?/g, '0').split(/ +/))
    .filter((word) => word !== '');
}

/** A terminal would break a longer line anywhere, and a word that a wide terminal does not show was broken here. */
async function expectFits(scene: Scene, args: readonly string[]): Promise<readonly string[]> {
  const lines = await linesOf(scene, args, COLUMNS);
  const words = new Set(wordsIn(await linesOf(scene, args, WIDE)));
  const isWhole = (word: string) => words.has(word) || word.endsWith('…') || word.startsWith('…/');
  expect({
    args,
    tooLong: tooLong(lines),
    broken: wordsIn(lines).filter((word) => !isWhole(word)),
  }).toEqual({ args, tooLong: [], broken: [] });
  return lines;
}

const LOOKS = [
  ['runs'],
  ['status'],
  ['status', '@'],
  ['gates'],
  ['show', '@'],
  ['show', '@2'],
  ['show'],
  ['verify', '@2'],
  ['replay', '@2'],
  ['goldens', '@2'],
  ['diff', '@2', '--stat'],
  ['worktree', 'list'],
  ['worktree', 'prune', '--dry-run', '--all'],
  ['clean', '--dry-run', '--keep-runs', '0'],
  ['undo', '@2', '--list'],
  ['work', 'list'],
  ['schema'],
];

const HELP = [
  [],
  ['run'],
  ['validate'],
  ['show'],
  ['worktree'],
  ['worktree', 'prune'],
  ['policy'],
  ['policy', 'check'],
  ['vectors'],
  ['vectors', 'record'],
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
    const { output } = await onTerminal(
      { root: scene.repo.root, home: scene.home, columns: COLUMNS },
      ['runs'],
      '',
    );
    const runs = output.replaceAll('\r', '').trimEnd().split('\n');
    // Each run has its cost and its age; only the state of the one that waits is wrapped.
    expect(runs).toEqual([
      expect.stringMatching(/Rework….* ago +\$0\.00 +waiting for approval at$/),
      expect.stringMatching(/^ {40,}gate approve$/),
      expect.stringMatching(/Rework the.* ago +unknown +unverified$/),
    ]);
    const withoutAges = (lines: readonly string[]) => lines.map((line) => line.replace(/\d+ s ago/, 'ago'));
    expect(withoutAges(await linesOf(scene, ['runs'], COLUMNS))).toEqual(withoutAges(runs));
    await Promise.all(LOOKS.map((args) => expectFits(scene, args)));
  });

  test('shows what doctor finds without a broken word', async ({ openScene }) => {
    await expectFits(await openScene(), ['doctor']);
  });

  test('shows the help of commands and of their subcommands', async ({ openScene }) => {
    const scene = await openScene();
    await Promise.all(
      HELP.map(async (command) => {
        const lines = await linesOf(scene, [...command, '--help'], COLUMNS);
        expect(lines[0]).toMatch(new RegExp(`^Usage: ${['conductor', ...command].join(' ')} `));
        expect([command, tooLong(lines)]).toEqual([command, []]);
      }),
    );
  });
});

describe('help', () => {
  test('groups the commands by what they are for', async ({ openScene }) => {
    const lines = await linesOf(await openScene(), ['--help'], COLUMNS);
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
      'Drive runs from a queue:',
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
