import { basename } from 'node:path';
import type { RunEvent } from '../../contracts/run/event.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { encodeRun, type OtlpDocument } from '../../telemetry/otlp.ts';
import { type AttemptTexts, traceRun } from '../../telemetry/run-spans.ts';
import { createSpanIds, formatTraceParent } from '../../telemetry/span.ts';
import { readEvidence, type StepKey } from '../evidence/evidence.ts';
import type { RunContext } from '../run-context.ts';

export interface RecordedRunRequest {
  readonly directory: RunDirectory;
  readonly events: readonly RunEvent[];
  readonly repoRoot: string;
  readonly payloads: boolean;
}

/** How much of a prompt or a message is exported. Stored evidence is already masked. */
const TEXT_BYTES = 16 * 1024;

/** The id under which a run's spans are found. */
export function traceIdOf(runId: string): string {
  return createSpanIds(runId, sha256Hex).trace;
}

/** The telemetry of a recorded run as OTLP documents; null if it has not ended. */
export async function encodeRecordedRun(
  request: RecordedRunRequest,
): Promise<readonly OtlpDocument[] | null> {
  const { directory, events, repoRoot, payloads } = request;
  const texts = payloads ? await readTexts(directory, events) : null;
  const trace = traceRun(
    {
      events,
      repository: basename(repoRoot),
      payloads: texts === null ? null : (stepId, attempt) => texts.get(keyOf({ stepId, attempt })) ?? null,
    },
    { digest: sha256Hex, timeOf: Date.parse },
  );
  return trace === null ? null : encodeRun(trace);
}

async function readTexts(
  directory: RunDirectory,
  events: readonly RunEvent[],
): Promise<ReadonlyMap<string, AttemptTexts>> {
  const texts = new Map<string, AttemptTexts>();
  for (const event of events) {
    if (event.event_type !== 'step_started' || event.step_id === null) continue;
    if (event.payload.opcode !== 'RUN_AGENT') continue;
    const key = { stepId: event.step_id, attempt: event.payload.attempt };
    // Evidence that is missing or damaged is no reason to export nothing.
    const read = (role: string) =>
      readEvidence(directory, key, role, { firstBytes: TEXT_BYTES }).catch(() => null);
    texts.set(keyOf(key), {
      prompt: await read('runner_prompt'),
      response: await read('runner_final_response'),
    });
  }
  return texts;
}

function keyOf({ stepId, attempt }: StepKey): string {
  return `${stepId}@${attempt}`;
}

/**
 * The variable that makes spans of an agent or a validator children of its attempt; of the run, without an attempt. Empty if
 * no telemetry is configured.
 */
export function traceVariables(
  { deps, directory }: Pick<RunContext, 'deps' | 'directory'>,
  parent: StepKey | null,
): Readonly<Record<string, string>> {
  if ((deps.project.telemetry ?? null) === null) return {};
  const ids = createSpanIds(directory.runId, sha256Hex);
  const span = parent === null ? ids.run : ids.attempt(parent.stepId, parent.attempt);
  return { TRACEPARENT: formatTraceParent(ids, span) };
}
