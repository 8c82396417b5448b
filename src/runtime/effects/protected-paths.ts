import type { Snapshot } from '../../ports/workspace.ts';
import type { RunContext } from '../run-context.ts';

export interface JudgesShown {
  /** Paths that validators see as they were at the base, although steps changed them. */
  readonly paths: readonly string[];
  /** Gives the worktree the work of the steps again. */
  readonly giveBack: () => Promise<void>;
}

/**
 * Puts the paths that a policy protects back to the base while validators run, so that nobody passes by editing the
 * judge. The policy of the validation counts, and that of the agent whose work is looked at.
 */
export async function showJudges(
  context: RunContext,
  policies: readonly string[],
  before: Snapshot,
): Promise<JudgesShown> {
  const { deps, workspace } = context;
  const protectors = [policies, lastAgentPolicies(context)].flatMap(
    (refs) => deps.project.policy(refs).protects ?? [],
  );
  const base = context.view().started.base_tree;
  if (deps.surroundings === undefined || protectors.length === 0 || base === before.tree)
    return { paths: [], giveBack: () => Promise.resolve() };
  const { files } = await deps.workspace.diff(workspace, base, before.tree);
  const paths = files
    .flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [oldPath, path]))
    .filter((path) => protectors.some((protects) => protects(path)));
  const { giveBack } = await deps.surroundings.showBase(workspace, before, paths);
  return { paths, giveBack };
}

export function judgeNote(path: string): string {
  return `${path} is protected: it was changed, and validators saw it as it was at the base`;
}

function lastAgentPolicies({ plan, view }: RunContext): readonly string[] {
  const last = view().steps.findLast(({ opcode }) => opcode === 'RUN_AGENT');
  const step = plan.steps.find(({ id }) => id === last?.stepId);
  return step?.opcode === 'RUN_AGENT' ? step.policies : [];
}
