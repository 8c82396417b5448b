import { describe, expect, it } from 'vitest';
import {
  deriveListedState,
  isExecuting,
  isInState,
  isUnfinished,
} from '../../../src/app/runs/listed-state.ts';
import type { Status } from '../../../src/contracts/run/run-files.ts';
import type { Driver } from '../../../src/contracts/run/run-lease.ts';
import type { RunListing } from '../../../src/ports/run-store.ts';
import { runRow, stateText } from '../../../src/surfaces/cli/output/run-state.ts';

const short = (id: string) => id.slice(0, 8);
const NOW = new Date('2026-01-01T12:00:00Z');
const same = (text: string) => text;
const paint = { bold: same, dim: same, red: same, green: same, yellow: same, blue: same, enabled: false };

const RUNNING: Status = {
  run_id: '0199ab12-cdef-7000-8000-000000000000',
  workflow_id: 'implement',
  started_at: '2026-01-01T11:00:00Z',
  updated_at: '2026-01-01T11:00:05Z',
  lifecycle_state: 'running',
  outcome: null,
  current_step_id: 'check',
  last_completed_step_id: 'write',
  active_opcode: 'RUN_VALIDATION',
  active_runner_family: null,
  active_attempt: 1,
  worktree_path: null,
  last_route_target: null,
  last_decision: null,
  refinement: null,
  awaiting: null,
  termination: null,
  blocking_reason: null,
  elapsed_seconds: 5,
};

function driverWith(pid: number): Driver {
  return { worker: null, pid, host: '', leaseUntil: null };
}

function listing(change: Partial<Status> | null, pid: number | null = null): RunListing {
  const status = change === null ? null : { ...RUNNING, ...change };
  const driver = pid === null ? null : driverWith(pid);
  return { runId: RUNNING.run_id, path: '/runs/0199', status, driver };
}

function waiting(expires_at: string | null): RunListing {
  const awaiting = { step_id: 'ask', gate: 'sign-off', requested_at: '2026-01-01T11:30:00Z', expires_at };
  return listing({ lifecycle_state: 'waiting', awaiting });
}

const CASES = [
  { what: 'driven', run: listing({}, 7), word: 'running', text: 'running' },
  {
    what: 'without a driver',
    run: listing({}),
    word: 'interrupted',
    text: 'interrupted: conductor resume 0199ab12',
  },
  { what: 'about to begin', run: listing(null, 7), word: 'starting', text: 'starting' },
  { what: 'without a status', run: listing(null), word: 'unreadable', text: 'unreadable' },
  { what: 'at a gate', run: waiting(null), word: 'waiting', text: 'waiting for approval at gate ask' },
  {
    what: 'at a gate in time',
    run: waiting('2026-01-01T12:00:00.001Z'),
    word: 'waiting',
    text: 'waiting for approval at gate ask',
  },
  {
    what: 'at a gate too late',
    run: waiting('2026-01-01T12:00:00.000Z'),
    word: 'waiting',
    text: 'waiting: expired, conductor resume 0199ab12 will time it out',
  },
  {
    what: 'ended badly',
    run: listing({ lifecycle_state: 'failed', outcome: 'unsafe' }),
    word: 'failed',
    text: 'unsafe',
  },
];

describe('the state of a run', () => {
  it.each(CASES)('is known of one $what', ({ run, word, text }) => {
    expect(deriveListedState(run)).toBe(word);
    expect(stateText(run, NOW, short)).toBe(text);
    expect(isInState(run, word)).toBe(true);
    expect(isInState(run, 'success')).toBe(false);
  });

  it('is a move only where a process works on it', () => {
    const waited = { ...waiting(null), driver: driverWith(7) };
    const runs = [listing({}, 7), listing(null, 7), listing({}), listing(null), waited, waiting(null)];
    expect(runs.map(isExecuting)).toEqual([true, true, false, false, false, false]);
  });

  it('is matched by how it ended, too', () => {
    const ended = listing({ lifecycle_state: 'completed', outcome: 'unverified' });
    expect(['completed', 'unverified', 'success'].map((state) => isInState(ended, state))).toEqual([
      true,
      true,
      false,
    ]);
    expect([ended, listing({}), listing(null)].map(isUnfinished)).toEqual([false, true, true]);
  });

  it.each([
    ['2026-01-01T11:59:30Z', '30 s ago'],
    ['2026-01-01T11:00:00Z', '1 h ago'],
    ['2025-12-20T12:00:00Z', '12 d ago'],
    ['2026-01-01T12:00:10Z', '0 s ago'],
  ])('has an age that is never negative: %s', (started_at, age) => {
    expect(runRow(listing({ started_at }, 7), NOW, paint, short, 'running')).toEqual([
      '0199ab12',
      'implement',
      'check',
      age,
      '5.0 s',
      'running',
    ]);
  });

  it.each([
    ['Ship it', 'implement: Ship it'],
    ['x'.repeat(40), `implement: ${'x'.repeat(40)}`],
    ['x'.repeat(41), `implement: ${'x'.repeat(39)}…`],
  ])('is named by its workflow and its title: %s', (title, name) => {
    expect(runRow(listing({ title }), NOW, paint, short, 'running')[1]).toBe(name);
  });
});
