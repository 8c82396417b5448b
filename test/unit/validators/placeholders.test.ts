import { describe, expect, it } from 'vitest';
import { declareArtifact } from '../../../src/adapters/validators/artifact-declaration.ts';
import {
  argumentValues,
  fillPlaceholders,
  pathValues,
} from '../../../src/adapters/validators/placeholders.ts';
import { evidenceName } from '../../../src/adapters/validators/validator-runner.ts';

const place = {
  runId: '0199ab',
  runDir: '/data/runs [x]/0199ab',
  repoRoot: '/repo',
  checkoutPath: '/trees/0199ab',
  entrypoints: [],
};

describe('placeholders', () => {
  it.each([
    ['plain', 'plain'],
    ['${run_id}-${run_id}', '0199ab-0199ab'],
    ['${run_dir}/harness/h.py', '/data/runs [x]/0199ab/harness/h.py'],
    ['.tnh/run/${run_id}/harness/h.py', '/data/runs [x]/0199ab/harness/h.py'],
    ['./.tnh/run/${run_id}', '/data/runs [x]/0199ab'],
    ['--report=.tnh/run/${run_id}/r.json', '--report=/data/runs [x]/0199ab/r.json'],
    ['${worktree}/a', '/trees/0199ab/a'],
    ['${repo}/.tnh/run/${run_id}/x', '/repo/.tnh/run/0199ab/x'],
    ['.tnh/run/${run_id}x', '.tnh/run/0199abx'],
    ['$HOME $(id) {run_id}', '$HOME $(id) {run_id}'],
  ])('%s becomes %s', (template, text) => {
    expect(fillPlaceholders(template, argumentValues(place))).toEqual({ ok: true, text });
  });

  it.each([
    ['${home}', '`${home}` cannot be used in `${home}`'],
    ['${toString}', '`${toString}` cannot be used in `${toString}`'],
    ['${repo}/x', '`${repo}` cannot be used in `${repo}/x`'],
    ['a${run_id', 'unclosed `${` in `a${run_id`'],
  ])('%s is refused in a path', (template, reason) => {
    expect(fillPlaceholders(template, pathValues(place))).toEqual({ ok: false, reason });
  });

  it('are not looked for in the values', () => {
    expect(fillPlaceholders('${run_id}', { run_id: '${run_dir}' })).toEqual({ ok: true, text: '${run_dir}' });
  });
});

describe('a declared artifact', () => {
  const both = ['checkout', 'run'];
  it.each([
    ['harness_report.json', 'harness_report.json', both, true, true],
    ['./out/cli_harness_report.v2.json', 'out/cli_harness_report.v2.json', both, true, true],
    ['harness_report/data.json', 'harness_report/data.json', both, true, false],
    ['harness_report.txt', 'harness_report.txt', both, true, false],
    ['*.json', '*.json', both, false, false],
    ['harness_report*.json', 'harness_report*.json', both, false, false],
    ['shot (1).png', 'shot (1).png', both, true, false],
    ['logs/', 'logs', both, true, false],
    ['${run_dir}/logs/**', 'logs/**', ['run'], false, false],
    ['.tnh/run/${run_id}/harness_report.json', 'harness_report.json', ['run'], true, true],
    ['${worktree}/a.txt', 'a.txt', ['checkout'], true, false],
  ])('%s is %s in %j', (template, name, roots, literal, harnessReport) => {
    expect(declareArtifact(template, place)).toEqual({
      ok: true,
      name,
      roots,
      literal,
      harnessReport,
      converted: false,
    });
  });

  it.each([
    '/etc/passwd',
    '../x',
    'a/../../x',
    '${run_dir}/../x',
    '.tnh/run/${run_id}/../other/x',
    '.',
    '${nope}',
  ])('%s is refused', (template) => {
    expect(declareArtifact(template, place)).toMatchObject({ ok: false });
  });
});

describe('the file name of a validator id', () => {
  it.each([
    ['tests', 'tests'],
    ['../../etc', '%2E.%2F..%2Fetc'],
    ['..', '%2E.'],
    ['a b*', 'a%20b%2A'],
  ])('%s is %s', (id, name) => {
    expect(evidenceName(id)).toBe(name);
  });

  it('stays short and distinct for long ids', () => {
    const [one, two] = [evidenceName(`${'x'.repeat(400)}1`), evidenceName(`${'x'.repeat(400)}2`)];
    expect(one.length).toBeLessThan(120);
    expect(one).not.toBe(two);
  });
});
