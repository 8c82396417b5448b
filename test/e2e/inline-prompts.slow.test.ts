import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentStep, config, JUDGE, runInline, VALIDATE, workflowOf } from './inline-workflow.ts';
import { type Scene, test } from './scene.ts';

/** An agent that keeps its prompt, one file for each visit. */
const KEEPER = config('n=$(ls | grep -c prompt); cat > prompt-$n.txt', 'test -f prompt-1.txt');

const promptStep = (prompt: string, next = 'STOP', more = '') =>
  agentStep(next, more).replace('prompt: do it now', () => `prompt: ${JSON.stringify(prompt)}`);

async function receivedPrompt(scene: Scene, prompt: string, ...args: readonly string[]): Promise<string> {
  const { runId, stderr } = await runInline(scene, promptStep(prompt), ...args);
  expect(stderr).not.toMatch(/^error/m);
  return scene.inCheckout(runId, 'prompt-0.txt');
}

async function validateWith(scene: Scene, prompt: string) {
  const path = join(scene.home, 'checked.yaml');
  await writeFile(path, workflowOf(promptStep(prompt)));
  return scene.conductor('validate', path);
}

describe('an inline prompt', () => {
  test('reaches the agent rendered, with the task that the run was given', async ({ openScene }) => {
    const scene = await openScene({ config: KEEPER });
    expect(
      await receivedPrompt(scene, 'Do {{ task }} in {{ step_id }}.', '--input', 'task=sums {{ x }}'),
    ).toBe('Do sums {{ x }} in a.');
    expect(await receivedPrompt(scene, 'Keep {% raw %}{{ these }}{% endraw %} and {this}.')).toBe(
      'Keep {{ these }} and {this}.',
    );
    expect(
      await receivedPrompt(scene, 'In {{ area }}: {{ task }}', '--input', 'task=fix', '--input', 'area=src'),
    ).toBe('In src: fix');
  });

  test('with an unknown variable is an error for validate and for run, and nothing is started', async ({
    openScene,
  }) => {
    const scene = await openScene({ config: KEEPER });
    const checked = await validateWith(scene, 'Do {{ tsak }} now');
    expect(checked.code).toBe(2);
    expect(checked.stderr + checked.stdout).toMatch(/WF509.*`tsak`.*\{% raw %\}/);
    const refused = await runInline(scene, promptStep('Do {{ tsak }} now'), '--input', 'task=x');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/WF509/);
    expect(scene.runIds()).toEqual([]);
  });

  test('that uses the task is refused at run without one', async ({ openScene }) => {
    const scene = await openScene({ config: KEEPER });
    expect((await validateWith(scene, 'Do {{ task }} now')).code).toBe(0);
    const refused = await runInline(scene, promptStep('Do {{ task }} now'));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/needs the input `task`/);
    expect(scene.runIds()).toEqual([]);
  });

  test('that does not use an input makes run refuse it, with the inputs that exist', async ({
    openScene,
  }) => {
    const scene = await openScene({ config: KEEPER });
    const steps = promptStep('Do {{ task }} in {{ area }}');
    const refused = await runInline(
      scene,
      steps,
      '--input',
      'task=x',
      '--input',
      'area=src',
      '--input',
      'colour=red',
    );
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /no step takes the input `colour`[\s\S]*the workflow takes `task`, `area`/,
    );
    expect(scene.runIds()).toEqual([]);
  });

  test('with a substitution of validators is a warning, and reaches the agent as it is', async ({
    openScene,
  }) => {
    const scene = await openScene({ config: KEEPER });
    const checked = await validateWith(scene, 'Write to ${run_dir} now');
    expect(checked.code).toBe(0);
    expect(checked.stderr + checked.stdout).toMatch(/warning\[WF315\]: \S+:\d+ `\$\{run_dir\}`/);
    expect(await receivedPrompt(scene, 'Write to ${run_dir} now')).toBe('Write to ${run_dir} now');
  });

  test('gets the instructions of the evaluation below its text, or where it uses them itself', async ({
    openScene,
  }) => {
    const scene = await openScene({ config: KEEPER });
    const loop = (prompt: string) =>
      promptStep(prompt, 'v') +
      VALIDATE('j') +
      JUDGE.replace('[STOP]', '[a, STOP]').replace('partial: STOP', 'partial: a');
    const appended = await runInline(scene, loop('Do {{ task }}.'), '--input', 'task=sums');
    expect(await scene.inCheckout(appended.runId, 'prompt-1.txt')).toMatch(
      /^Do sums\.\n\n## What the last evaluation asks for/,
    );
    const own = await runInline(
      scene,
      loop('Do {{ task }}.{% if fix_instructions %} Now: {{ fix_instructions.objective }}{% endif %}'),
      '--input',
      'task=sums',
    );
    const second = await scene.inCheckout(own.runId, 'prompt-1.txt');
    expect(second).toMatch(/^Do sums\. Now: \S/);
    expect(second).not.toContain('## What the last evaluation');
  });
});
