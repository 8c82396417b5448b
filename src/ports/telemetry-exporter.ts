import type { SendResult } from '../notify/retry.ts';
import type { OtlpDocument } from '../telemetry/otlp.ts';

/** Sends the telemetry of runs to an OTLP endpoint. */
export interface TelemetryExporter {
  /** The name of the endpoint in records, without a secret: `telemetry:HOST`. */
  readonly name: string;
  /** Whether text that people, agents or programs wrote is exported. */
  readonly payloads: boolean;
  /** Sends all documents of a run once. Never rejects. When the signal fires, the result is a failure. */
  readonly send: (documents: readonly OtlpDocument[], signal: AbortSignal) => Promise<SendResult>;
}
