import { createStepWatcher } from '../../../src/adapters/workspace/watch/step-watch.ts';
import type { HiddenChange, Notice } from '../../../src/contracts/run/workspace-change.ts';
import type { Settled, StepTraces } from '../../../src/ports/workspace/step-watch.ts';
import { placesOf, type Run } from './fixture.ts';

export interface Watched {
  readonly settled: Settled;
  readonly traces: StepTraces;
  /** The files that changed, as `A path`. */
  readonly files: readonly string[];
}

/** What a watched step shows of an act, in the order in which a run asks for it. */
export async function watchWhile(
  { repo, workspaces, run }: Run,
  act: () => Promise<unknown>,
  { sandboxed = false } = {},
): Promise<Watched> {
  const before = await workspaces.snapshot(run, 'a@1');
  const watch = await createStepWatcher(await placesOf(repo)).watch({
    workspace: run,
    stepId: 'a',
    sandboxed,
    forbids: (path) => path.endsWith('.log'),
  });
  await act();
  const settled = await watch.settle();
  const after = await workspaces.snapshot(run, 'a@1.after');
  const { files } = await workspaces.diff(run, before.tree, after.tree);
  const traces = await watch.compare(files);
  return { settled, traces, files: files.map(({ status, path }) => `${status} ${path}`) };
}

export function describeChanges(changes: readonly HiddenChange[]): string[] {
  return changes
    .map(({ subject, verb, restored }) => `${verb} ${subject}${restored ? ', restored' : ''}`)
    .sort();
}

export function describeNotices(notices: readonly Notice[]): string[] {
  return notices.map(({ kind, subject, old, new: now }) => `${kind} ${subject}: ${old} -> ${now}`);
}
