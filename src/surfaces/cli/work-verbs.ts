import type { Action, AddVerb } from './add-verb.ts';
import { optional, text } from './option-values.ts';
import { unknownQuestion } from './unknown-question.ts';

/** What `work` can do, each in a file of its own. */
const ACTIONS: Readonly<Record<string, Action>> = {
  template: async (context, words) => {
    const { template } = await import('./verbs/work/template.ts');
    return template(context, words);
  },
  lint: async (context, words, options) => {
    const { lint } = await import('./verbs/work/lint.ts');
    return lint(context, words, optional(options.type));
  },
};

/** Verbs about work items and what agents give back for them. */
export function addWorkVerbs(verb: AddVerb): void {
  verb(
    'contract <question> <kind> <file>',
    'hold what an agent or a validator gave back against its contract (check)',
    'conductor contract check planner-result result.json --items items.json',
    async (context, [question, kind, file], options) => {
      const { contract } = await import('./verbs/contract.ts');
      return contract(context, text(question), {
        kind: text(kind),
        file: text(file),
        items: optional(options.items),
      });
    },
  ).option('--items <file>', 'for planner-result: the items that exist, as JSON');
  verb(
    'work <action> [words...]',
    'work items: print the template of a body (template), check a body (lint)',
    'conductor work lint body.md',
    async (context, [name = '', ...words], options) => {
      const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
      if (action === undefined) throw unknownQuestion('work', name, Object.keys(ACTIONS));
      return action(context, words, options);
    },
  ).option('--type <type>', 'for lint: task or refinement (default: what the body looks like)');
}
