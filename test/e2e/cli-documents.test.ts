import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { jsonSchemaOf, type SchemaName } from '../../src/contracts/json-schemas.ts';
import { schemaProblems } from '../unit/json-schema-check.ts';
import { fixture, type Scene, test } from './scene.ts';

type CliSchema = Extract<SchemaName, `cli.${string}`>;

/** Runs a command with `--json`, checks its document against the schema, and the schema against a broken document. */
async function expectFits(
  name: CliSchema,
  scene: Scene,
  ...args: string[]
): Promise<Record<string, unknown>> {
  const { stdout } = await scene.conductor(...args, '--json');
  const document = JSON.parse(stdout) as Record<string, unknown>;
  const schema = jsonSchemaOf(name);
  expect(schemaProblems(schema, document), args.join(' ')).toEqual([]);
  const { schema_version: _, ...unversioned } = document;
  expect(schemaProblems(schema, unversioned), `${name} without a version`).not.toEqual([]);
  expect(schemaProblems(schema, { ...document, 'added-later': 1 }), `${name} with a key more`).toEqual([]);
  return document;
}

describe('the output of a command fits its schema', () => {
  test('commands that need no run', async ({ openScene }) => {
    const scene = await openScene({ prepare: (repo) => repo.write('.git/info/exclude', '.tnh\n') });
    await expectFits('cli.init', scene, 'init');
    await expectFits('cli.doctor', scene, 'doctor');
    await expectFits('cli.validate', scene, 'validate', fixture('partial'), fixture('gate'));
    await expectFits(
      'cli.validate',
      scene,
      'validate',
      fixture('partial'),
      '--prove',
      '--max-agent-runs',
      '0',
    );
    await expectFits('cli.explain', scene, 'explain', 'WF314');
    await expectFits('cli.graph', scene, 'graph', fixture('partial'));
    await expectFits('cli.schema', scene, 'schema');
    await expectFits('cli.schema', scene, 'schema', 'cli.run');
    await expectFits('cli.completion', scene, 'completion', 'bash');
    await scene.repo.write(
      '../suite.yaml',
      'suite_id: s\ncases: [{ id: a, kind: cli, command: ["true"] }]\n',
    );
    await expectFits('cli.harness', scene, 'harness', 'run', '../suite.yaml', '--out', '../out');
    await expectFits('cli.worker', scene, 'worker', '--once');
    await expectFits('cli.engine-status', scene, 'engine', 'status');
    await expectFits('cli.engine-up', scene, 'engine', 'up');
    await expectFits('cli.runs', scene, 'runs');
    await expectFits('cli.gates', scene, 'gates');
    await expectFits('cli.serve', scene, 'serve', '--sessions');
    await expectFits('cli.error', scene, 'show', 'ffff');
    await expectFits('cli.error', scene, 'vallidate');
  });

  test('commands that drive a run, and commands that read it', async ({ openScene }) => {
    const scene = await openScene();
    const document = await expectFits('cli.run', scene, 'run', fixture('partial'));
    // A run without validators, or with `baseline: off`, has no baseline.
    const { baseline: _baseline, ...always } = document;
    for (const key of Object.keys(always)) {
      const { [key]: _, ...rest } = always;
      expect(schemaProblems(jsonSchemaOf('cli.run'), rest), `without ${key}`).not.toEqual([]);
    }
    const id = String(document.run_id);
    await expectFits('cli.show', scene, 'show', id);
    await expectFits('cli.status', scene, 'status', id);
    await expectFits('cli.status', scene, 'status');
    await expectFits('cli.runs', scene, 'runs');
    await expectFits('cli.logs', scene, 'logs', id);
    await expectFits('cli.diff', scene, 'diff', id);
    await expectFits('cli.replay', scene, 'replay', id);
    await expectFits('cli.replay', scene, 'replay', id, '--against', fixture('partial'));
    await expectFits('cli.verify', scene, 'verify', id);
  });

  test('commands that restore and remove', async ({ openScene }) => {
    const scene = await openScene();
    const { run_id } = await expectFits('cli.run', scene, 'run', fixture('rollback-pre-run'));
    const id = String(run_id);
    await expectFits('cli.undo', scene, 'undo', id, '--list');
    await expectFits('cli.undo', scene, 'undo', id, '--dry-run');
    await expectFits('cli.undo', scene, 'undo', id);
    await expectFits('cli.worktree', scene, 'worktree', 'list');
    await expectFits('cli.worktree', scene, 'worktree', 'prune', '--all', '--dry-run');
    await expectFits('cli.clean', scene, 'clean', '--keep-runs', '0');
  });

  /** A run that waits at its gate. */
  async function waiting(scene: Scene): Promise<string> {
    return String((await expectFits('cli.run', scene, 'run', fixture('gate'))).run_id);
  }

  test('an approval, and the resume after it', async ({ openScene }) => {
    const scene = await openScene();
    const id = await waiting(scene);
    const { gates } = await expectFits('cli.gates', scene, 'gates');
    expect(gates).toHaveLength(1);
    await expectFits('cli.status', scene, 'status');
    await expectFits('cli.approve', scene, 'approve', id, '--comment', 'seen');
    await expectFits('cli.resume', scene, 'resume', id);
  });

  test('a rejection that resumes the run automatically', async ({ openScene }) => {
    const scene = await openScene();
    await expectFits('cli.reject', scene, 'reject', await waiting(scene), '--resume');
  });

  test('the goldens of a run', async ({ openScene }) => {
    const scene = await openScene();
    await expectFits('cli.goldens', scene, 'goldens', await waiting(scene));
  });

  test('a cancel', async ({ openScene }) => {
    const scene = await openScene();
    await expectFits('cli.cancel', scene, 'cancel', await waiting(scene));
  });
});

describe('the page about the command line', () => {
  test('names every schema of a command', async ({ openScene }) => {
    const scene = await openScene();
    const { schemas } = await expectFits('cli.schema', scene, 'schema');
    const names = (schemas as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name.startsWith('cli.'));
    const page = await readFile(join(import.meta.dirname, '../../docs/reference/command-line.md'), 'utf8');
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
