import { spawnSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { onTerminal } from './on-terminal.ts';
import { fixture, type Scene, test as sceneTest } from './scene.ts';

const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;
if (!hasPython) process.stderr.write('skipped: tests of the terminal need python3 with its module pty\n');
// A pseudo-terminal comes from python3.
const test = sceneTest.skipIf(!hasPython);

const ESC = '\u001b';
const DOWN = `${ESC}[B`;

function at({ repo, home }: Scene, env: Readonly<Record<string, string>> = {}) {
  return { root: repo.root, home, columns: 80, env: { CONDUCTOR_SANDBOX: 'off', PAGER: 'cat', ...env } };
}

describe('a patch on a terminal', () => {
  test('is coloured and paged, and shown plain if the pager is missing', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('success');
    const show = (env: Readonly<Record<string, string>>) => onTerminal(at(scene, env), ['diff', runId], '');

    const paged = await show({ NO_COLOR: '', PAGER: 'sed s/^/paged:/' });
    expect(paged.code).toBe(0);
    expect(paged.output).toContain(`paged:${ESC}[32m+42`);
    expect(paged.output).toContain(`paged:${ESC}[34m@@`);

    const plain = await show({ PAGER: 'sed s/^/paged:/' });
    expect(plain.output).toContain('paged:+42');
    expect(plain.output).not.toContain(ESC);

    const quit = await show({ PAGER: 'head -n 1' });
    expect(quit).toMatchObject({ code: 0, output: expect.stringMatching(/^diff --git [^\n]*\n$/) });

    const missing = await show({ PAGER: 'no-such-pager' });
    expect(missing.code).toBe(0);
    expect(missing.output).toContain('\n+42');

    for (const env of [{ TERM: 'dumb' }, { CI: '1' }])
      expect((await show({ PAGER: 'sed s/^/paged:/', ...env })).output).not.toContain('paged:');
    expect((await scene.conductor('diff', runId)).stdout).toContain('\n+42');
  });
});

describe('run --wait on a terminal', () => {
  const QUESTION = 'what is your answer?';
  const run = (scene: Scene, typed: readonly (readonly [string, string])[]) =>
    onTerminal(at(scene), ['run', fixture('gate'), '--wait', '--trust'], typed);

  test('shows the diff and approves', async ({ openScene }) => {
    const scene = await openScene();
    const { code, output } = await run(scene, [
      [QUESTION, '\r'],
      // The first question is drawn again when it is answered.
      ['diff --git', ''],
      [QUESTION, `${DOWN}\r`],
    ]);
    expect(output).toContain('diff --git');
    expect(output).toMatch(/✓ \S+ +gate_approved/);
    expect(code).toBe(0);
  });

  test('rejects with a comment', async ({ openScene }) => {
    const scene = await openScene();
    const { code, output } = await run(scene, [
      [QUESTION, `${DOWN}${DOWN}\r`],
      ['Why?', 'not like this\r'],
    ]);
    expect(code).toBe(4);
    expect(output).toContain('not like this');
    const [runId = ''] = scene.runIds();
    expect((await scene.conductor('show', runId)).stdout).toContain('not like this');
  });

  test('leaves the gate open', async ({ openScene }) => {
    const scene = await openScene();
    const { code, output } = await run(scene, [[QUESTION, `${DOWN}${DOWN}${DOWN}\r`]]);
    expect(code).toBe(3);
    expect(output).toContain('conductor approve');
    expect((await scene.conductor('gates')).stdout).toContain('conductor approve');
  });
});
