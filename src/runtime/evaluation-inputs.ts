import { maskSecrets } from '../policy/secrets.ts';
import { readEvidence } from './evidence.ts';
import type { RunContext } from './run-context.ts';
import { lastEnded } from './run-view.ts';

/** How much of a transcript or a patch a planner prompt gets that asks for it. */
const EXCERPT_LIMIT = 16_384;

/**
 * Inputs of a planner prompt that the envelope does not hold. Texts of agents are there only for a prompt that asks
 * for them: by default a planner sees summaries and references.
 */
export async function evaluationInputs(
  context: RunContext,
  names: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const { plan, directory, deps } = context;
  const inputs: Record<string, unknown> = {
    ...context.view().started.inputs,
    component_kind: plan.componentKind,
    eval_profile: plan.evalProfile,
  };
  const agent = lastEnded(context.view().steps, 'RUN_AGENT');
  const excerpt = async (role: string): Promise<string> => {
    const text = agent === null ? null : await readEvidence(directory, agent, role);
    return maskSecrets(text ?? '', deps.project.secrets ?? []);
  };
  if (names.includes('diff')) inputs.diff = beginning(await excerpt('workspace_diff'));
  if (names.includes('transcript')) inputs.transcript = ending(await excerpt('runner_transcript'));
  return inputs;
}

function beginning(text: string): string {
  const cut = text.length - EXCERPT_LIMIT;
  return cut <= 0 ? text : `${text.slice(0, EXCERPT_LIMIT)}\n… ${cut} characters more`;
}

/** What an agent did last says most. */
function ending(text: string): string {
  const cut = text.length - EXCERPT_LIMIT;
  return cut <= 0 ? text : `${cut} characters before this …\n${text.slice(-EXCERPT_LIMIT)}`;
}
