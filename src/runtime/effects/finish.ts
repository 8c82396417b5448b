import type { EventDraft } from '../../contracts/run/event.ts';
import type { KernelInput } from '../../kernel/protocol.ts';
import type { RunEnd } from '../../kernel/state.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { readEvidence } from '../evidence/evidence.ts';
import type { RunContext } from '../run-context.ts';
import { publishWork } from './publish-work.ts';

/** How much of one agent's transcript the run's transcript shows, in characters. */
const TRANSCRIPT_EXCERPT = 20_000;
/** Enough bytes for one character more than is shown, in any encoding length. */
const EXCERPT_BYTES = 4 * (TRANSCRIPT_EXCERPT + 1);

export interface FinishedRun {
  readonly finished: Required<
    Omit<Extract<KernelInput, { kind: 'finished' }>, 'kind' | 'preparationFailure'>
  >;
  readonly records: readonly EventDraft[];
}

/**
 * Writes the results of a run: its work as one commit in the user's repository, the whole change as a patch, and a
 * readable transcript. Can be repeated safely.
 */
export async function finishRun(context: RunContext, end: RunEnd): Promise<FinishedRun> {
  const { deps, directory, workspace } = context;
  const { started } = context.view();
  const { tree } = await deps.workspace.snapshot(workspace, 'end');
  const { commit: headSha, records } = await publishWork(context, null, tree, end.outcome);
  await deps.workspace.diff(workspace, started.base_tree, tree, directory.resolve('diff.patch'));
  await directory.write('transcript.md', await transcriptOf(context, end));
  const names = ['diff.patch', 'transcript.md'];
  await directory.sync(names);
  await deps.workspace.removeTemporary(workspace);
  const files = await Promise.all(names.map((name) => digestOf(directory, name)));
  return { finished: { tree, headSha, files }, records };
}

async function digestOf(directory: RunDirectory, name: string) {
  const { path, sha256 } = await directory.digest(directory.resolve(name));
  return { path, sha256 };
}

async function transcriptOf(context: RunContext, end: RunEnd): Promise<string> {
  const view = context.view();
  const parts = [`# Run ${view.runId}`, `Workflow \`${view.started.workflow_id}\`, ended ${end.outcome}.`];
  for (const step of view.steps) {
    const visit = step.attempt === 1 ? '' : ` (entry ${step.attempt})`;
    parts.push(
      `## ${step.stepId}${visit}: ${step.opcode} -> ${step.termination ?? (step.parked ? 'parked' : 'interrupted')}`,
    );
    if (step.reason !== null) parts.push(step.reason);
    if (step.opcode !== 'RUN_AGENT' || step.termination === null) continue;
    const text = await readEvidence(context.directory, step, 'runner_transcript', {
      firstBytes: EXCERPT_BYTES,
    });
    if (text !== null && text.trim() !== '') parts.push(fenceText(text));
  }
  return `${parts.join('\n\n')}\n`;
}

/** Uses a fence longer than any in the text, so that the text can't close it. */
function fenceText(text: string): string {
  const shown = text.length > TRANSCRIPT_EXCERPT ? `${text.slice(0, TRANSCRIPT_EXCERPT)}\n[cut]` : text;
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${shown.trimEnd()}\n${fence}`;
}
