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
    'check workflows, configurations, policies, suites and prompts',
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
    .option('--verbose', 'show warnings in full, with source, notes and help')
    .option('--prove', 'check properties of every path and compute the worst case')
    .option('--max-agent-runs <n>', 'fail if a run can start more agents', wholeCount)
    .option('--max-wall <duration>', 'fail if a run can take longer: 90s, 15m, 2h, 3d', wallClock)
    .option('--max-cost <usd>', 'fail if a run can cost more', dollars);
  add(
    'graph <file>',
    'draw a workflow',
    'conductor graph .tnh/workflows/implement.yaml --format svg > implement.svg',
    async (context, [file], options) => {
      const { graph } = await import('./workflow/graph.ts');
      return graph(context, text(file), options.format as GraphFormat);
    },
  ).option('--format <format>', GRAPH_FORMATS.join(', '), oneOf(GRAPH_FORMATS), 'mermaid');
  add(
    'crashtest <workflow>',
    'simulate a crash at every event, and compare how runs end; starts no agent',
    'conductor crashtest .tnh/workflows/implement.yaml',
    async (context, [workflow], options) => {
      const { crashtest } = await import('./workflow/crashtest.ts');
      const { seed, script } = options;
      return crashtest(context, text(workflow), { seed: number(seed) ?? 1, script: optional(script) });
    },
  )
    .option('--seed <n>', 'random seed for truncated log lines and for sampling scripts', wholeCount, 1)
    .option('--script <name>', 'run only this script');
  add(
    'explain <code>',
    'explain a diagnostic, with an example that fails and one that passes',
    'conductor explain WF007',
    async (context, [code]) => {
      const { explain } = await import('./workflow/explain.ts');
      return explain(context, text(code));
    },
  );
}
