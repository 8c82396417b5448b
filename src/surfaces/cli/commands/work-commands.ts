import { WORK_STATUSES } from '../../../contracts/work/work-item.ts';
import type { AddCommand, Registrar } from '../add-command.ts';
import {
  collect,
  listed,
  number,
  oneOf,
  optional,
  TRUST_OPTION,
  text,
  wholeCount,
} from '../option-values.ts';

const AS = ['--as <name>', 'your name in the record (default: the name git uses)'] as const;
const JOBS = ['--jobs <n>', 'how many items agents work on at the same time'] as const;

/** Registers the commands of the group "Plan and dispatch work items". */
export function addWorkCommands({ addGroup }: Registrar): void {
  const add = addGroup('work', 'plan, list, dispatch, review and merge work items', 'conductor work list');
  addBoardCommands(add);
  addAgentCommands(add);
  addUserCommands(add);
  addBodyCommands(add);
}

function addBoardCommands(add: AddCommand): void {
  add(
    'list',
    'show the board: items by status, and why each of them waits',
    'conductor work list --status blocked',
    async (context, _args, options) => {
      const { list } = await import('./work/list.ts');
      return list(context, optional(options.status));
    },
  ).option('--status <status>', 'only items with this status', oneOf(WORK_STATUSES));
  add(
    'show <id>',
    'show an item with its blockers, revision, reviews and history',
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
    'let the planner turn approved specs into items',
    'conductor work plan',
    async (context, _args, options) => {
      const { plan } = await import('./work/plan.ts');
      return plan(context, { force: options.force === true, as: optional(options.as) });
    },
  )
    .option('--force', 'even if no approved spec has changed since the last plan')
    .option(...AS)
    .option(...TRUST_OPTION);
  add(
    'dispatch [id]',
    'implement and review an item, or all that are ready',
    'conductor work dispatch --all --jobs 4',
    async (context, [id], options) => {
      const { dispatch } = await import('./work/dispatch.ts');
      const { all, jobs, as } = options;
      return dispatch(context, id ?? null, { all: all === true, jobs: number(jobs), as: optional(as) });
    },
  )
    .option('--all', 'every item that is ready')
    .option(...JOBS, wholeCount)
    .option(...AS)
    .option(...TRUST_OPTION);
  add(
    'review <id>',
    'review the revision of an item now',
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
    'plan, implement and review as work comes in, until Ctrl-C or until only you can continue',
    'conductor work watch --jobs 3 --until-idle',
    async (context, _args, options) => {
      const { watch } = await import('./work/watch.ts');
      return watch(context, {
        jobs: number(options.jobs),
        untilIdle: options.untilIdle === true,
        as: optional(options.as),
      });
    },
  )
    .option('--until-idle', 'end when everything that is left needs a user')
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
    .option('--reason <text>', 'why; recorded with the item')
    .option(...AS)
    .option(...TRUST_OPTION);
  add(
    'apply <file>',
    'apply a result from a file: of a planner, implementor or reviewer',
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
    .option('--item <id>', "the item of an implementor's or reviewer's result")
    .option('--run <run>', 'the run that did the work: the source of evidence and patch')
    .option('--again', 'apply a plan again that was applied before')
    .option(...AS)
    .option(...TRUST_OPTION);
  add(
    'scope <id>',
    'allow an item to change further paths',
    'conductor work scope 3 --add README.md --reason "it documents the option"',
    async (context, [id], options) => {
      const { extendScope } = await import('./work/scope.ts');
      const { add: paths, reason, as } = options;
      return extendScope(context, text(id), {
        add: listed(paths),
        reason: optional(reason),
        as: optional(as),
      });
    },
  )
    .option('--add <path>', 'a file, folder or glob; can be repeated', collect)
    .option('--reason <text>', 'why; recorded with your name')
    .option(...AS)
    .option(...TRUST_OPTION);
  add(
    'merge <id>',
    'merge the approved revision of an item into the default branch',
    'conductor work merge 3',
    async (context, [id], options) => {
      const { merge } = await import('./work/merge.ts');
      return merge(context, text(id), {
        withBlockers: options.withBlockers === true,
        as: optional(options.as),
      });
    },
  )
    .option('--with-blockers', 'merge the approved blockers of the item first')
    .option(...AS)
    .option(...TRUST_OPTION);
  add('labels', 'create the labels of items, and list them', 'conductor work labels', async (context) => {
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
  ).option('--type <type>', 'task or refinement (default: detected from the body)');
}
