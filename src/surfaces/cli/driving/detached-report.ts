import type { OpenProject } from '../../../app/opened.ts';
import { runDocument } from '../../../app/runs/run-document.ts';
import { printJson, type VerbContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRunOf, shortIdsIn } from '../open.ts';
import { withRepo } from '../output/command-text.ts';
import type { Detached } from './detach.ts';
import { DETACHED_LOG } from './detached-terminal.ts';

/** The common options of this command, to pass on to the detached process. */
export function commonFlags({ json, repo }: VerbContext): string[] {
  return [...(json ? ['--json'] : []), ...(repo === null ? [] : ['--repo', repo])];
}

/** Prints the run id first, as `run` does without `--detach`. */
export async function reportDetached(
  context: VerbContext,
  project: OpenProject,
  { runId, pid }: Extract<Detached, { ok: true }>,
): Promise<ExitCode> {
  const { record, view } = await openRunOf(project, runId);
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
