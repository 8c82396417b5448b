import type { AddVerb } from '../add-command.ts';
import { optional } from '../option-values.ts';

/** Registers the verb that checks a patch against the scope of a task. */
export function addScopeVerbs(verb: AddVerb): void {
  verb(
    'scope',
    'check each file of a patch against the scope of a task, by the four rules',
    'conductor scope --item task.md --patch change.diff',
    async (context, _args, options) => {
      const { scope } = await import('./policy/scope.ts');
      return scope(context, {
        item: optional(options.item),
        patch: optional(options.patch),
        summary: optional(options.summary),
        base: optional(options.base),
      });
    },
  )
    .option('--item <file>', 'the body of the task, with its In Scope list; - for standard input')
    .option('--patch <file>', 'the patch; - for standard input')
    .option('--summary <file>', 'what the implementor says of it; - for standard input')
    .option('--base <ref>', 'what the patch was made from (default: HEAD)');
}
