import type { Registrar } from '../add-command.ts';
import { dollars, number, oneOf, optional, text, wallClock, wholeCount } from '../option-values.ts';
import type { GraphFormat } from './workflow/graph.ts';
import type { ValidateFormat } from './workflow/validate.ts';

const GRAPH_FORMATS: readonly GraphFormat[] = ['mermaid', 'dot', 'svg'];
const VALIDATE_FORMATS: readonly ValidateFormat[] = ['human', 'json', 'sarif', 'github'];

/** Registers the commands of the group "Write workflows"; none of them starts an agent. */
export function addWorkflowCommands({ add }: Registrar): void {
  add(
    'validate <files...>',
    'check workflows before anything runs; configurations, policies, suites and prompts too',
    'conductor validate .tnh/workflows/implement.yaml',
    async (context, files, options) => {
      const { validate } = await import('./workflow/validate.ts');
      return validate(context, files, context.json ? 'json' : (options.format as ValidateFormat), {
        verbose: options.verbose === true,
        prove: options.prove === true,
        caps: {
          agentRuns: number(options.maxAgentRuns),
          wallMs: number(options.maxWall),
          costUsd: number(options.maxCost),
        },
      });
    },
  )
    .option('--format <format>', VALIDATE_FORMATS.join(', '), oneOf(VALIDATE_FORMATS), 'human')
    .option('--verbose', 'show warnings as errors are shown: with their place, notes and help')
    .option('--prove', 'prove what holds on every way through the workflow, and bound the worst case')
    .option('--max-agent-runs <n>', 'fail when a run can start more agents', wholeCount)
    .option('--max-wall <duration>', 'fail when a run can take longer, such as 90s, 15m, 2h, 3d', wallClock)
    .option('--max-cost <usd>', 'fail when a run can cost more', dollars);
  add(
    'graph <file>',
    'a picture of a workflow',
    'conductor graph .tnh/workflows/implement.yaml --format svg > implement.svg',
    async (context, [file], options) => {
      const { graph } = await import('./workflow/graph.ts');
      return graph(context, text(file), options.format as GraphFormat);
    },
  ).option('--format <format>', GRAPH_FORMATS.join(', '), oneOf(GRAPH_FORMATS), 'mermaid');
  add(
    'crashtest <workflow>',
    'kill a workflow at every event, with scripted steps, and compare the ends; starts no agent',
    'conductor crashtest .tnh/workflows/implement.yaml',
    async (context, [workflow], options) => {
      const { crashtest } = await import('./workflow/crashtest.ts');
      const { seed, script } = options;
      return crashtest(context, text(workflow), { seed: number(seed) ?? 1, script: optional(script) });
    },
  )
    .option('--seed <n>', 'where lines are torn, and which scripts when there are many', wholeCount, 1)
    .option('--script <name>', 'only the script of this name');
  add(
    'explain <code>',
    'what a diagnostic means, with an example that fails and one that passes',
    'conductor explain WF007',
    async (context, [code]) => {
      const { explain } = await import('./workflow/explain.ts');
      return explain(context, text(code));
    },
  );
}
