import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { RunRecordOnDisk } from './run-record.ts';
import { fixture, type Scene, test } from './scene.ts';

/** The pattern as it is published, with a harness writer that needs no model in the place of its agent. */
async function runPattern(scene: Scene): Promise<string> {
  const text = await readFile(fixture('pattern-a'), 'utf8');
  await scene.repo.write('../pattern-a.yaml', text.replaceAll('"claude-code"', '"harness-writer"'));
  const { code, stdout } = await scene.conductor('run', '../pattern-a.yaml');
  expect(code).toBe(3);
  return stdout.trim();
}

/** Report, screenshots and logs of each run of the harness. */
function expectHarnessEvidence({ manifest, evidence }: RunRecordOnDisk): void {
  for (const folder of ['execute_harness', 'execute_harness@2']) {
    const roles = manifest(folder).artifacts.map(
      ({ role, path: file }) => `${role} ${file.split('/').at(-1)}`,
    );
    expect(roles).toEqual(
      expect.arrayContaining([
        'harness_report harness_report.json',
        'harness_screenshot answer.png',
        'validation_artifact answer.log',
      ]),
    );
  }
  expect(JSON.parse(evidence('execute_harness@2', 'harness_report')).proposed_goldens).toHaveLength(1);
}

describe('the generative evaluation pattern', () => {
  test.concurrent('is valid as it stands, with advice on limits and a route that is never taken', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const checked = await scene.conductor('validate', fixture('pattern-a'), '--json');
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    const { ok, files } = JSON.parse(checked.stdout);
    expect([ok, files[0].ok]).toEqual([true, true]);
    const found = files[0].diagnostics as { severity: string; code: string; line: number }[];
    expect(found.map(({ severity, code, line }) => `${severity} ${code} ${line}`)).toEqual([
      'warning WF312 12',
      'warning WF312 53',
      'warning WF209 72',
    ]);
  });

  test.concurrent('goes from a failing case through a fix to a golden that waits', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await runPattern(scene);
    const record = scene.record(runId);
    expect(record.eventsOf('route_selected').map(({ payload }) => `${payload.key} ${payload.to}`)).toEqual([
      'completed execute_harness',
      'error evaluate',
      'partial fix',
      'completed execute_harness',
      'completed evaluate',
      'needs_human golden_gate',
    ]);
    expect(record.eventsOf('golden_gate_pending').map(({ payload }) => payload.proposals)).toEqual([1]);
    const [first, second] = record.eventsOf('decision_recorded').map(({ payload }) => payload);
    expect(first).toMatchObject({
      status: 'partial',
      blocker_codes: expect.arrayContaining(['case_failed:answer']),
    });
    expect(second).toMatchObject({ status: 'needs_human', risk_flags: ['proposed_goldens_present'] });
    expect(record.status.blocking_reason).toMatch(/golden/);
    expectHarnessEvidence(record);
    await access(join(record.path, 'harness', 'harness.py'));
  });

  // The last change to files is the fix, and the harness passed after it; accepting goldens is no such change.
  test.concurrent('is a success without harness or report in it once the golden is approved', async ({
    openScene,
  }) => {
    const scene = await openScene();
    const runId = await runPattern(scene);
    expect(await scene.conductor('approve', runId)).toMatchObject({ code: 0 });
    expect(await scene.conductor('resume', runId)).toMatchObject({ code: 0 });
    expect(scene.record(runId).finalState).toBe('completed success gate_approved\n');
    const { base_sha, branch_name } = scene.record(runId).metadata.workspace;
    const changed = await scene.repo.git('diff', '--name-only', base_sha, branch_name);
    expect(changed.split('\n')).toContain('answer.txt');
    expect(changed).not.toMatch(/harness/);
  });

  test.concurrent('is rejected when the golden is', async ({ openScene }) => {
    const scene = await openScene();
    const runId = await runPattern(scene);
    expect(await scene.conductor('reject', runId, '--resume')).toMatchObject({ code: 4 });
    expect(scene.record(runId).finalState).toBe('blocked rejected gate_rejected\n');
  });
});
