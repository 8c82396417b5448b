import type { Intent } from '../contracts/vocabulary.ts';
import type { AgentStep } from '../kernel/plan.ts';
import type { RunContext } from './run-context.ts';

/** The step may say; otherwise its prompt does; an inline prompt that may write asks for an implementation. */
export function intentOf({ deps }: RunContext, step: AgentStep): Intent {
  if (step.intent !== null) return step.intent;
  if (step.prompt.kind === 'reference') return deps.prompts.byRef.get(step.prompt.ref)?.intent ?? 'none';
  return deps.project.policy(step.policies).readOnly ? 'review' : 'implementation';
}
