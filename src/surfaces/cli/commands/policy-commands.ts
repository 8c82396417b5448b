import type { VerbGroup } from '../add-command.ts';
import { optional } from '../option-values.ts';

const POLICY = [
  '--policy <file>',
  'a file or a reference; may be repeated (default: the configured one)',
] as const;

/** Registers the verbs that check patches and commands against a policy. */
export function addPolicyVerbs(group: VerbGroup): void {
  addPolicy(group);
  addHook(group);
}

function addPolicy(group: VerbGroup): void {
  const verb = group(
    'policy',
    'check a patch or a shell line against a policy',
    'conductor policy check --patch change.diff',
  );
  verb(
    'check',
    'check a patch against a policy',
    'conductor policy check --policy policy.workspace.v1 --patch change.diff',
    async (context, _args, options) => {
      const { checkPolicyPatch } = await import('./policy/policy.ts');
      return checkPolicyPatch(context, listed(options.policy), optional(options.patch));
    },
  )
    .option(...POLICY, collect)
    .option('--patch <file>', 'the patch, or - for standard input');
  verb(
    'command [line]',
    'check a shell line, in quotes, against a policy',
    "conductor policy command -- 'git push origin main'",
    async (context, [line], options) => {
      const { checkPolicyCommand } = await import('./policy/policy.ts');
      return checkPolicyCommand(context, listed(options.policy), line ?? null);
    },
  ).option(...POLICY, collect);
}

function addHook(group: VerbGroup): void {
  const verb = group('hook', "answer an agent's hook", 'conductor hook command < call.json');
  verb(
    'command',
    'may this call run? The call is JSON on standard input',
    'conductor hook command --policy policy.workspace.v1 < call.json',
    async (context, _args, options) => {
      const { hook } = await import('./policy/hook.ts');
      return hook(context, { policies: listed(options.policy) });
    },
  ).option('--policy <file>', 'a file or a reference; may be repeated (default: CONDUCTOR_POLICY)', collect);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function listed(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
