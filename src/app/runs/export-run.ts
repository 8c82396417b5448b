import type { TelemetryExporter } from '../../ports/telemetry-exporter.ts';
import { encodeRecordedRun, traceIdOf } from '../../runtime/notify/run-telemetry.ts';
import type { OtlpDocument } from '../../telemetry/otlp.ts';
import type { OpenRun } from './open-run.ts';

export interface ExportedRun {
  readonly runId: string;
  readonly traceId: string;
  /** Traces first, then metrics. */
  readonly documents: readonly OtlpDocument[];
}

/** The telemetry of a recorded run; null if it has not ended. */
export async function exportRun(
  { record, view }: Pick<OpenRun, 'record' | 'view'>,
  options: { readonly repoRoot: string; readonly payloads: boolean },
): Promise<ExportedRun | null> {
  const { directory, events } = record;
  const documents = await encodeRecordedRun({ directory, events, ...options });
  if (documents === null) return null;
  return { runId: view.runId, traceId: traceIdOf(view.runId), documents };
}

export interface SentRun {
  readonly run: ExportedRun;
  /** Why the receiver did not take it; null if it did. */
  readonly message: string | null;
}

/** Sends runs one after the other, without retries: the user is there and can try again. */
export async function sendRuns(
  exporter: TelemetryExporter,
  runs: readonly ExportedRun[],
  signal: AbortSignal,
): Promise<readonly SentRun[]> {
  const sent: SentRun[] = [];
  for (const run of runs) {
    const result = await exporter.send(run.documents, signal);
    sent.push({ run, message: result.ok ? null : result.message });
  }
  return sent;
}
