import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

const root = join(import.meta.dirname, '..', '..');

const manifestSchema = z.object({
  name: z.string(),
  type: z.string(),
  bin: z.record(z.string(), z.string()),
  engines: z.record(z.string(), z.string()),
  exports: z.record(z.string(), z.unknown()),
  scripts: z.record(z.string(), z.string()),
});
const manifest = manifestSchema.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));

describe('the package', () => {
  it('keeps its name, its kind and its oldest Node', () => {
    const { name, type, engines } = manifest;
    expect({ name, type, engines }).toEqual({
      name: 'tnh-conductor',
      type: 'module',
      engines: { node: '>=20' },
    });
  });

  it('installs the command under both of its names', () => {
    expect(manifest.bin).toEqual({
      conductor: 'dist/bin/conductor.js',
      'tnh-conductor': 'dist/bin/conductor.js',
    });
  });

  it('lets others import the library, the harness kit and the test kit, and nothing inside them', () => {
    expect(Object.keys(manifest.exports).sort()).toEqual(['.', './harness', './package.json', './testing']);
  });

  it('runs no script of its own on the machine of who installs it', () => {
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(hooks.filter((hook) => Object.hasOwn(manifest.scripts, hook))).toEqual([]);
  });
});

describe('the built-in library', () => {
  it.each([
    [
      'prompts',
      [
        'planner.evaluate_harness_report.v1.md',
        'planner.evaluate_results.v1.md',
        'planner.evaluate_revision.v1.md',
        'task.fix_from_harness_report.v1.md',
        'task.implement.v1.md',
        'task.implement.v2.md',
        'task.refine.v1.md',
        'task.review.v1.md',
        'task.synthesize_harness.v1.md',
        'work.implement.v1.md',
        'work.plan.v1.md',
        'work.refine.v1.md',
        'work.review.v1.md',
      ],
    ],
    ['policies', ['policy.read_only.v1.yaml', 'policy.workspace.v1.yaml']],
    [
      'workflows',
      ['implement.yaml', 'revise.yaml', 'work.implement.yaml', 'work.plan.yaml', 'work.review.yaml'],
    ],
  ])('keeps the names that workflows refer to: %s', async (folder, names) => {
    expect((await readdir(join(root, folder))).sort()).toEqual(names);
  });
});
