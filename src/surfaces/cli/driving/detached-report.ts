import type { OpenProject } from '../../../app/opened.ts';
import { shortIdsIn } from '../../../app/runs/resolve-run.ts';
import { runDocument } from '../../../app/runs/run-document.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRunByRef } from '../open.ts';
import { withRepo } from '../output/command-text.ts';
import type { Detached } from './detach.ts';
import { DETACHED_LOG } from './detached-terminal.ts';

/** The common options of this command, to pass on to the detached process. */
export function commonFlags({ json, repo }: CommandContext): string[] {
  return [...(json ? ['--json'] : []), ...(repo === null ? [] : ['--repo', repo])];
}

/** Prints the run id first, as `run` does without `--detach`. */
export async function reportDetached(
  context: CommandContext,
  project: OpenProject,
  { runId, pid }: Extract<Detached, { ok: true }>,
): Promise<ExitCode> {
  const { record, view } = await openRunByRef(project, runId);
  const { out, err } = context.terminal;
  const log = record.directory.resolve(DETACHED_LOG);
  if (context.json) {
    err(`${runId}\n`);
    printJson(context, {
      ...runDocument(view, record.directory.path, []),
      detached: true,
      driver_pid: pid,
      log,
    });
    return EXIT.success;
  }
  out(`${runId}\n`);
  const follow = withRepo(`conductor status ${(await shortIdsIn(project))(runId)} --watch`, context.repo);
  err(`process ${pid} continues the run; follow it with ${follow}\n  log: ${log}\n`);
  return EXIT.success;
}
