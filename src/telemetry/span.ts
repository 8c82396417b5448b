/** Spans as values, and their ids. Ids follow from the run alone, so that repeating an export repeats the same spans. */

/** A plain number is a whole one. The type of an attribute must not depend on its value, so a fraction is marked. */
export type AttributeValue = string | number | { readonly double: number } | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** What happened at one moment of a span. */
export interface SpanEvent {
  readonly name: string;
  readonly timeMs: number;
  readonly attributes: Attributes;
}

export interface Span {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** Null for the span of the run. */
  readonly parentId: string | null;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** `error` carries the reason as one word, such as `killed_timeout`. */
  readonly status: { readonly kind: 'unset' | 'ok' } | { readonly kind: 'error'; readonly message: string };
}

/** What pure code can't compute: hashes and times. */
export interface SpanDeps {
  /** SHA-256 as hexadecimal digits. */
  readonly digest: (text: string) => string;
  /** Milliseconds since 1970 of a timestamp of the log. */
  readonly timeOf: (timestamp: string) => number;
}

export interface SpanIds {
  /** 32 hexadecimal digits: those of the run id, if it is a UUID, so that a trace can be found by its run. */
  readonly trace: string;
  readonly run: string;
  readonly step: (stepId: string, visit: number) => string;
  readonly attempt: (stepId: string, attempt: number) => string;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function createSpanIds(runId: string, digest: SpanDeps['digest']): SpanIds {
  const idOf = (...parts: readonly (string | number)[]) =>
    digest(['conductor', runId, ...parts].join('\n')).slice(0, 16);
  return {
    trace: UUID.test(runId) ? runId.replaceAll('-', '') : digest(runId).slice(0, 32),
    run: idOf('run'),
    step: (stepId, visit) => idOf('step', stepId, visit),
    attempt: (stepId, attempt) => idOf('attempt', stepId, attempt),
  };
}

/** The value of `TRACEPARENT` (W3C Trace Context): version, trace, parent span, sampled. */
export function formatTraceParent({ trace }: SpanIds, spanId: string): string {
  return `00-${trace}-${spanId}-01`;
}
