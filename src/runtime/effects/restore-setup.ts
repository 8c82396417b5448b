import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { RunContext } from '../run-context.ts';
import { confineSetup, setupPlaces, setupStateDir, stepEnvironment } from './checkout-setup.ts';

/**
 * Installs again what the setup of a run had installed, in a workspace that was created anew, for example on another
 * machine. The log already records that setup; this one is not a part of the run.
 */
export async function restoreSetup(context: RunContext): Promise<void> {
  const { deps, workspace, directory, events, view, observer, signal } = context;
  const wasSetUp = events().some(
    (event) => event.event_type === 'setup_completed' && event.payload.outcome === 'completed',
  );
  if (deps.setup === undefined || !wasSetUp) return;
  const { tree } = view().state;
  const isChanged = tree !== null && tree !== view().started.base_tree;
  const result = await deps.setup.prepare({
    checkout: workspace.checkoutPath,
    otherCheckouts: setupPlaces(context, workspace.judgePath),
    stateDir: setupStateDir(context),
    isChanged,
    evidenceDir: `${setupStateDir(context)}/output`,
    confinement: await confineSetup(context, workspace.checkoutPath, [], isChanged),
    env: await stepEnvironment(context, workspace.checkoutPath),
    mark: `${directory.runId}/_setup`,
    signal,
    onLine: (line) => observer.onLine('_setup', line),
  });
  if (!result.ok) throw new ExpectedFailure(`setup failed in the recreated workspace: ${result.reason}`);
}
