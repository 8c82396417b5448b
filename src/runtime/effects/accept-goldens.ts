import type { EventDraft } from '../../contracts/event.ts';
import { isExpectedFailure } from '../../contracts/expected-failure.ts';
import { stepFolderOf } from '../../contracts/run-files.ts';
import type { Effect } from '../../kernel/protocol.ts';
import type { NewFile, Snapshot } from '../../ports/workspace.ts';
import { GOLDEN_ACCEPTANCE_ROLE } from '../accepted-goldens.ts';
import { ApprovalVoid } from '../approval.ts';
import { extendManifest } from '../evidence.ts';
import { type GateRequest, gateRequestPath, readGateRequest } from '../gate-request.ts';
import { proposalsIn } from '../golden-proposal.ts';
import { toJson } from '../json.ts';
import { acceptedFiles } from '../propose-goldens.ts';
import { type EffectResult, markOf, type RunContext } from '../run-context.ts';

type AcceptEffect = Extract<Effect, { kind: 'accept_goldens' }>;

interface Accepted {
  readonly before: string;
  readonly after: string;
  readonly records: readonly EventDraft[];
}

/**
 * Puts the bytes that a person approved into the worktree, as a change of its own. The snapshot before it is on record
 * first: whoever takes the run up after a crash goes back there and does it again.
 */
export async function acceptGoldens(context: RunContext, effect: AcceptEffect): Promise<EffectResult> {
  const request = await approvedRequest(context, effect);
  const files = acceptedFiles(context, proposalsIn(request));
  await expectBytes(context, effect, files);
  const done = files.length === 0 ? null : await putIntoWorktree(context, effect, files);
  if (done instanceof Error) return failAcceptance(context, effect, done, false);
  const records = await recordAcceptance(context, effect, request, done);
  return {
    records: [...(done?.records ?? []), ...records],
    input: {
      kind: 'goldens_accepted',
      changed: done !== null && done.before !== done.after,
      tree: done?.after ?? null,
    },
  };
}

/** The request that was approved, as its event binds it. */
async function approvedRequest(context: RunContext, effect: AcceptEffect): Promise<GateRequest> {
  const { directory } = context;
  const path = gateRequestPath(effect);
  const asked = context
    .events()
    .findLast((event) => event.event_type === 'gate_requested' && event.step_id === effect.stepId);
  const bound = asked?.event_type === 'gate_requested' ? asked.payload.request_sha256 : undefined;
  const found = await directory.digest(directory.resolve(path)).catch(() => null);
  const request = found !== null && found.sha256 === bound ? await readGateRequest(directory, effect) : null;
  if (request === null) throw voided(effect, path);
  return request;
}

async function expectBytes(
  { directory }: RunContext,
  effect: AcceptEffect,
  files: readonly NewFile[],
): Promise<void> {
  for (const { path, source, sha256 } of files) {
    const found = await directory.digest(source).catch(() => null);
    if (found?.sha256 !== sha256) throw voided(effect, `what was proposed for ${path}`);
  }
}

function voided({ stepId }: AcceptEffect, what: string): ApprovalVoid {
  return new ApprovalVoid(
    `the approval of gate ${stepId} is void: ${what} changed since the gate was opened, and no golden is accepted`,
  );
}

/** What failed, with the files as they were before if that can be done. */
async function putIntoWorktree(
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

/** The files as they are, or as they were before an attempt that died. */
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
  done: Accepted | null,
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
      tree_before: done?.before ?? null,
      tree_after: done?.after ?? null,
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

/** The answer stands, but the gate did not come to what it was for. */
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
