import type { EventDraft } from '../../contracts/event.ts';
import { stepFolderOf } from '../../contracts/run-files.ts';
import { readManifest } from '../evidence.ts';
import { type GateAnswer, outcomePath } from '../gates.ts';
import { toJson } from '../json.ts';
import type { RunContext } from '../run-context.ts';
import type { AwaitingView } from '../run-view.ts';

/** Adds the answer to the gate's manifest. */
export async function closeGate(
  context: RunContext,
  awaiting: AwaitingView,
  answer: GateAnswer,
): Promise<readonly EventDraft[]> {
  const { directory, deps } = context;
  const folder = stepFolderOf(awaiting.stepId, awaiting.attempt);
  const digest = await directory.digest(directory.resolve(outcomePath(awaiting)));
  const manifest = await readManifest(directory, awaiting);
  if (manifest === null) throw new Error(`the manifest of gate ${awaiting.stepId} is missing`);
  const outcome = {
    role: 'gate_outcome',
    path: digest.path,
    media_type: 'application/json',
    sha256: digest.sha256,
    bytes: digest.bytes,
    required: true,
    important: true,
  };
  await directory.write(
    `${folder}/manifest.json`,
    toJson({
      ...manifest,
      ended_at: deps.clock.now().toISOString(),
      termination: answer.answer,
      evidence_summary: `${manifest.evidence_summary}; ${answer.answer}${answer.by === null ? '' : ` by ${answer.by}`}`,
      artifacts: [...manifest.artifacts.filter((artifact) => artifact.role !== 'gate_outcome'), outcome],
    }),
    { durable: true },
  );
  return [
    {
      event_type: 'artifact_recorded',
      step_id: awaiting.stepId,
      payload: { role: 'gate_outcome', path: digest.path, sha256: digest.sha256, bytes: digest.bytes },
    },
  ];
}
