import { describe, expect, it } from 'vitest';
import type { WorkEvent } from '../../../../src/contracts/work/work-event.ts';
import { ROLES } from '../../../../src/contracts/work/work-results.ts';
import type { RequestedRun } from '../../../../src/work/engine/command.ts';
import { decide } from '../../../../src/work/engine/decide.ts';
import { type EngineState, NEW_ENGINE } from '../../../../src/work/engine/engine-state.ts';
import type { EngineEffect, EngineInput, SessionRequest } from '../../../../src/work/engine/protocol.ts';
import { accepted, created, inReview, limits, stateOf } from '../fixtures.ts';

const { scopeOf } = limits();
const begin = (more: Partial<SessionRequest> = {}): EngineInput => ({
  kind: 'session_requested',
  session: { until: 'idle', roles: new Set(ROLES), items: null, runsChecks: true, ...more },
});
const READ: EngineInput = { kind: 'external_changes_recorded', readsProvider: true, problem: null };
const UNREADABLE: EngineInput = { kind: 'external_changes_recorded', readsProvider: true, problem: 'down' };
const SEEN: EngineInput = { kind: 'runs_seen', seen: [] };
const STOP: EngineInput = { kind: 'stop_requested' };
const KEY = 'request/implementor/1/1/0';
const TIME = { kind: 'time_passed', task: 'wait/1' } as const;
const left = (reason: string): EngineInput => ({
  kind: 'runner_returned',
  key: KEY,
  state: { kind: 'lost', reason },
});
const OFFERED: EngineInput = { kind: 'run_created', key: KEY, runId: 'run-1' };
const ANSWERED: EngineInput = { kind: 'acceptance_decided', key: KEY, outcome: { kind: 'done' } };
const READY = [created({ id: '1', status: 'ready' })];
const STARTED: readonly EngineInput[] = [begin(), READ, SEEN];
const WORKING = [created({ id: '1', status: 'in-progress' }), accepted('run-1', 'implementor', '1')];
const seen = (state: Extract<EngineInput, { kind: 'runs_seen' }>['seen'][number]['state']): EngineInput => ({
  kind: 'runs_seen',
  seen: [{ runId: 'run-1', state }],
});
const WAITS = { kind: 'waiting', reason: 'a gate' } as const;

/** The effects of the last of these inputs, and the state after it. The time is that of the first backoff. */
function play(events: readonly WorkEvent[], inputs: readonly EngineInput[]) {
  const work = stateOf(events);
  let state: EngineState = NEW_ENGINE;
  let effects: readonly EngineEffect[] = [];
  for (const input of inputs)
    ({ state, effects } = decide(
      { work, nowMs: 0, settings: { slots: 2, maxRounds: 2, scopeOf } },
      state,
      input,
    ));
  return { state, effects };
}

interface Case {
  readonly name: string;
  readonly events: readonly WorkEvent[];
  readonly inputs: readonly EngineInput[];
  readonly effects: readonly object[];
}

const CASES: readonly Case[] = [
  {
    name: 'begins a session by recording external changes',
    events: [],
    inputs: [begin()],
    effects: [{ kind: 'record_external_changes', readsProvider: true }],
  },
  {
    name: 'looks at the accepted runs that it does not drive',
    events: WORKING,
    inputs: [begin(), READ],
    effects: [{ kind: 'look_at_runs', runs: [{ runId: 'run-1' }] }],
  },
  {
    name: 'makes all free items ready in one batch',
    events: [created({ id: '1' }), created({ id: '2' }), created({ id: '3', blockedBy: ['1'] })],
    inputs: STARTED,
    effects: [
      { kind: 'execute', job: null, batches: [[{ command: { itemId: '1' } }, { command: { itemId: '2' } }]] },
    ],
  },
  {
    name: 'starts a run for a ready item and begins the next round',
    events: READY,
    inputs: STARTED,
    effects: [
      { kind: 'start_role', task: KEY, requested: { key: KEY } },
      { kind: 'record_external_changes' },
    ],
  },
  {
    name: 'starts no role that the session does not include, and is idle',
    events: READY,
    inputs: [begin({ roles: new Set(['reviewer']) }), READ, SEEN],
    effects: [{ kind: 'end_session', end: { kind: 'idle', problems: [] } }],
  },
  {
    name: 'runs the checks of an item in review, and waits for them',
    events: inReview('1', 'pending'),
    inputs: STARTED,
    effects: [{ kind: 'run_checks' }, { kind: 'wait', ms: 1000 }],
  },
  {
    name: 'does not wait any longer when a task has ended',
    events: inReview('1', 'pending'),
    inputs: [...STARTED, { kind: 'checks_ended', problem: null }],
    effects: [{ kind: 'stop', task: 'wait/1' }, { kind: 'record_external_changes' }],
  },
  {
    name: 'ignores a wait that is over already',
    events: inReview('1', 'pending'),
    inputs: [...STARTED, { kind: 'checks_ended', problem: null }, TIME],
    effects: [],
  },
  {
    name: 'does not read the provider again while it is unreachable',
    events: [],
    inputs: [begin(), UNREADABLE, SEEN, TIME],
    effects: [{ kind: 'record_external_changes', readsProvider: false }],
  },
  {
    name: 'resumes a run whose gate is answered',
    events: WORKING,
    inputs: [begin(), READ, seen({ ...WAITS, isDue: true })],
    effects: [{ kind: 'resume_run', task: 'resume/run-1', runId: 'run-1' }, { kind: 'wait' }],
  },
  {
    name: 'does not resume an answered run without a free slot',
    events: [
      ...WORKING,
      created({ id: '2', status: 'in-progress' }),
      accepted('run-2', 'implementor', '2'),
      created({ id: '3', status: 'in-progress' }),
      accepted('run-3', 'implementor', '3'),
    ],
    inputs: [
      begin(),
      READ,
      {
        kind: 'runs_seen',
        seen: [
          { runId: 'run-1', state: { ...WAITS, gate: 'decide', isDue: true } },
          { runId: 'run-2', state: { kind: 'driven' } },
          { runId: 'run-3', state: { kind: 'driven' } },
        ],
      },
    ],
    effects: [{ kind: 'wait' }],
  },
  {
    name: 'resumes only as many answered runs as there are free slots',
    events: [
      ...WORKING,
      created({ id: '2', status: 'in-progress' }),
      accepted('run-2', 'implementor', '2'),
      created({ id: '3', status: 'in-progress' }),
      accepted('run-3', 'implementor', '3'),
    ],
    inputs: [
      begin(),
      READ,
      {
        kind: 'runs_seen',
        seen: ['run-1', 'run-2', 'run-3'].map((runId) => ({ runId, state: { ...WAITS, isDue: true } })),
      },
    ],
    effects: [
      { kind: 'resume_run', runId: 'run-1' },
      { kind: 'resume_run', runId: 'run-2' },
      { kind: 'wait' },
    ],
  },
  {
    name: 'is not idle while a run is parked, and waits',
    events: WORKING,
    inputs: [begin(), READ, seen({ kind: 'waiting', reason: 'parked', until: '2026-01-01T01:00:00Z' })],
    effects: [{ kind: 'wait', ms: 1000 }],
  },
  {
    name: 'records a conflict of blockers instead of a failed start',
    events: READY,
    inputs: [
      ...STARTED,
      {
        kind: 'runner_returned',
        key: KEY,
        state: { kind: 'lost', reason: 'c', conflict: { items: ['2', '3'], files: ['a'], stack: [] } },
      },
    ],
    effects: [{ kind: 'record_failed_start', conflict: { items: ['2', '3'], files: ['a'] } }],
  },
  {
    name: 'does not count a start that failed because the disk is full',
    events: READY,
    inputs: [
      ...STARTED,
      { kind: 'runner_returned', key: KEY, state: { kind: 'lost', reason: 'full', isDiskFull: true } },
    ],
    effects: [{ kind: 'report_run', key: KEY }],
  },
  {
    name: 'is idle while a run waits for a user',
    events: WORKING,
    inputs: [begin(), READ, seen(WAITS)],
    effects: [{ kind: 'end_session', end: { kind: 'idle' } }],
  },
  {
    name: 'waits while another process drives a run',
    events: WORKING,
    inputs: [begin(), READ, seen({ kind: 'driven' })],
    effects: [{ kind: 'wait' }],
  },
  {
    name: 'ends a lost run without counting it as a failure',
    events: WORKING,
    inputs: [begin(), READ, seen({ kind: 'lost', reason: 'gone' })],
    effects: [{ kind: 'execute', batches: [[{ command: { kind: 'give_up_run', counted: false } }]] }],
  },
  {
    name: 'records that a run could not start',
    events: READY,
    inputs: [...STARTED, left('no such agent')],
    effects: [{ kind: 'record_failed_start', requested: { key: KEY }, reason: 'no such agent' }],
  },
  {
    name: 'records the end of a run, which counts if the run was not stopped',
    events: [...READY, accepted('run-1', 'implementor', '1')],
    inputs: [{ kind: 'run_requested', requested: requestOf('1') }, OFFERED, ANSWERED, left('it died')],
    effects: [
      {
        kind: 'execute',
        job: KEY,
        batches: [[{ command: { kind: 'give_up_run', reason: 'it died', counted: true } }]],
      },
    ],
  },
  {
    name: 'does not count the end of a run that it stopped',
    events: [...READY, accepted('run-1', 'implementor', '1')],
    inputs: [
      { kind: 'run_requested', requested: requestOf('1') },
      OFFERED,
      ANSWERED,
      { kind: 'run_stop_requested', key: KEY },
      left('no process drives it'),
    ],
    effects: [
      { batches: [[{ command: { kind: 'give_up_run', reason: 'it was stopped', counted: false } }]] },
    ],
  },
  {
    name: 'reports a run that was concluded by another process',
    events: READY,
    inputs: [{ kind: 'run_requested', requested: requestOf('1') }, OFFERED, ANSWERED, left('cancelled')],
    effects: [
      { kind: 'report_run', report: { kind: 'accepted', conclusion: { ok: false, reason: 'cancelled' } } },
    ],
  },
  {
    name: 'ends a session at once that is stopped while it waits',
    events: [],
    inputs: [begin({ until: 'stopped' }), READ, SEEN, STOP],
    effects: [
      { kind: 'stop', task: 'wait/1' },
      { kind: 'end_session', end: { kind: 'stopped' } },
    ],
  },
  {
    name: 'stops its runs and ends only after them',
    events: READY,
    inputs: [...STARTED, STOP],
    effects: [{ kind: 'stop', task: KEY }],
  },
  {
    name: 'stops the session when an effect throws, and expects nothing more from that effect',
    events: READY,
    inputs: [
      ...STARTED,
      READ,
      SEEN,
      { kind: 'effect_failed', effect: { kind: 'start_role', task: KEY, requested: requestOf('1') } },
    ],
    effects: [{ kind: 'stop' }, { kind: 'end_session', end: { kind: 'stopped' } }],
  },
];

function requestOf(itemId: string): RequestedRun {
  return { key: KEY, by: { kind: 'engine' }, command: { kind: 'request_implementor_run', itemId } };
}

describe('decide', () => {
  it.each(CASES)('$name', ({ events, inputs, effects }) => {
    expect(play(events, inputs).effects).toMatchObject(effects);
  });

  it('pauses longer after each problem, up to a minute', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8].map((count) => {
      const waits = Array.from({ length: count }, (_, index) => ({ ...TIME, task: `wait/${index + 1}` }));
      const inputs = [begin({ until: 'stopped' }), ...waits.flatMap((wait) => [UNREADABLE, SEEN, wait])];
      return play([], inputs).state.backoffs.get('read')?.notBeforeMs;
    });
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('refuses a second session', () => {
    expect(() => play([], [begin(), begin()])).toThrow('already has a session');
  });
});
