import type { Intent } from '../../contracts/vocabulary.ts';
import type { AgentStep } from '../../kernel/plan.ts';
import type { RunContext } from '../run-context.ts';

/** The step's own intent, else its prompt's; an inline prompt with write access is an implementation. */
export function intentOf({ deps }: RunContext, step: AgentStep): Intent {
  if (step.intent !== null) return step.intent;
  if (step.prompt.kind === 'reference') return deps.prompts.byRef.get(step.prompt.ref)?.intent ?? 'none';
  return deps.project.policy(step.policies).readOnly ? 'review' : 'implementation';
}
