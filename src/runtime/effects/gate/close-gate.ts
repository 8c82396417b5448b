import { answererText } from '../../../contracts/run/answer-origin.ts';
import type { EventDraft } from '../../../contracts/run/event.ts';
import { extendManifest } from '../../evidence/evidence.ts';
import { type GateAnswer, outcomePath } from '../../gates/open-gates.ts';
import type { AwaitingView } from '../../record/run-view.ts';
import type { RunContext } from '../../run-context.ts';

/** Adds the answer to the gate's manifest. */
export async function closeGate(
  { directory, deps, events }: RunContext,
  awaiting: AwaitingView,
  answer: GateAnswer,
): Promise<readonly EventDraft[]> {
  const digest = await directory.digest(directory.resolve(outcomePath(awaiting)));
  return extendManifest(directory, awaiting, {
    events: events(),
    endedAt: deps.clock.now().toISOString(),
    termination: answer.answer,
    summary: `${answer.answer}${answer.by === null ? '' : ` by ${answererText(answer.by, answer.from)}`}`,
    artifact: { role: 'gate_outcome', digest },
  });
}
