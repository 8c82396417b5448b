import type { LedgerEntry } from '../../contracts/planner/claim-ledger.ts';
import { ledgerLine } from '../../planner/claims/ledger.ts';
import { decidingKind } from '../../policy/deciding-files.ts';
import { maskSecrets } from '../../policy/secrets.ts';
import { lastEnded } from '../record/run-view.ts';
import type { RunContext } from '../run-context.ts';
import { readEvidence } from './evidence.ts';
import { excerptPatch } from './patch-excerpt.ts';

/** The maximum length of a transcript or patch in a planner prompt. */
const EXCERPT_LIMIT = 16_384;

/**
 * What a planner prompt gets besides the envelope. The diff is an excerpt with a part of every file, tests and
 * configuration first; the transcript is included only if the prompt asks for it.
 */
export async function evaluationInputs(
  context: RunContext,
  names: readonly string[],
  ledger: readonly LedgerEntry[],
): Promise<Readonly<Record<string, unknown>>> {
  const { plan, directory, deps } = context;
  const inputs: Record<string, unknown> = {
    ...context.view().started.inputs,
    component_kind: plan.componentKind,
    eval_profile: plan.evalProfile,
    claims: ledger.map(ledgerLine),
  };
  const agent = lastEnded(context.view().steps, 'RUN_AGENT');
  const excerpt = async (role: string): Promise<string> => {
    const text = agent === null ? null : await readEvidence(directory, agent, role);
    return maskSecrets(text ?? '', deps.project.secrets ?? []);
  };
  if (names.includes('diff')) {
    const tests = deps.project.tests ?? null;
    const patch = await excerpt('workspace_diff');
    inputs.diff = excerptPatch(patch, EXCERPT_LIMIT, (path) => decidingKind(path, tests) !== null);
  }
  if (names.includes('transcript')) inputs.transcript = keepEnd(await excerpt('runner_transcript'));
  return inputs;
}

/** Keeps the end of a transcript: the agent's last actions say the most. */
function keepEnd(text: string): string {
  const cut = text.length - EXCERPT_LIMIT;
  return cut <= 0 ? text : `${cut} characters before this …\n${text.slice(-EXCERPT_LIMIT)}`;
}
