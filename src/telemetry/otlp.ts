/**
 * OTLP with the JSON encoding of Protobuf, version 1: keys in lowerCamelCase, ids as hexadecimal digits, 64-bit numbers
 * as text, enums as numbers. https://opentelemetry.io/docs/specs/otlp/
 */

import { listMetrics, type Metric, type MetricPoint } from './run-metrics.ts';
import type { RunTrace } from './run-spans.ts';
import type { Attributes, AttributeValue, Span, SpanEvent } from './span.ts';

export type Signal = 'traces' | 'metrics';

/** The body of one request. */
export interface OtlpDocument {
  readonly signal: Signal;
  readonly body: object;
}

/** As many spans as the batches of OpenTelemetry's own exporters: receivers limit the size of a request. */
const SPANS_PER_REQUEST = 512;

const INTERNAL = 1;
const CUMULATIVE = 2;
const STATUS = { unset: 0, ok: 1, error: 2 } as const;

export function encodeRun(trace: RunTrace): readonly OtlpDocument[] {
  const resource = { attributes: encodeAttributes(resourceOf(trace)) };
  const scope = { name: 'conductor', version: trace.version };
  const documents: OtlpDocument[] = [];
  for (let from = 0; from < trace.spans.length; from += SPANS_PER_REQUEST) {
    const spans = trace.spans
      .slice(from, from + SPANS_PER_REQUEST)
      .map((span) => encodeSpan(span, trace.traceId));
    documents.push({
      signal: 'traces',
      body: { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] },
    });
  }
  const metrics = listMetrics(trace).map((metric) => encodeMetric(metric, trace));
  return [
    ...documents,
    { signal: 'metrics', body: { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] } },
  ];
}

function resourceOf({ runId, repository, version }: RunTrace): Attributes {
  return {
    'service.name': 'conductor',
    'service.version': version,
    'service.instance.id': runId,
    'conductor.repository': repository,
  };
}

function encodeSpan(span: Span, traceId: string) {
  const { status } = span;
  return {
    traceId,
    spanId: span.id,
    ...(span.parentId === null ? {} : { parentSpanId: span.parentId }),
    name: span.name,
    kind: INTERNAL,
    startTimeUnixNano: toNanos(span.startMs),
    endTimeUnixNano: toNanos(span.endMs),
    attributes: encodeAttributes(span.attributes),
    events: span.events.map(encodeEvent),
    status: {
      code: STATUS[status.kind],
      ...(status.kind === 'error' ? { message: status.message } : {}),
    },
  };
}

function encodeEvent({ name, timeMs, attributes }: SpanEvent) {
  return { timeUnixNano: toNanos(timeMs), name, attributes: encodeAttributes(attributes) };
}

function encodeMetric({ name, description, unit, points }: Metric, { startMs, endMs }: RunTrace) {
  const encodePoint = ({ value, isInteger, attributes }: MetricPoint) => ({
    attributes: encodeAttributes(attributes),
    startTimeUnixNano: toNanos(startMs),
    timeUnixNano: toNanos(endMs),
    ...(isInteger ? { asInt: String(value) } : { asDouble: value }),
  });
  return {
    name,
    description,
    unit,
    sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: points.map(encodePoint) },
  };
}

function encodeAttributes(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }));
}

function encodeValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { intValue: String(value) };
  if ('double' in value) return { doubleValue: value.double };
  return { arrayValue: { values: value.map(encodeValue) } };
}

/** Milliseconds have at most 13 digits before the six that are added, so no precision is lost. */
function toNanos(ms: number): string {
  return ms <= 0 ? '0' : `${Math.trunc(ms)}000000`;
}
