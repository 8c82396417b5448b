import { type BaselineRecord, baselineRecordSchema } from '../../../contracts/run/baseline.ts';
import { parseJson } from '../../../text/json.ts';
import type { RunContext } from '../../run-context.ts';

export const BASELINE_ROLE = 'baseline_report';

/** The recorded results of the validators on the base commit; null if there was no baseline. */
export async function readBaseline({
  directory,
  events,
}: Pick<RunContext, 'directory' | 'events'>): Promise<BaselineRecord | null> {
  const recorded = events().findLast(
    ({ event_type, payload }) => event_type === 'artifact_recorded' && payload.role === BASELINE_ROLE,
  );
  if (recorded?.event_type !== 'artifact_recorded') return null;
  const text = await directory.read(recorded.payload.path);
  const parsed = baselineRecordSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success ? parsed.data : null;
}
