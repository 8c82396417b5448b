import type { AddVerb } from './add-verb.ts';
import { optional, text } from './option-values.ts';

/** Verbs that hold something against a policy. */
export function addPolicyVerbs(verb: AddVerb): void {
  verb(
    'policy <question> [line]',
    'hold a patch (check) or a shell line (command) against a policy',
    "conductor policy command --policy policy.workspace.v1 -- 'git push origin main'",
    async (context, [question, line], options) => {
      const { policy } = await import('./verbs/policy.ts');
      return policy(context, text(question), line ?? null, {
        policies: listed(options.policy),
        patch: optional(options.patch),
      });
    },
  )
    .option(
      '--policy <file>',
      'a file or a reference; may be repeated (default: the configured one)',
      collect,
    )
    .option('--patch <file>', 'for check: the patch, or - for standard input');
  verb(
    'hook <question>',
    "answer an agent's hook: a call as JSON on standard input, may it run (command)",
    'conductor hook command --policy policy.workspace.v1 < call.json',
    async (context, [question], options) => {
      const { hook } = await import('./verbs/hook.ts');
      return hook(context, text(question), { policies: listed(options.policy) });
    },
  ).option('--policy <file>', 'a file or a reference; may be repeated (default: CONDUCTOR_POLICY)', collect);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function listed(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
