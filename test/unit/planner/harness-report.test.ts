import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { harnessReportSchema } from '../../../src/contracts/run/harness-report.ts';

const item = {
  id: 'help',
  kind: 'cli',
  status: 'passed',
  repro: 'tool --help',
  observations: [],
  artifacts: [],
};
const full = {
  suite_id: 'cli_smoke_tests',
  version: '1.0.0',
  generated_at: '2026-02-09T14:30:00Z',
  cases: [item],
  summary: { passed: 1, failed: 0, flaky: 0, duration_ms: 1250 },
};

const pathsOf = (value: unknown) =>
  harnessReportSchema.safeParse(value).error?.issues.map((issue) => issue.path.join('.')) ?? [];

describe('a full harness report', () => {
  it('fits with the minimum fields, and with more', () => {
    const goldens = [
      'goldens/a.txt',
      { id: 'b', golden_path: 'g', proposed_path: 'p', kind: 'text', diff_ref: 'd' },
    ];
    const ux = [
      { severity: 'warning', area: 'accessibility', description: 'no label', evidence_ref: 's.png' },
    ];
    expect(pathsOf(full)).toEqual([]);
    expect(pathsOf({ ...full, ux_flags: ux, proposed_goldens: goldens, runner: 'own' })).toEqual([]);
  });

  it.each(['2026-02-09T14:30:00+02:00', '2026-02-09T14:30:00.123456', '2026-02-09T14:30:00'])(
    'may have run at %s',
    (generated_at) => {
      expect(pathsOf({ ...full, generated_at })).toEqual([]);
    },
  );

  it('counts skipped cases or leaves them out', () => {
    const cases = [item, { ...item, id: 'b', status: 'skipped', artifacts: ['logs/a..b', './c'] }];
    expect(pathsOf({ ...full, cases })).toEqual([]);
  });

  it.each(Object.keys(full))('needs %s', (key) => {
    expect(pathsOf({ ...full, [key]: undefined })).toEqual([key]);
  });

  it.each(Object.keys(item))('needs %s in a case', (key) => {
    expect(pathsOf({ ...full, cases: [{ ...item, [key]: undefined }] })).toEqual([`cases.0.${key}`]);
  });

  it.each(Object.keys(full.summary))('needs %s in the summary', (key) => {
    expect(pathsOf({ ...full, summary: { ...full.summary, [key]: undefined } })).toEqual([`summary.${key}`]);
  });

  it.each([
    { fields: { generated_at: 'yesterday' }, path: 'generated_at' },
    {
      fields: { cases: [item, item], summary: { ...full.summary, passed: 2 } },
      path: 'cases.1.id',
    },
    { fields: { summary: { ...full.summary, failed: 1 } }, path: 'summary.failed' },
    { fields: { cases: [] }, path: 'summary.passed' },
    { fields: { cases: [{ ...item, artifacts: ['a', '/etc/passwd'] }] }, path: 'cases.0.artifacts.1' },
    { fields: { cases: [{ ...item, artifacts: ['a/../../b'] }] }, path: 'cases.0.artifacts.0' },
    { fields: { ux_flags: [{ severity: 'info', evidence_ref: '../a' }] }, path: 'ux_flags.0.evidence_ref' },
    { fields: { proposed_goldens: ['a', '/b'] }, path: 'proposed_goldens.1' },
    { fields: { proposed_goldens: [{ diff_ref: '/b' }] }, path: 'proposed_goldens.0.diff_ref' },
    { fields: { cases: [{ ...item, kind: 'e2e' }] }, path: 'cases.0.kind' },
    { fields: { ux_flags: [{ severity: 'fatal' }] }, path: 'ux_flags.0.severity' },
  ])('refuses a wrong $path', ({ fields, path }) => {
    expect(pathsOf({ ...full, ...fields })).toEqual([path]);
  });

  it('has a JSON Schema that names the minimum fields', () => {
    expect(z.toJSONSchema(harnessReportSchema).required).toEqual(Object.keys(full));
  });
});
