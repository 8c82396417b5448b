import { openRunEvidence } from '../evidence/evidence.ts';
import type { EffectResult, RunContext } from '../run-context.ts';
import { confineSetup, setupPlaces, setupStateDir, stepEnvironment } from './checkout-setup.ts';
import { recordSetup } from './record-setup.ts';
import { takeBaseline } from './validation/take-baseline.ts';

/**
 * Prepares the checkouts of a run for its first step: setup, then the baseline. Called again after a crash, so it skips
 * what the log already records.
 */
export async function prepareRun(context: RunContext): Promise<EffectResult> {
  const isSetUp = context
    .events()
    .some((event) => event.event_type === 'setup_completed' && event.payload.outcome === 'completed');
  if (context.deps.setup !== undefined && !isSetUp) {
    const failure = await setUpWorkspace(context);
    if (failure !== null) return failPreparation(failure);
  }
  const failure = await takeBaseline(context);
  return failure === null ? { records: [], input: { kind: 'prepared' } } : failPreparation(failure);
}

function failPreparation(reason: string): EffectResult {
  return { records: [], input: { kind: 'preparation_failed', reason } };
}

/** Why the workspace can't be set up; null if it is. */
async function setUpWorkspace(context: RunContext): Promise<string | null> {
  const { deps, workspace, directory } = context;
  if (deps.setup === undefined) return null;
  const evidence = await openRunEvidence(
    directory,
    '_setup',
    context.events(),
    deps.clock,
    deps.project.secrets,
  );
  const result = await deps.setup.prepare({
    checkout: workspace.checkoutPath,
    otherCheckouts: setupPlaces(context, workspace.judgePath),
    stateDir: setupStateDir(context),
    isChanged: false,
    evidenceDir: evidence.path,
    confinement: await confineSetup(context, workspace.checkoutPath, [], false),
    env: await stepEnvironment(context, workspace.checkoutPath),
    mark: `${directory.runId}/_setup`,
    signal: context.signal,
    onLine: (line) => context.observer.onLine('_setup', line),
  });
  await recordSetup(context, evidence, 'work', result);
  return result.ok ? null : result.reason;
}
