import type { SetupResult } from '../../../ports/workspace/setup.ts';
import type { JudgeCheckout, Snapshot } from '../../../ports/workspace/workspace.ts';
import { Interrupted, type RunContext } from '../../run-context.ts';
import { confineSetup, setupPlaces, setupStateDir, stepEnvironment } from '../checkout-setup.ts';

export interface JudgeRequest {
  readonly snapshot: Snapshot;
  /** Paths that are restored to the base. */
  readonly asAtBase: (path: string) => boolean;
  /** Absolute; for the output of setup. */
  readonly evidenceDir: string;
  readonly mark: string;
  readonly policies: readonly string[];
  readonly onLine: (line: string) => void;
}

export interface PreparedJudge extends JudgeCheckout {
  /** The tree of the snapshot. */
  readonly tree: string;
  /** Null if `setup` is not configured. */
  readonly setup: SetupResult | null;
  /** Files of `setup.cache.key` that differ from the base. */
  readonly changedKeys: readonly string[];
}

/** Updates the judge checkout to a snapshot and restores everything that setup owns. */
export async function prepareJudge(context: RunContext, entry: JudgeRequest): Promise<PreparedJudge> {
  const { deps, workspace } = context;
  const { snapshot, asAtBase } = entry;
  const judge = await deps.workspace.openJudge(workspace, { snapshot, asAtBase });
  if (deps.setup === undefined) return { ...judge, tree: snapshot.tree, setup: null, changedKeys: [] };
  const keyFiles = await deps.setup.keyFiles(judge.path);
  const touched = new Set(judge.changes.map(({ path }) => path));
  const restored = new Set(judge.restored);
  const changedKeys = [...keyFiles.keys()].filter((path) => touched.has(path) && !restored.has(path));
  const isChanged = judge.changes.length > judge.restored.length;
  const setup = await deps.setup.restore({
    checkout: judge.path,
    otherCheckouts: setupPlaces(context, workspace.checkoutPath),
    stateDir: setupStateDir(context),
    isChanged,
    evidenceDir: entry.evidenceDir,
    // For whatever reason setup runs again, its commands may run code that an agent wrote.
    confinement: await confineSetup(context, judge.path, entry.policies, isChanged),
    env: await stepEnvironment(context, judge.path),
    mark: entry.mark,
    signal: context.signal,
    onLine: entry.onLine,
  });
  if (!setup.ok && setup.cancelled) throw new Interrupted();
  return { ...judge, tree: snapshot.tree, setup, changedKeys };
}
