import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type EventDraft, FIRST_PREV, type RunEvent } from '../../../src/contracts/run/event.ts';
import { encodeRun } from '../../../src/telemetry/otlp.ts';
import { type TraceRequest, traceRun } from '../../../src/telemetry/run-spans.ts';
import { createSpanIds, formatTraceParent } from '../../../src/telemetry/span.ts';

const RUN_ID = '01a1e5be-a677-724d-bdf0-f14a6dcfc3db';
const DEPS = {
  digest: (text: string) => createHash('sha256').update(text).digest('hex'),
  timeOf: Date.parse,
};

const STARTED: EventDraft = {
  event_type: 'run_started',
  step_id: null,
  payload: {
    schema_version: 2,
    conductor_version: '1.2.3',
    workflow_id: 'w',
    workflow_version: 1,
    workflow_digest: 'd',
    entry_step: 'a',
    base_ref: 'main',
    base_sha: 'b',
    base_tree: 't',
    branch_name: 'branch',
    worktree_path: '/w',
    defaults: { timeout_ms: 1, idle_timeout_ms: 1, max_visits: 1 },
    inputs: { task: 'PRIVATE' },
    title: 'PRIVATE',
  },
};
const ENDED: EventDraft = {
  event_type: 'run_completed',
  step_id: null,
  payload: {
    lifecycle_state: 'completed',
    outcome: 'success',
    termination: 'completed',
    reason: 'PRIVATE',
    head_sha: 'h',
  },
};

const start = (attempt: number, recovery: boolean, visit = 1): EventDraft => ({
  event_type: 'step_started',
  step_id: 'a',
  payload: { opcode: 'RUN_AGENT', attempt, visit, recovery },
});
const used = (attempt: number, tokens: number, count?: number): EventDraft => ({
  event_type: 'runner_completed',
  step_id: 'a',
  payload: {
    name: 'agent',
    attempt,
    termination: 'completed',
    exit_code: 0,
    duration_ms: 1.5,
    usage: { input_tokens: tokens, cost_usd: 0.1 },
    ...(count === undefined ? {} : { try: count }),
  },
});
const done = (attempt: number, tokens: number): EventDraft => ({
  event_type: 'step_completed',
  step_id: 'a',
  payload: {
    outcome: 'completed',
    attempt,
    changed: true,
    tree: 't',
    validators: [],
    usage: { input_tokens: tokens },
    reason: 'PRIVATE',
  },
});
const parked: EventDraft = {
  event_type: 'step_waiting',
  step_id: 'a',
  payload: { gate: null, attempt: 1, until: '2026-11-19T00:00:00.000Z', reason: 'PRIVATE' },
};
const resumed: EventDraft = {
  event_type: 'run_resumed',
  step_id: 'a',
  payload: { reason: 'PRIVATE', attempt: 2 },
};

/** One second from event to event. */
function record(drafts: readonly EventDraft[]): readonly RunEvent[] {
  return drafts.map((draft, seq) => ({
    ...draft,
    seq,
    run_id: RUN_ID,
    prev: FIRST_PREV,
    timestamp: new Date(Date.UTC(2026, 10, 18) + seq * 1_000).toISOString(),
  }));
}

function trace(drafts: readonly EventDraft[], payloads: TraceRequest['payloads'] = null) {
  return traceRun({ events: record(drafts), repository: 'repo', payloads }, DEPS);
}

/** Step or attempt, seconds from the start of the run, outcome and input tokens. */
function rows(drafts: readonly EventDraft[]) {
  const made = trace(drafts);
  return made?.spans
    .slice(1)
    .map(({ name, startMs, endMs, attributes }) => [
      name,
      (startMs - made.startMs) / 1_000,
      (endMs - made.startMs) / 1_000,
      attributes['conductor.outcome'],
      attributes['gen_ai.usage.input_tokens'],
    ]);
}

describe('attempts become spans below their visit', () => {
  test.each<[string, readonly EventDraft[], readonly unknown[]]>([
    [
      'one attempt, whose usage counts once',
      [STARTED, start(1, false), used(1, 5), done(1, 5), ENDED],
      [
        ['step a', 1, 3, 'completed', 5],
        ['attempt a', 1, 3, 'completed', 5],
      ],
    ],
    [
      'usage that only the end of the step reports',
      [STARTED, start(1, false), done(1, 7), ENDED],
      [
        ['step a', 1, 2, 'completed', 7],
        ['attempt a', 1, 2, 'completed', 7],
      ],
    ],
    [
      'two starts of one attempt',
      [STARTED, start(1, false), used(1, 5), used(1, 6, 2), done(1, 11), ENDED],
      [
        ['step a', 1, 4, 'completed', 11],
        ['attempt a', 1, 4, 'completed', 11],
      ],
    ],
    [
      'an interrupted attempt ends when the next one starts, and its usage counts',
      [STARTED, start(1, false), used(1, 2), resumed, start(2, true), done(2, 3), ENDED],
      [
        ['step a', 1, 5, 'completed', 5],
        ['attempt a', 1, 4, 'interrupted', 2],
        ['attempt a', 4, 5, 'completed', 3],
      ],
    ],
    [
      'a parked attempt ends when it is parked',
      [STARTED, start(1, false), parked, start(2, true), done(2, 3), ENDED],
      [
        ['step a', 1, 4, 'completed', 3],
        ['attempt a', 1, 2, 'parked', undefined],
        ['attempt a', 3, 4, 'completed', 3],
      ],
    ],
    [
      'a second visit is another step span',
      [STARTED, start(1, false), done(1, 1), start(2, false, 2), done(2, 1), ENDED],
      [
        ['step a', 1, 2, 'completed', 1],
        ['attempt a', 1, 2, 'completed', 1],
        ['step a', 3, 4, 'completed', 1],
        ['attempt a', 3, 4, 'completed', 1],
      ],
    ],
    [
      'an attempt that the end of the run cuts off',
      [STARTED, start(1, false), ENDED],
      [
        ['step a', 1, 2, 'completed', undefined],
        ['attempt a', 1, 2, 'completed', undefined],
      ],
    ],
  ])('%s', (_name, drafts, expected) => {
    expect(rows(drafts)).toEqual(expected);
  });
});

const WHOLE = [STARTED, start(1, false), used(1, 5), parked, resumed, start(2, true), done(2, 3), ENDED];

test('a run that has not ended has no trace', () => {
  expect(trace(WHOLE.slice(0, -1))).toBeNull();
  expect(trace([])).toBeNull();
});

test('events after the end change nothing', () => {
  const sent: EventDraft = {
    event_type: 'notification_sent',
    step_id: null,
    payload: { target: 'telemetry:x', for_seq: 7, ok: true, message: null },
  };
  expect(trace([...WHOLE, sent])).toEqual(trace(WHOLE));
});

test('text leaves the log only with payloads', () => {
  const text = (payloads: TraceRequest['payloads']) => {
    const made = trace(WHOLE, payloads);
    return made === null ? '' : JSON.stringify(encodeRun(made));
  };
  expect(text(null)).not.toContain('PRIVATE');
  const full = text((stepId, attempt) => ({ prompt: `prompt ${stepId}@${attempt}`, response: null }));
  for (const each of ['conductor.title', 'conductor.input.task', 'prompt a@2', 'PRIVATE'])
    expect(full).toContain(each);
});

test('the parent of an agent is the span of its attempt, in the trace of its run', () => {
  const ids = createSpanIds(RUN_ID, DEPS.digest);
  const made = trace(WHOLE);
  const second = made?.spans.find(({ attributes }) => attributes['conductor.attempt'] === 2);
  expect(made?.traceId).toBe('01a1e5bea677724dbdf0f14a6dcfc3db');
  expect(formatTraceParent(ids, ids.attempt('a', 2))).toBe(
    `00-01a1e5bea677724dbdf0f14a6dcfc3db-${second?.id}-01`,
  );
  expect(createSpanIds('not-a-uuid', DEPS.digest).trace).toMatch(/^[0-9a-f]{32}$/);
});

test('long runs are sent in several requests, none with more than 512 spans', () => {
  const visits = Array.from({ length: 600 }, (_, index) => [
    start(index + 1, false, index + 1),
    done(index + 1, 1),
  ]).flat();
  const made = trace([STARTED, ...visits, ENDED]);
  const documents = made === null ? [] : encodeRun(made);
  const counts = documents.map(({ signal, body }) => [
    signal,
    (JSON.stringify(body).match(/"spanId"/g) ?? []).length,
  ]);
  expect(counts).toEqual([
    ['traces', 512],
    ['traces', 512],
    ['traces', 177],
    ['metrics', 0],
  ]);
});
