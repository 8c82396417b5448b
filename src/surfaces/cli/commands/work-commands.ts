import { WORK_STATUSES } from '../../../contracts/work/work-item.ts';
import type { AddCommand, Registrar } from '../add-command.ts';
import { number, oneOf, optional, TRUST_OPTION, text, wholeCount } from '../option-values.ts';

const AS = ['--as <name>', 'who acts (default: the name git uses)'] as const;
const JOBS = ['--jobs <n>', 'how many items agents work on at the same time'] as const;

/** Registers the commands of the group "Plan and dispatch work items". */
export function addWorkCommands({ addGroup }: Registrar): void {
  const add = addGroup(
    'work',
    'work items: plan, list, show, dispatch, review, merge, watch and more',
    'conductor work list',
  );
  addBoardCommands(add);
  addAgentCommands(add);
  addUserCommands(add);
  addBodyCommands(add);
}

function addBoardCommands(add: AddCommand): void {
  add(
    'list',
    'the board: items by status, and why each of them waits',
    'conductor work list --status blocked',
    async (context, _args, options) => {
      const { list } = await import('./work/list.ts');
      return list(context, optional(options.status));
    },
  ).option('--status <status>', 'only items that stand so', oneOf(WORK_STATUSES));
  add(
    'show <id>',
    'an item with its body, blockers, revision, reviews, runs and history',
    'conductor work show 3',
    async (context, [id]) => {
      const { show } = await import('./work/show.ts');
      return show(context, text(id));
    },
  );
}

/** Subcommands that start agents. */
function addAgentCommands(add: AddCommand): void {
  add(
    'plan',
    'have the planner turn the approved specs into items now',
    'conductor work plan',
    async (context, _args, options) => {
      const { plan } = await import('./work/plan.ts');
      return plan(context, { force: options.force === true, as: optional(options.as) });
    },
  )
    .option('--force', 'also where no approved spec has changed since it was planned')
    .option(...AS)
    .option(...TRUST_OPTION);
  add(
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
  add(
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
  add(
    'watch',
    'plan, implement and review whatever there is to do, until Ctrl-C',
    'conductor work watch --jobs 3',
    async (context, _args, options) => {
      const { watch } = await import('./work/watch.ts');
      return watch(context, { jobs: number(options.jobs), as: optional(options.as) });
    },
  )
    .option(...JOBS, wholeCount)
    .option(...AS)
    .option(...TRUST_OPTION);
}

/** Subcommands that carry out a user's decision. */
function addUserCommands(add: AddCommand): void {
  add(
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
  add(
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
  add(
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
  add('labels', 'set up the labels of items, and list them', 'conductor work labels', async (context) => {
    const { labels } = await import('./work/labels.ts');
    return labels(context);
  });
}

/** Subcommands for bodies that do not belong to an item yet. */
function addBodyCommands(add: AddCommand): void {
  add(
    'template <name>',
    'print the template of a body: task or refinement',
    'conductor work template task > body.md',
    async (context, [name]) => {
      const { template } = await import('./work/template.ts');
      return template(context, text(name));
    },
  );
  add(
    'lint <file>',
    'check a body against its template',
    'conductor work lint body.md',
    async (context, [file], options) => {
      const { lint } = await import('./work/lint.ts');
      return lint(context, text(file), optional(options.type));
    },
  ).option('--type <type>', 'task or refinement (default: what the body looks like)');
}
