import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkForReplay, replayAgainst, replayRun } from '../../src/app/runs/replay-run.ts';
import { verifyRun } from '../../src/app/runs/verify-run.ts';
import { deriveMetadata, deriveStatus } from '../../src/runtime/record/derived-files.ts';
import { openRecord, RECORDED_RUNS, readRecord, recordedRun } from './recorded-runs.ts';

describe.each(RECORDED_RUNS)('the recorded run $name', (run) => {
  it('replays', async () => {
    const open = await openRecord(run);
    const replayed = await replayRun(open);
    if (!replayed.ok) throw new Error(replayed.message);
    const { replay, derived } = replayed;
    expect({ difference: replay.difference, cut: replay.cut }).toEqual({ difference: null, cut: false });
    expect(replay.decided + replay.carried).toBe(open.record.events.length);
    expect(derived.problems).toEqual([]);
  });

  it('verifies', async () => {
    const verification = await verifyRun(await readRecord(run));
    expect(verification.problems).toEqual([]);
    // One of them ended before its first step.
    const hasSteps = run.name !== 'v2/unprepared';
    expect(verification.artifacts).toBeGreaterThan(hasSteps ? 10 : 0);
    expect(verification.manifests).toBeGreaterThan(hasSteps ? 2 : 0);
  });

  it('takes the same path through the workflow it ran with', async () => {
    const open = await openRecord(run);
    const bytes = await readFile(join(run.path, 'workflow.yaml'));
    const { plan } = checkForReplay(open.view, { name: 'workflow.yaml', bytes });
    if (plan === null) throw new Error('its workflow is not valid any more');
    const { difference, common } = replayAgainst(open, plan);
    expect(difference).toBeNull();
    expect(common.map(({ stepId }) => stepId)).toEqual(open.view.state.path);
  });

  it('names no place of the machine that recorded it', () => {
    const files = readdirSync(run.path, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name), 'utf8')).not.toMatch(/\/(?:home|root|Users|var)\//);
  });
});

describe('the recorded runs together', () => {
  it('hold a gate, a refinement, a rollback and a recovery', async () => {
    const seen = new Map<string, Set<string>>();
    for (const run of RECORDED_RUNS) {
      const { record } = await openRecord(run);
      seen.set(run.name, new Set(record.events.map((event) => event.event_type)));
    }
    expect(seen.get('v1/gate-approved')).toContain('gate_approved');
    expect(seen.get('v1/gate-approved')).toContain('human_feedback');
    expect(seen.get('v1/refined')).toContain('refinement_spent');
    expect(seen.get('v1/rolled-back')).toContain('rollback_completed');
    expect(seen.get('v1/rolled-back')).toContain('policy_violation');
    expect(seen.get('v1/recovered')).toContain('run_resumed');
    expect(seen.get('v1/recovered')).toContain('salvage_recorded');
  });

  it('of version 2 hold a preparation, notices, and what follows the end', async () => {
    const typesOf = async (name: string) =>
      (await openRecord(recordedRun(name))).record.events.map((event) => event.event_type);
    const published = await typesOf('v2/published');
    expect(published).toContain('notice_recorded');
    expect(published.slice(published.indexOf('run_completed') + 1)).toEqual([
      'notification_sent',
      'run_published',
      'notification_sent',
    ]);
    const again = await typesOf('v2/prepared-again');
    expect(again.slice(0, again.indexOf('step_started'))).toEqual([
      'run_started',
      'artifact_recorded',
      'setup_completed',
      'run_resumed',
      'artifact_recorded',
      'setup_completed',
      'baseline_recorded',
    ]);
    expect(await typesOf('v2/unprepared')).toEqual([
      'run_started',
      'artifact_recorded',
      'setup_completed',
      'run_completed',
    ]);
  });

  it.each([
    ['v1/gate-approved', null, 1],
    ['v2/published', 'Write the answer', 2],
  ])('%s has the files of its version, and its title', async (name, title, version) => {
    const { view } = await openRecord(recordedRun(name));
    const place = { repoRoot: '/repo', artifactsRoot: '/repo/.tnh/run' };
    const metadata = deriveMetadata(view, place);
    expect(view.title).toBe(title);
    expect([metadata.schema_version, metadata.schema_versions.events]).toEqual([version, version]);
    expect([metadata.title ?? null, deriveStatus(view, null, new Date(0)).title ?? null]).toEqual([
      title,
      title,
    ]);
  });
});
