import type { Registrar } from '../add-command.ts';
import { collect, listed, optional, TRUST_OPTION, text } from '../option-values.ts';

const PLANNER = [
  '--planner <name>',
  'rules (default), model (as configured), model:NAME or agent:NAME',
] as const;

const POLICY = [
  '--policy <file>',
  'a file or a reference; may be repeated (default: the configured one)',
] as const;

/** Registers the commands of the group "Plumbing": parts of conductor, one at a time, for scripts and other tools. */
export function addPlumbingCommands(registrar: Registrar): void {
  addPlanner(registrar);
  addPolicy(registrar);
  addHook(registrar);
  addContract(registrar);
  addScope(registrar);
  addHarness(registrar);
  addTools(registrar);
}

function addPlanner({ add, addBelow }: Registrar): void {
  add(
    'evaluate',
    'evaluate a planner input without a run; prints the decision',
    'conductor evaluate --input planner_input.json',
    async (context, _args, options) => {
      const { evaluate } = await import('./planner/evaluate.ts');
      return evaluate(context, optional(options.input), optional(options.planner));
    },
  )
    .option('--input <file>', 'the planner input, or - for standard input')
    .option(...PLANNER)
    .option(...TRUST_OPTION);
  const vectors = add(
    'vectors [folder]',
    'evaluate a folder of vectors again and show which answers differ',
    'conductor vectors .tnh/vectors',
    async (context, [folder], options) => {
      const { vectors: checkAll } = await import('./planner/vectors.ts');
      return checkAll(context, folder ?? null, optional(options.planner));
    },
  )
    .option(...PLANNER)
    .option(...TRUST_OPTION);
  addBelow(vectors)(
    'record <run> <step>',
    'make a vector from an evaluation of a run',
    'conductor vectors record 0199ab evaluate',
    async (context, [run, step], options) => {
      const { recordVector } = await import('./planner/vectors.ts');
      return recordVector(context, text(run), text(step), optional(options.out));
    },
  ).option('--out <file>', 'where to write it (default: .tnh/vectors/)');
}

function addPolicy({ addGroup }: Registrar): void {
  const add = addGroup(
    'policy',
    'check a patch or a shell line against a policy',
    'conductor policy check --patch change.diff',
  );
  add(
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
  add(
    'command [line]',
    'check a shell line, in quotes, against a policy',
    "conductor policy command -- 'git push origin main'",
    async (context, [line], options) => {
      const { checkPolicyCommand } = await import('./policy/policy.ts');
      return checkPolicyCommand(context, listed(options.policy), line ?? null);
    },
  ).option(...POLICY, collect);
}

function addHook({ addGroup }: Registrar): void {
  const add = addGroup('hook', "answer an agent's hook", 'conductor hook command < call.json');
  add(
    'command',
    'allow or block a tool call, given as JSON on standard input',
    'conductor hook command --policy policy.workspace.v1 < call.json',
    async (context, _args, options) => {
      const { hook } = await import('./policy/hook.ts');
      return hook(context, { policies: listed(options.policy) });
    },
  ).option('--policy <file>', 'a file or a reference; may be repeated (default: CONDUCTOR_POLICY)', collect);
}

function addContract({ addGroup }: Registrar): void {
  const add = addGroup(
    'contract',
    'check a result or a report against its contract',
    'conductor contract check reviewer-result review.json',
  );
  add(
    'check <kind> <file>',
    'check the result of an agent or a validator against its contract',
    'conductor contract check planner-result result.json --items items.json',
    async (context, [kind, file], options) => {
      const { checkContract } = await import('./work/contract.ts');
      return checkContract(context, { kind: text(kind), file: text(file), items: optional(options.items) });
    },
  ).option('--items <file>', 'for planner-result: the existing items, as JSON');
}

function addScope({ add }: Registrar): void {
  add(
    'scope',
    'check each file of a patch against the scope of a task',
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
    .option('--summary <file>', 'the summary of the implementor; - for standard input')
    .option('--base <ref>', 'the base of the patch (default: HEAD)');
}

function addHarness({ addGroup }: Registrar): void {
  const add = addGroup('harness', 'run a harness suite', 'conductor harness run suite.yaml');
  add(
    'run [suite]',
    'run the cases of a suite file and write a harness report',
    'conductor harness run suite.yaml --report harness_report.json',
    async (context, [suite], options) => {
      const { runHarness } = await import('./start/harness.ts');
      return runHarness(context, suite ?? null, {
        report: optional(options.report),
        out: optional(options.out),
        only: optional(options.case),
      });
    },
  )
    .option('--report <file>', 'the path of the report (default: harness_report.json in the out folder)')
    .option('--out <dir>', 'the folder for screenshots, logs and proposals')
    .option('--case <id>', 'run only this case')
    .option(...TRUST_OPTION);
}

function addTools({ add, program }: Registrar): void {
  add(
    'schema [name]',
    'print a JSON Schema, or list them all',
    'conductor schema workflow',
    async (context, [name]) => {
      const { schema } = await import('./workflow/schema.ts');
      return schema(context, name ?? null);
    },
  );
  add(
    'completion <shell>',
    'print a completion script for bash, zsh or fish',
    'source <(conductor completion bash)',
    async (context, [shell]) => {
      const { completion } = await import('./start/completion.ts');
      return Promise.resolve(completion(context, text(shell), program));
    },
  );
}
