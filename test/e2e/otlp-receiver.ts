import * as z from 'zod';
import { type Received, type Respond, withReceiver } from './receiver.ts';

/**
 * The parts of OTLP's JSON encoding that a receiver needs, written from the specification and not from the exporter.
 * Strict: Protobuf would drop an unknown field, and so lose what it contains.
 */
const nanos = z.string().regex(/^[1-9]\d{18}$/);
const spanId = z.string().regex(/^[0-9a-f]{16}$/);
const scalar = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ boolValue: z.boolean() }),
]);
const attributes = z
  .array(
    z.strictObject({
      key: z.string().min(1),
      value: z.union([scalar, z.strictObject({ arrayValue: z.strictObject({ values: z.array(scalar) }) })]),
    }),
  )
  .transform((list) =>
    Object.fromEntries(
      list.map(({ key, value }) => [
        key,
        'arrayValue' in value ? value.arrayValue.values.map(plain) : plain(value),
      ]),
    ),
  );
const resource = z.strictObject({ attributes });
const scope = z.strictObject({ name: z.string(), version: z.string() });
const span = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId,
  parentSpanId: spanId.optional(),
  name: z.string().min(1),
  kind: z.literal(1),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  events: z.array(z.strictObject({ timeUnixNano: nanos, name: z.string().min(1), attributes })),
  status: z.strictObject({
    code: z.union([z.literal(0), z.literal(1), z.literal(2)]),
    message: z.string().optional(),
  }),
});
const point = z.strictObject({
  attributes,
  startTimeUnixNano: nanos,
  timeUnixNano: nanos,
  asInt: z.string().regex(/^\d+$/).optional(),
  asDouble: z.number().optional(),
});
const metric = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  unit: z.string(),
  sum: z.strictObject({
    aggregationTemporality: z.literal(2),
    isMonotonic: z.literal(true),
    dataPoints: z.array(point).min(1),
  }),
});
export const tracesSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({ resource, scopeSpans: z.array(z.strictObject({ scope, spans: z.array(span).min(1) })) }),
  ),
});
const metricsSchema = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource,
      scopeMetrics: z.array(z.strictObject({ scope, metrics: z.array(metric).min(1) })),
    }),
  ),
});

function plain(value: z.infer<typeof scalar>): string | number | boolean {
  if ('intValue' in value) return Number(value.intValue);
  if ('doubleValue' in value) return value.doubleValue;
  return 'boolValue' in value ? value.boolValue : value.stringValue;
}

export type ReceivedSpan = z.infer<typeof span>;
export type ReceivedMetric = z.infer<typeof metric>;

export interface OtlpReceiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** All spans, in the order of arrival. */
  readonly spans: () => readonly ReceivedSpan[];
  readonly metrics: () => readonly ReceivedMetric[];
  readonly resources: () => readonly Readonly<Record<string, unknown>>[];
}

/** An OTLP/HTTP receiver on loopback. It answers 400 to what is not OTLP. */
export async function withOtlpReceiver(use: (receiver: OtlpReceiver) => Promise<void>): Promise<void> {
  const respond: Respond = (response, _count, { path, headers, body }) => {
    const schema = path === '/v1/traces' ? tracesSchema : metricsSchema;
    const isOtlp =
      headers['content-type'] === 'application/json' && schema.safeParse(JSON.parse(body)).success;
    response.writeHead(isOtlp ? 200 : 400, { 'content-type': 'application/json' }).end('{}');
  };
  await withReceiver(respond, async ({ url, received }) => {
    const bodies = (path: string) =>
      received.filter((each) => each.path === path).map(({ body }) => JSON.parse(body));
    const traces = () => bodies('/v1/traces').flatMap((body) => tracesSchema.parse(body).resourceSpans);
    const figures = () => bodies('/v1/metrics').flatMap((body) => metricsSchema.parse(body).resourceMetrics);
    await use({
      url,
      received,
      spans: () => traces().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      metrics: () => figures().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
      resources: () => [...traces(), ...figures()].map((each) => each.resource.attributes),
    });
  });
}
