/**
 * Folds the log of an ended run into spans: one for the run, one for each visit of a step, one for each attempt of a
 * visit. Nothing else is read, so every run ever recorded can be exported, and a second export is the same, byte for
 * byte. What is recorded after the end, such as notifications, changes nothing.
 */

import type { Usage } from '../contracts/run/agent-result.ts';
import type { EventPayload, RunEvent } from '../contracts/run/event.ts';
import { addUsage } from '../kernel/evolve.ts';
import { NO_USAGE, type UsageTally } from '../kernel/state.ts';
import { type AttemptFacts, type ClosedAttempt, foldAttempts } from './run-attempts.ts';
import { type Attributes, createSpanIds, type Span, type SpanDeps } from './span.ts';
import { attributesOf, usageAttributes } from './span-events.ts';

/** The prompt of an agent and its last message. */
export interface AttemptTexts {
  readonly prompt: string | null;
  readonly response: string | null;
}

export interface TraceRequest {
  readonly events: readonly RunEvent[];
  /** The folder name of the repository. */
  readonly repository: string;
  /** Null to export no text that people, agents or programs wrote; else the texts of an attempt. */
  readonly payloads: ((stepId: string, attempt: number) => AttemptTexts | null) | null;
}

export interface RunTrace {
  readonly runId: string;
  readonly traceId: string;
  readonly repository: string;
  readonly version: string;
  readonly started: EventPayload<'run_started'>;
  readonly end: EventPayload<'run_completed'>;
  readonly startMs: number;
  readonly endMs: number;
  readonly usage: UsageTally;
  readonly attempts: readonly AttemptFacts[];
  /** The run first, then each visit before its attempts. */
  readonly spans: readonly Span[];
}

/** Null if the run has not ended: its spans would end at the wrong time, and could not be corrected later. */
export function traceRun(request: TraceRequest, deps: SpanDeps): RunTrace | null {
  const { events } = request;
  const [first] = events;
  const last = events.find(({ event_type: type }) => type === 'run_completed');
  if (first?.event_type !== 'run_started' || last?.event_type !== 'run_completed') return null;
  const folded = foldAttempts(events.slice(0, events.indexOf(last) + 1), request.payloads !== null, deps);
  const base = {
    runId: first.run_id,
    repository: request.repository,
    version: first.payload.conductor_version,
    started: first.payload,
    end: last.payload,
    startMs: deps.timeOf(first.timestamp),
    endMs: deps.timeOf(last.timestamp),
    usage: folded.attempts.reduce((sum, { usage }) => addUsage(sum, usageOf(usage)), NO_USAGE),
    attempts: folded.attempts,
  };
  const ids = createSpanIds(first.run_id, deps.digest);
  const run: Span = {
    id: ids.run,
    parentId: null,
    name: `run ${first.payload.workflow_id}`,
    startMs: base.startMs,
    endMs: base.endMs,
    attributes: runAttributes(base, request.payloads !== null),
    events: folded.runEvents,
    status:
      last.payload.outcome === 'success'
        ? { kind: 'ok' }
        : { kind: 'error', message: last.payload.termination },
  };
  const spans = groupVisits(folded.attempts).flatMap((visit) => {
    const [opening] = visit;
    const stepSpanId = ids.step(opening.stepId, opening.visit);
    const attempts = visit.map((attempt) =>
      attemptSpan(attempt, ids.attempt(attempt.stepId, attempt.attempt), stepSpanId, request.payloads),
    );
    return [stepSpan(visit, stepSpanId, ids.run), ...attempts];
  });
  return { ...base, traceId: ids.trace, spans: [run, ...spans] };
}

function groupVisits(attempts: readonly ClosedAttempt[]): readonly [ClosedAttempt, ...ClosedAttempt[]][] {
  const visits: [ClosedAttempt, ...ClosedAttempt[]][] = [];
  for (const attempt of attempts) {
    const last = visits.at(-1);
    if (last !== undefined && last[0].stepId === attempt.stepId && last[0].visit === attempt.visit)
      last.push(attempt);
    else visits.push([attempt]);
  }
  return visits;
}

function stepSpan(visit: readonly [ClosedAttempt, ...ClosedAttempt[]], id: string, runSpan: string): Span {
  const [opening] = visit;
  const closing = visit.at(-1) ?? opening;
  return {
    id,
    parentId: runSpan,
    name: `step ${opening.stepId}`,
    startMs: opening.startMs,
    endMs: closing.endMs,
    attributes: attributesOf({
      'conductor.step.id': opening.stepId,
      'conductor.step.opcode': opening.opcode,
      'conductor.step.visit': opening.visit,
      'conductor.step.attempts': visit.length,
      'conductor.outcome': closing.outcome,
      ...usageAttributes(usageOf(visit.reduce((sum, { usage }) => addUsage(sum, usageOf(usage)), NO_USAGE))),
    }),
    events: [],
    status: statusOf(closing.outcome),
  };
}

function attemptSpan(
  attempt: ClosedAttempt,
  id: string,
  parentId: string,
  payloads: TraceRequest['payloads'],
): Span {
  const texts = payloads?.(attempt.stepId, attempt.attempt) ?? null;
  return {
    id,
    parentId,
    name: `attempt ${attempt.stepId}`,
    startMs: attempt.startMs,
    endMs: attempt.endMs,
    attributes: attributesOf({
      'conductor.step.id': attempt.stepId,
      'conductor.step.opcode': attempt.opcode,
      'conductor.step.visit': attempt.visit,
      'conductor.attempt': attempt.attempt,
      'conductor.recovery': attempt.recovery,
      'conductor.outcome': attempt.outcome,
      'conductor.runner.family': attempt.runner?.family,
      'conductor.runner.name': attempt.runner?.name,
      'conductor.violations': attempt.violations,
      ...usageAttributes(usageOf(attempt.usage)),
      ...(payloads === null
        ? {}
        : {
            'conductor.reason': attempt.reason,
            'conductor.prompt': texts?.prompt,
            'conductor.response': texts?.response,
          }),
    }),
    events: attempt.spanEvents,
    status: statusOf(attempt.outcome),
  };
}

function runAttributes(
  { started, end, usage, runId }: Pick<RunTrace, 'started' | 'end' | 'usage' | 'runId'>,
  payloads: boolean,
): Attributes {
  return attributesOf({
    'conductor.run.id': runId,
    'conductor.workflow.id': started.workflow_id,
    'conductor.workflow.version': started.workflow_version,
    'conductor.outcome': end.outcome,
    'conductor.termination': end.termination,
    'conductor.lifecycle_state': end.lifecycle_state,
    'vcs.ref.base.revision': started.base_sha,
    'vcs.ref.head.revision': end.head_sha,
    ...usageAttributes(usageOf(usage)),
    ...(payloads
      ? {
          'conductor.title': started.title,
          'conductor.reason': end.reason,
          ...Object.fromEntries(
            Object.entries(started.inputs).map(([name, value]) => [`conductor.input.${name}`, value]),
          ),
        }
      : {}),
  });
}

const FAILURES: readonly AttemptFacts['outcome'][] = [
  'error',
  'killed_idle',
  'killed_timeout',
  'killed_policy',
  'interrupted',
  'workflow_error',
  'budget',
  'cancelled',
];
const SUCCESSES: readonly AttemptFacts['outcome'][] = ['completed', 'success', 'gate_approved'];

/** A verdict other than success, such as `partial`, is a result and no error of its step. */
function statusOf(outcome: AttemptFacts['outcome']): Span['status'] {
  if (FAILURES.includes(outcome)) return { kind: 'error', message: outcome };
  return { kind: SUCCESSES.includes(outcome) ? 'ok' : 'unset' };
}

function usageOf({ inputTokens, outputTokens, costUsd }: UsageTally): Usage {
  return {
    ...(inputTokens === null ? {} : { input_tokens: inputTokens }),
    ...(outputTokens === null ? {} : { output_tokens: outputTokens }),
    ...(costUsd === null ? {} : { cost_usd: costUsd }),
  };
}
