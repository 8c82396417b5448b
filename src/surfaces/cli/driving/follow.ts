import { fetchRun, followRun } from '../../../app/engine/follow-run.ts';
import type { OpenProject } from '../../../app/opened.ts';
import type { Plan } from '../../../kernel/plan.ts';
import { readRecordedPlan } from '../../../runtime/record/recorded-run.ts';
import { viewRun } from '../../../runtime/record/run-view.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { withRepo } from '../output/command-text.ts';
import { createProgress } from '../output/progress.ts';
import { askAtGates } from './ask-at-gate.ts';
import { reportEnd } from './driving.ts';
import { whileWatching } from './watching.ts';

export interface FollowOptions {
  readonly wait: boolean;
  /** The plan of the run, for the progress; null if it is unknown. */
  readonly plan: Plan | null;
}

/** Follows a run that workers drive, with live progress. Ctrl-C stops following, not the run. */
export async function followDriven(
  context: CommandContext,
  project: OpenProject,
  runId: string,
  { wait, plan }: FollowOptions,
): Promise<ExitCode> {
  const known = plan ?? (await findPlan(project, runId));
  const progress = createProgress(context.terminal, () => known);
  const onGate = askAtGates(context, project, { wait });
  const end = await whileWatching((signal) =>
    followRun(project.store, { runId, wait, onGate, observer: progress, signal }),
  ).finally(progress.stop);
  if (end === null) {
    const follow = withRepo(`conductor resume ${runId}`, context.repo);
    context.terminal.err(`stopped following; the run goes on, and ${follow} follows it again\n`);
    return EXIT.interrupted;
  }
  await fetchRun(project, runId);
  return reportEnd(context, project, end);
}

async function findPlan({ store }: OpenProject, runId: string): Promise<Plan | null> {
  const read = await store.read(runId);
  const view = read.ok ? viewRun(read.run.events) : null;
  if (!read.ok || view === null) return null;
  const recorded = await readRecordedPlan(read.run.directory, view);
  return recorded.ok ? recorded.plan : null;
}
