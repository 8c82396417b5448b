import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { test } from './scene.ts';

const VECTORS = fileURLToPath(new URL('../fixtures/planner_vectors/', import.meta.url));
const vector = (name: string) => JSON.parse(readFileSync(join(VECTORS, `${name}.json`), 'utf8'));

describe('conductor evaluate', () => {
  test('prints the decision, the same bytes twice', async ({ openScene }) => {
    const scene = await openScene();
    const { input } = vector('vector_partial_fixable');
    await scene.repo.write('../given/envelope.json', JSON.stringify(input));
    const first = await scene.conductor('evaluate', '--input', '../given/envelope.json');
    const second = await scene.conductor('evaluate', '--input', '../given/envelope.json');
    expect(first.code, first.stderr).toBe(0);
    expect(second.stdout).toBe(first.stdout);
    expect(Object.keys(JSON.parse(first.stdout))).toEqual([
      'status',
      'next_step',
      'fix_instructions',
      'blockers',
      'risk_flags',
    ]);
    expect(first.stderr).toContain('reason: validator-or-case-failed: the validator harness exited with 1');
    expect(first.stderr).toContain('would be different after: validators that exit with 0');
  });

  test('gives the rules as floor and no proposal with --json', async ({ openScene }) => {
    const scene = await openScene();
    const { input } = vector('vector_unsafe_policy_violation');
    await scene.repo.write('../given/envelope.json', JSON.stringify(input));
    const { code, stdout } = await scene.conductor('evaluate', '--json', '--input', '../given/envelope.json');
    const { schema_version, x_trace, ...decision } = JSON.parse(stdout);
    expect({ code, schema_version, status: decision.status }).toEqual({
      code: 0,
      schema_version: 1,
      status: 'unsafe',
    });
    expect(x_trace).toEqual({ floor: decision, proposal: null });
  });

  test('refuses an envelope that does not fit, with the place', async ({ openScene }) => {
    const scene = await openScene();
    const { input } = vector('vector_success_clean');
    const cases: [string, string, string][] = [
      [JSON.stringify({ ...input, run_id: 7 }), 'run_id: expected string', 'planner-input'],
      ['{"run_id":', 'is not JSON', 'one JSON document'],
      [JSON.stringify([]), 'the document: expected object', 'planner-input'],
    ];
    for (const [text, message, help] of cases) {
      await scene.repo.write('../given/bad.json', text);
      const { code, stdout, stderr } = await scene.conductor('evaluate', '--input', '../given/bad.json');
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(message);
      expect(stderr).toContain(help);
    }
    const missing = await scene.conductor('evaluate', '--input', 'nowhere.json');
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining("nowhere.json can't be read"),
    ]);
    const none = await scene.conductor('evaluate');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--input planner_input.json')]);
    await scene.repo.write('../given/envelope.json', JSON.stringify(input));
    const planner = await scene.conductor(
      'evaluate',
      '--input',
      '../given/envelope.json',
      '--planner',
      'rule',
    );
    expect([planner.code, planner.stderr]).toEqual([2, expect.stringContaining('did you mean rules?')]);
  });
});

describe('conductor vectors', () => {
  test('passes all of the shipped vectors', async ({ openScene }) => {
    const scene = await openScene();
    const { code, stdout } = await scene.conductor('vectors', VECTORS, '--json');
    const document = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(document).toMatchObject({ ok: true, planner: 'rules', failed: 0 });
    expect(document.vectors.length).toBe(document.passed);
    expect(document.passed).toBeGreaterThan(50);
  });

  test('shows what drifts and exits with 1', async ({ openScene }) => {
    const scene = await openScene();
    const made = vector('vector_success_clean');
    const folder = join(scene.repo.root, '../given/vectors');
    await mkdir(folder, { recursive: true });
    const expected = { ...made.expected, status: 'blocked' };
    await writeFile(join(folder, 'a.json'), JSON.stringify({ ...made, expected }));
    await writeFile(join(folder, 'b.json'), JSON.stringify({ ...made, vector_id: 'other' }));
    const { code, stdout } = await scene.conductor('vectors', '../given/vectors');
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ {2}vector_success_clean {2}blocked {3}success {4}status/);
    expect(stdout).toContain('2 vectors by rules: 1 as expected, 1 different');
  });

  test('refuses what is no vector, twins and an empty folder', async ({ openScene }) => {
    const scene = await openScene();
    const made = vector('vector_success_clean');
    const folder = join(scene.repo.root, '../given/vectors');
    const none = await scene.conductor('vectors');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no folder .tnh/vectors')]);
    await mkdir(folder, { recursive: true });
    const empty = await scene.conductor('vectors', '../given/vectors');
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('given/vectors has no vectors')]);
    await writeFile(join(folder, 'a.json'), JSON.stringify(made));
    await writeFile(join(folder, 'b.json'), JSON.stringify(made));
    const twins = await scene.conductor('vectors', '../given/vectors');
    expect([twins.code, twins.stderr]).toEqual([
      2,
      expect.stringContaining('is in ../given/vectors/a.json and in ../given/vectors/b.json'),
    ]);
    await writeFile(join(folder, 'b.json'), JSON.stringify({ ...made, expected: {} }));
    const misfit = await scene.conductor('vectors', '../given/vectors');
    expect([misfit.code, misfit.stderr]).toEqual([
      2,
      expect.stringContaining('../given/vectors/b.json is not a vector: expected.status'),
    ]);
  });

  test('records an evaluation of a run, once', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('partial');
    const wrong = await scene.conductor('vectors', 'record', runId, 'judgee');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('did you mean')]);
    const { code, stdout } = await scene.conductor('vectors', 'record', runId, 'judge');
    expect(code).toBe(0);
    const path = stdout.trim();
    expect(path).toMatch(/^\.tnh\/vectors\/partial_judge_[0-9a-f-]+\.json$/);
    expect(existsSync(join(scene.repo.root, path))).toBe(true);
    const again = await scene.conductor('vectors', 'record', runId, 'judge');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already exists')]);
    const result = await scene.conductor('vectors', '--json');
    expect([result.code, JSON.parse(result.stdout)]).toEqual([
      0,
      expect.objectContaining({ ok: true, passed: 1, failed: 0 }),
    ]);
    await rm(join(scene.repo.root, '.tnh/vectors'), { recursive: true });
  });
});

describe('conductor show', () => {
  test('says why each evaluation came out as it did', async ({ openScene }) => {
    const scene = await openScene();
    const { runId } = await scene.run('partial');
    const { stdout } = await scene.conductor('show', runId);
    expect(stdout).toMatch(
      /judge .*\n +reason: [a-z-]+: .*\(evidence\.[a-z_.]+.*\n +would be different after: /,
    );
  });
});
