import { WORK_STATUSES } from '../../../contracts/work/work-item.ts';
import type { AddVerb, VerbGroup } from '../add-command.ts';
import { TRUST_OPTION } from '../driving/trust-option.ts';
import { number, oneOf, optional, text, wholeCount } from '../option-values.ts';

const AS = ['--as <name>', 'who acts (default: the name git uses)'] as const;
const JOBS = ['--jobs <n>', 'how many items agents work on at the same time'] as const;

/** Registers the verbs that check the results of agents and validators. */
export function addContractVerbs(group: VerbGroup): void {
  const verb = group(
    'contract',
    'check a result or a report against its contract',
    'conductor contract check reviewer-result review.json',
  );
  verb(
    'check <kind> <file>',
    'check what an agent or a validator gave back against its contract',
    'conductor contract check planner-result result.json --items items.json',
    async (context, [kind, file], options) => {
      const { checkContract } = await import('./work/contract.ts');
      return checkContract(context, { kind: text(kind), file: text(file), items: optional(options.items) });
    },
  ).option('--items <file>', 'for planner-result: the items that exist, as JSON');
}

/** Registers the actions of `work`. */
export function addWorkVerbs(group: VerbGroup): void {
  const verb = group(
    'work',
    'work items: plan, list, show, dispatch, review, merge, watch and more',
    'conductor work list',
  );
  addBoardActions(verb);
  addAgentActions(verb);
  addUserActions(verb);
  addBodyActions(verb);
}

function addBoardActions(verb: AddVerb): void {
  verb(
    'list',
    'the board: items by status, and why each of them waits',
    'conductor work list --status blocked',
    async (context, _words, options) => {
      const { list } = await import('./work/list.ts');
      return list(context, optional(options.status));
    },
  ).option('--status <status>', 'only items that stand so', oneOf(WORK_STATUSES));
  verb(
    'show <id>',
    'an item with its body, blockers, revision, reviews, runs and history',
    'conductor work show 3',
    async (context, [id]) => {
      const { show } = await import('./work/show.ts');
      return show(context, text(id));
    },
  );
}

/** Actions that start agents. */
function addAgentActions(verb: AddVerb): void {
  verb(
    'plan',
    'have the planner turn the approved specs into items now',
    'conductor work plan',
    async (context, _words, options) => {
      const { plan } = await import('./work/plan.ts');
      return plan(context, { force: options.force === true, as: optional(options.as) });
    },
  )
    .option('--force', 'also where no approved spec has changed since it was planned')
    .option(...AS)
    .option(...TRUST_OPTION);
  verb(
    'dispatch [id]',
    'have an item, or all that are free, implemented and reviewed until nothing moves',
    'conductor work dispatch --all --jobs 4',
    async (context, [id], options) => {
      const { dispatch } = await import('./work/dispatch.ts');
      const { all, jobs, as } = options;
      return dispatch(context, id ?? null, { all: all === true, jobs: number(jobs), as: optional(as) });
    },
  )
    .option('--all', 'every item that is free')
    .option(...JOBS, wholeCount)
    .option(...AS)
    .option(...TRUST_OPTION);
  verb(
    'review <id>',
    'have the revision of an item reviewed now',
    'conductor work review 3',
    async (context, [id], options) => {
      const { review } = await import('./work/review.ts');
      return review(context, text(id), optional(options.as));
    },
  )
    .option(...AS)
    .option(...TRUST_OPTION);
  verb(
    'watch',
    'plan, implement and review whatever there is to do, until Ctrl-C',
    'conductor work watch --jobs 3',
    async (context, _words, options) => {
      const { watch } = await import('./work/watch.ts');
      return watch(context, { jobs: number(options.jobs), as: optional(options.as) });
    },
  )
    .option(...JOBS, wholeCount)
    .option(...AS)
    .option(...TRUST_OPTION);
}

/** Actions that carry out a user's decision. */
function addUserActions(verb: AddVerb): void {
  verb(
    'transition <id> <status>',
    'move an item to another status',
    'conductor work transition 3 pending --reason "the spec says it now"',
    async (context, [id, status], options) => {
      const { transition } = await import('./work/transition.ts');
      const { reason, as } = options;
      return transition(context, text(id), text(status), { reason: optional(reason), as: optional(as) });
    },
  )
    .option('--reason <text>', 'why; it is kept with the item')
    .option(...AS)
    .option(...TRUST_OPTION);
  verb(
    'apply <file>',
    'apply the result of a role: a plan, what an implementor says, a review',
    'conductor work apply result.json --item 3 --run 0199ab',
    async (context, [file], options) => {
      const { apply } = await import('./work/apply.ts');
      const { item, run, as, again } = options;
      return apply(context, text(file), {
        item: optional(item),
        run: optional(run),
        as: optional(as),
        again: again === true,
      });
    },
  )
    .option('--item <id>', 'the item that an implementor or a reviewer speaks of')
    .option('--run <run>', 'the run that did the work, whose evidence and patch count')
    .option('--again', 'apply a plan that was applied before once more')
    .option(...AS)
    .option(...TRUST_OPTION);
  verb(
    'merge <id>',
    'bring the approved revision of an item into the default branch',
    'conductor work merge 3',
    async (context, [id], options) => {
      const { merge } = await import('./work/merge.ts');
      return merge(context, text(id), optional(options.as));
    },
  )
    .option(...AS)
    .option(...TRUST_OPTION);
  verb('labels', 'set up the labels of items, and list them', 'conductor work labels', async (context) => {
    const { labels } = await import('./work/labels.ts');
    return labels(context);
  });
}

/** Actions on bodies that do not belong to an item yet. */
function addBodyActions(verb: AddVerb): void {
  verb(
    'template <name>',
    'print the template of a body: task or refinement',
    'conductor work template task > body.md',
    async (context, [name]) => {
      const { template } = await import('./work/template.ts');
      return template(context, text(name));
    },
  );
  verb(
    'lint <file>',
    'check a body against its template',
    'conductor work lint body.md',
    async (context, [file], options) => {
      const { lint } = await import('./work/lint.ts');
      return lint(context, text(file), optional(options.type));
    },
  ).option('--type <type>', 'task or refinement (default: what the body looks like)');
}
