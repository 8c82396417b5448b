import { isExpectedFailure } from '../../../contracts/expected-failure.ts';
import type { EventDraft } from '../../../contracts/run/event.ts';
import { stepFolderOf } from '../../../contracts/run/run-files.ts';
import type { Effect } from '../../../kernel/protocol.ts';
import type { NewFile, Snapshot } from '../../../ports/workspace/workspace.ts';
import { extendManifest } from '../../evidence/evidence.ts';
import { ApprovalVoid } from '../../gates/approval.ts';
import { type GateRequest, gateRequestPath, readGateRequest } from '../../gates/gate-request.ts';
import { GOLDEN_ACCEPTANCE_ROLE } from '../../goldens/accepted-goldens.ts';
import { proposalsIn } from '../../goldens/golden-proposal.ts';
import { acceptedFiles } from '../../goldens/propose-goldens.ts';
import { toJson } from '../../json.ts';
import { type EffectResult, markOf, type RunContext } from '../../run-context.ts';

type AcceptEffect = Extract<Effect, { kind: 'accept_goldens' }>;

interface Accepted {
  readonly before: string;
  readonly after: string;
  readonly records: readonly EventDraft[];
}

/**
 * Writes the approved bytes into the checkout, as a separate change. The snapshot before it is recorded first: after a
 * crash, a resumed run restores it and starts over.
 */
export async function acceptGoldens(context: RunContext, effect: AcceptEffect): Promise<EffectResult> {
  const request = await approvedRequest(context, effect);
  const files = acceptedFiles(context, proposalsIn(request));
  await expectBytes(context, effect, files);
  const written = files.length === 0 ? null : await putIntoCheckout(context, effect, files);
  if (written instanceof Error) return failAcceptance(context, effect, written, false);
  const records = await recordAcceptance(context, effect, request, written);
  return {
    records: [...(written?.records ?? []), ...records],
    input: {
      kind: 'goldens_accepted',
      changed: written !== null && written.before !== written.after,
      tree: written?.after ?? null,
    },
  };
}

/** The approved request, if it still matches the digest in its event. */
async function approvedRequest(context: RunContext, effect: AcceptEffect): Promise<GateRequest> {
  const { directory } = context;
  const path = gateRequestPath(effect);
  const asked = context
    .events()
    .findLast((event) => event.event_type === 'gate_requested' && event.step_id === effect.stepId);
  const bound = asked?.event_type === 'gate_requested' ? asked.payload.request_sha256 : undefined;
  const found = await directory.digest(directory.resolve(path)).catch(() => null);
  const request = found !== null && found.sha256 === bound ? await readGateRequest(directory, effect) : null;
  if (request === null) throw createVoid(effect, path);
  return request;
}

async function expectBytes(
  { directory }: RunContext,
  effect: AcceptEffect,
  files: readonly NewFile[],
): Promise<void> {
  for (const { path, source, sha256 } of files) {
    const found = await directory.digest(source).catch(() => null);
    if (found?.sha256 !== sha256) throw createVoid(effect, `what was proposed for ${path}`);
  }
}

function createVoid({ stepId }: AcceptEffect, what: string): ApprovalVoid {
  return new ApprovalVoid(
    `the approval of gate ${stepId} is void: ${what} changed since the gate was opened, and no golden is accepted`,
  );
}

/** Returns the failure, after restoring the files if possible. */
async function putIntoCheckout(
  context: RunContext,
  effect: AcceptEffect,
  files: readonly NewFile[],
): Promise<Accepted | Error> {
  const { deps, workspace } = context;
  const name = `${effect.stepId}@${effect.attempt}`;
  const before = await beginAcceptance(context, effect, name);
  try {
    const overlay = await deps.workspace.overlay(workspace, before.commit, `${name}.goldens`, files);
    if (overlay.tree === before.tree) return { before: before.tree, after: before.tree, records: [] };
    const target = { kind: 'snapshot', commit: overlay.commit } as const;
    const { salvageRef, before: kept } = await deps.workspace.restore(workspace, target, name);
    const record = salvageRecord(effect.stepId, salvageRef, kept.commit, 'goldens');
    return { before: before.tree, after: overlay.tree, records: [record] };
  } catch (error) {
    if (!isExpectedFailure(error)) throw error;
    await deps.workspace.restore(workspace, { kind: 'snapshot', commit: before.commit }, name);
    return error;
  }
}

/** A snapshot of the current files, or of those before an attempt that was killed. */
async function beginAcceptance(context: RunContext, effect: AcceptEffect, name: string): Promise<Snapshot> {
  const { deps, directory, workspace } = context;
  if (effect.restoreTo !== null) {
    const target = { kind: 'snapshot', commit: effect.restoreTo } as const;
    const { salvageRef, before, after } = await deps.workspace.restore(workspace, target, name);
    await context.record([salvageRecord(effect.stepId, salvageRef, before.commit, 'recovery')]);
    return after;
  }
  const snapshot = await deps.workspace.snapshot(workspace, `${name}.accept`);
  const { stepId, attempt } = effect;
  const mark = markOf(directory.runId, stepId, attempt);
  await context.record([
    {
      event_type: 'runner_started',
      step_id: stepId,
      payload: { family: 'goldens', name: 'goldens', attempt, mark, snapshot },
    },
  ]);
  return snapshot;
}

function salvageRecord(stepId: string, ref: string, commit: string, reason: string): EventDraft {
  return { event_type: 'salvage_recorded', step_id: stepId, payload: { ref, commit, reason } };
}

async function recordAcceptance(
  context: RunContext,
  effect: AcceptEffect,
  request: GateRequest,
  written: Accepted | null,
): Promise<readonly EventDraft[]> {
  const { deps, directory } = context;
  const proposals = proposalsIn(request).map(({ id, golden_path, validator, proposed, acceptable, why }) => ({
    id,
    golden_path,
    validator,
    accepted: acceptable,
    sha256: acceptable ? (proposed?.sha256 ?? null) : null,
    why,
  }));
  const path = `${stepFolderOf(effect.stepId, effect.attempt)}/golden_acceptance.json`;
  const digest = await directory.write(
    path,
    toJson({
      schema_version: 1,
      step_id: effect.stepId,
      attempt: effect.attempt,
      tree_before: written?.before ?? null,
      tree_after: written?.after ?? null,
      proposals,
    }),
  );
  const count = proposals.filter(({ accepted }) => accepted).length;
  return extendManifest(directory, effect, {
    events: context.events(),
    endedAt: deps.clock.now().toISOString(),
    summary: `${count} of ${proposals.length} proposed ${proposals.length === 1 ? 'golden' : 'goldens'} accepted`,
    artifact: { role: GOLDEN_ACCEPTANCE_ROLE, digest },
  });
}

/** The answer is kept, but the gate step ends with an error. */
export async function failAcceptance(
  { deps, directory, events }: RunContext,
  effect: AcceptEffect,
  failure: Error,
  changed: boolean,
): Promise<EffectResult> {
  const reason = `the goldens could not be accepted: ${failure.message}`;
  return {
    records: await extendManifest(directory, effect, {
      events: events(),
      endedAt: deps.clock.now().toISOString(),
      summary: reason,
    }),
    input: {
      kind: 'step_ended',
      outcome: 'error',
      changed,
      tree: null,
      validators: [],
      usage: null,
      reason,
      violations: [],
    },
  };
}
