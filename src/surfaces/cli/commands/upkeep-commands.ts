import type { RetentionOptions } from '../../../app/runs/clean-runs.ts';
import type { Registrar } from '../add-command.ts';
import { number, optional, text, wholeCount } from '../option-values.ts';

/** Registers the commands of the group "Restore and clean up". */
export function addUpkeepCommands({ add, addGroup }: Registrar): void {
  add(
    'undo <run> [step]',
    'restore what a rollback, recovery or removal salvaged; overwrites nothing',
    'conductor undo 0199ab implement',
    async (context, [run, step], options) => {
      if (options.pr === true) {
        const { closePr } = await import('./run/pr.ts');
        return closePr(context, text(run));
      }
      const { undo } = await import('./record/undo.ts');
      return undo(context, text(run), {
        step: step ?? null,
        ref: optional(options.ref),
        branch: optional(options.branch),
        list: options.list === true,
        dryRun: options.dryRun === true,
      });
    },
  )
    .option('--ref <name>', 'restore a ref that a step moved, such as main')
    .option('--branch <name>', 'restore as a branch of this name; changes no file')
    .option('--pr', 'close the pull request of the run instead')
    .option('--list', 'only list the salvages')
    .option('--dry-run', 'only print what would be done');
  const addWorkspace = addGroup(
    'worktree',
    'list or remove the workspaces of runs',
    'conductor worktree list',
  );
  addWorkspace('list', 'list the workspaces of runs', 'conductor worktree list', async (context) => {
    const { listWorkspaces } = await import('./record/retention.ts');
    return listWorkspaces(context);
  });
  addWorkspace(
    'prune',
    'remove the workspaces that the retention does not keep',
    'conductor worktree prune --dry-run',
    async (context, _args, options) => {
      const { pruneWorkspaces } = await import('./record/retention.ts');
      return pruneWorkspaces(context, { ...retentionOptions(options), all: options.all === true });
    },
  )
    .option('--dry-run', 'only print what would be removed')
    .option('--all', 'remove those of all runs that have ended')
    .option('--keep-runs <n>', 'keep this many of the newest', wholeCount)
    .option('--keep-days <n>', 'keep those that ended in the last N days', wholeCount);
  add(
    'clean',
    'remove runs older than `retention` allows; unmerged work is salvaged first',
    'conductor clean --dry-run',
    async (context, _args, options) => {
      const { clean } = await import('./record/retention.ts');
      return clean(context, retentionOptions(options));
    },
  )
    .option('--dry-run', 'only print what would be removed')
    .option('--keep-runs <n>', 'keep this many of the newest', wholeCount)
    .option('--keep-days <n>', 'keep those that ended in the last N days', wholeCount);
  const addExport = addGroup('export', 'export runs for other tools', 'conductor export otel 0199ab');
  addExport(
    'otel <runs...>',
    'export traces and metrics of ended runs to OpenTelemetry, from their logs',
    'conductor export otel 0199ab --endpoint http://127.0.0.1:4318',
    async (context, runs, options) => {
      const { exportOtel } = await import('./record/export.ts');
      return exportOtel(context, runs, {
        endpoint: optional(options.endpoint),
        headersEnv: optional(options.headersEnv),
        payloads: options.payloads === true,
        signal: options.metrics === true ? 'metrics' : 'traces',
        output: optional(options.output),
      });
    },
  )
    .option('--endpoint <url>', 'send traces and metrics to this OTLP/HTTP receiver')
    .option('--headers-env <name>', 'with --endpoint: the variable with headers, as name=value,other=value')
    .option('--output <file>', 'write to a new file instead of standard output')
    .option('--metrics', 'write metrics instead of traces')
    .option('--payloads', 'also export prompts, messages, titles, reasons and commands');
}

function retentionOptions(options: Readonly<Record<string, unknown>>): RetentionOptions {
  return {
    dryRun: options.dryRun === true,
    keepRuns: number(options.keepRuns),
    keepDays: number(options.keepDays),
  };
}
