import type { Pipeline, Revision } from '../../contracts/work/work-item.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Forge } from '../../ports/forge/forge.ts';
import { readPipeline } from '../../work/forge/item-pull.ts';
import type { MemoryFile } from './memory.ts';

export interface RevisionChecksDeps {
  readonly forge: Forge;
  readonly memory: MemoryFile;
  readonly clock: Clock;
}

/** Statuses that conductor sets itself are no evidence about a revision. */
const OWN_CONTEXTS = ['conductor'];

/** The checks that the forge ran on a revision; null while they are not over, or while the forge does not have the commit. */
export async function readRevisionPipeline(
  { forge, memory, clock }: RevisionChecksDeps,
  { workItemID, headSHA }: Revision,
): Promise<Pipeline | null> {
  const pull = (await memory.load()).pulls[workItemID];
  if (pull?.number == null || pull.headSHA !== headSHA) return null;
  const ageMs = clock.now().getTime() - Date.parse(pull.pushedAt);
  return readPipeline(await forge.commits.checks(headSHA, OWN_CONTEXTS), ageMs);
}
