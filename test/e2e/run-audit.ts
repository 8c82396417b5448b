import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { mayFollowEnd } from '../../src/contracts/run/event.ts';
import { type Manifest, RUN_FOLDERS, type RunFolder } from '../../src/contracts/run/run-files.ts';
import type { Opcode } from '../../src/contracts/vocabulary.ts';
import type { RunRecordOnDisk } from './run-record.ts';

const FIRST_PREV = '0'.repeat(64);

/** Roles that the evidence of a finished step must have. */
const ROLES: Readonly<Record<Opcode, readonly string[]>> = {
  RUN_AGENT: [
    'runner_transcript',
    'runner_final_response',
    'runner_metadata',
    'policy_summary',
    'workspace_diff',
    'workspace_status',
  ],
  RUN_VALIDATION: ['validation_report', 'validation_stdout', 'validation_stderr'],
  EVALUATE: ['planner_input', 'planner_decision'],
  GATE: ['gate_request', 'gate_outcome'],
  ROLLBACK: ['workspace_diff', 'workspace_status'],
  STOP: [],
};

/** Checks what holds for the record of every run, however it ended. */
export function auditRun(run: RunRecordOnDisk): void {
  auditChain(run);
  auditManifests(run);
  auditEnd(run);
}

function auditChain({ lines, events, metadata }: RunRecordOnDisk): void {
  const first = events[0];
  expect(first?.event_type).toBe('run_started');
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => (first?.seq ?? 0) + index));
  expect(new Set(events.map((event) => event.run_id))).toEqual(new Set([metadata.run_id]));
  const times = events.map((event) => event.timestamp);
  expect(times).toEqual([...times].sort());
  expect(events.map((event) => event.prev)).toEqual([FIRST_PREV, ...lines.slice(0, -1).map(sha256)]);
}

function auditManifests(run: RunRecordOnDisk): void {
  for (const [folder, manifest] of Object.entries(run.manifests)) {
    const { step_id, opcode, attempt } = manifest;
    const name = step_id ?? folder.split('@')[0] ?? '';
    expect(folder).toBe(attempt === 1 ? name : `${name}@${attempt}`);
    if (step_id === null)
      expect({ opcode, isRunFolder: RUN_FOLDERS.includes(name as RunFolder) }).toEqual({
        opcode: null,
        isRunFolder: true,
      });
    for (const artifact of manifest.artifacts) auditArtifact(run, folder, artifact);
  }
  auditRecorded(run);
  for (const { step_id, payload } of endedSteps(run)) {
    if (payload.opcode === 'STOP') continue;
    const folder = payload.attempt === 1 ? step_id : `${step_id}@${payload.attempt}`;
    const roles = run.manifest(folder ?? '').artifacts.map(({ role }) => role);
    const hasProcesses = payload.opcode === 'RUN_AGENT' || payload.opcode === 'RUN_VALIDATION';
    if (hasProcesses && !cameBack(run, step_id, payload.attempt)) continue;
    expect(roles, folder ?? '').toEqual(expect.arrayContaining([...ROLES[payload.opcode]]));
  }
}

/** The log names what the manifests list. Of an attempt that a kill interrupted, it may name only a part. */
function auditRecorded(run: RunRecordOnDisk): void {
  const recorded = run.eventsOf('artifact_recorded').map(({ payload }) => payload);
  const keyOf = ({ role, path, sha256: digest, bytes }: (typeof recorded)[number]) =>
    `${role} ${path} ${digest} ${bytes}`;
  const listed = Object.entries(run.manifests).map(([folder, { artifacts }]) => ({
    folder,
    keys: artifacts.map(keyOf),
  }));
  const cutOff = cutOffFolders(run);
  const whole = listed.filter(({ folder }) => !cutOff.includes(folder)).flatMap(({ keys }) => keys);
  expect(recorded.map(keyOf)).toEqual(expect.arrayContaining(whole));
  const all = listed.flatMap(({ keys }) => keys);
  expect(recorded.map(keyOf).filter((key) => !all.includes(key))).toEqual([]);
  expect(new Set(recorded.map(({ path }) => path)).size).toBe(recorded.length);
}

/** Folders of attempts that were repeated because a kill interrupted them. */
function cutOffFolders(run: RunRecordOnDisk): readonly string[] {
  const ofSteps = run
    .eventsOf('step_started')
    .filter(({ payload }) => payload.recovery)
    .map(({ step_id, payload }) =>
      payload.attempt === 2 ? `${step_id}` : `${step_id}@${payload.attempt - 1}`,
    );
  // Setup and baseline have no event that says they are repeated, but only a resume repeats them.
  const isResumed = run.eventsOf('run_resumed').length > 0;
  const ofRun = Object.entries(run.manifests).flatMap(([folder, { step_id, attempt }]) => {
    const [name = ''] = folder.split('@');
    const isRepeated = run.manifests[`${name}@${attempt + 1}`] !== undefined;
    return isResumed && step_id === null && isRepeated ? [folder] : [];
  });
  return [...ofSteps, ...ofRun];
}

/** A step that was refused, or whose workspace could not be read, leaves only its reason. */
function cameBack(run: RunRecordOnDisk, stepId: string | null, attempt: number): boolean {
  return run
    .eventsOf('runner_completed')
    .some(({ step_id, payload }) => step_id === stepId && payload.attempt === attempt);
}

function auditArtifact(
  { path }: RunRecordOnDisk,
  folder: string,
  artifact: Manifest['artifacts'][number],
): void {
  expect(artifact.path.startsWith(`artifacts/${folder}/`), artifact.path).toBe(true);
  const content = readFileSync(join(path, artifact.path));
  expect({ path: artifact.path, sha256: sha256(content), bytes: content.length }).toEqual({
    path: artifact.path,
    sha256: artifact.sha256,
    bytes: artifact.bytes,
  });
}

/** Attempts that ended. */
function endedSteps(run: RunRecordOnDisk) {
  return run.eventsOf('step_started').filter((started) => {
    const next = run.events.find(
      (event) =>
        event.seq > started.seq &&
        event.step_id === started.step_id &&
        ['step_completed', 'step_failed', 'step_blocked', 'step_started'].includes(event.event_type),
    );
    return next !== undefined && next.event_type !== 'step_started';
  });
}

function auditEnd({ eventsOf, events, status, metadata, finalState }: RunRecordOnDisk): void {
  const [completed, ...more] = eventsOf('run_completed');
  expect(more).toEqual([]);
  expect(status.run_id).toBe(metadata.run_id);
  if (completed === undefined) {
    expect({ finalState, outcome: status.outcome, ended: metadata.ended_at }).toEqual({
      finalState: null,
      outcome: null,
      ended: null,
    });
    return;
  }
  expect(events.filter(({ event_type }) => !mayFollowEnd(event_type)).at(-1)).toBe(completed);
  const { lifecycle_state, outcome, termination } = completed.payload;
  expect(finalState).toBe(`${lifecycle_state} ${outcome} ${termination}\n`);
  expect(status).toMatchObject({
    lifecycle_state,
    outcome,
    termination,
    awaiting: null,
    active_attempt: null,
  });
  expect(metadata).toMatchObject({ outcome, termination, ended_at: completed.timestamp });
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
