import { explainOverlongParking, LONGEST_STAY_MS, type Parking } from '../../../agents/next-move.ts';
import type { RunEvent } from '../../../contracts/run/event.ts';
import type { AgentStep } from '../../../kernel/plan.ts';
import type { KernelInput } from '../../../kernel/protocol.ts';
import { maskSecrets } from '../../../policy/secrets/secrets.ts';
import type { CredentialWait } from '../../../ports/shared-stores.ts';
import type { Evidence } from '../../evidence/evidence.ts';
import { type AgentSettings, type EffectResult, Interrupted, type RunContext } from '../../run-context.ts';
import { endUnstarted } from '../unstarted-step.ts';

/** Default for records of versions that did not record a limit. */
const PARK_LIMIT_MS = 12 * 3_600_000;

/**
 * How often and how long the current visit of a step has been parked, according to the log. Only planned times count: a
 * run that is resumed late was not parked longer.
 */
export function countParking(context: Pick<RunContext, 'events' | 'view'>, stepId: string): Parking {
  let count = 0;
  let spentMs = 0;
  for (const event of context.events()) {
    if (event.step_id !== stepId) continue;
    if (startsVisit(event)) {
      count = 0;
      spentMs = 0;
    }
    if (event.event_type !== 'step_waiting' || event.payload.until === undefined) continue;
    count += 1;
    spentMs += Math.max(0, Date.parse(event.payload.until) - Date.parse(event.timestamp));
  }
  return { count, spentMs, limitMs: context.view().started.defaults.park_ms ?? PARK_LIMIT_MS };
}

function startsVisit(event: RunEvent): boolean {
  return event.event_type === 'step_started' && !event.payload.recovery;
}

/**
 * Parks a step before its agent starts, if another run has found the account's limit exhausted. If the wait is nearly
 * over, sleeps instead. Null if the agent may start.
 */
export async function parkBeforeStart(
  context: RunContext,
  step: AgentStep,
  { credential }: AgentSettings,
  evidence: Evidence,
): Promise<EffectResult | null> {
  const { deps, signal } = context;
  const wait = credential === null ? null : ((await deps.waits?.find(credential)) ?? null);
  if (wait === null) return null;
  const leftMs = Date.parse(wait.until) - deps.clock.now().getTime();
  if (leftMs <= 0) return null;
  if (leftMs <= LONGEST_STAY_MS && leftMs < step.timeoutMs) {
    await deps.clock.sleep(leftMs, signal);
    if (signal.aborted) throw new Interrupted();
    return null;
  }
  const overlong = explainOverlongParking(wait.until, leftMs, countParking(context, step.id));
  if (overlong !== null) return endUnstarted(evidence, 'error', `${wait.reason}; ${overlong}`);
  return {
    records: await evidence.close('error', `not started: ${wait.reason}`),
    input: parkedUntil(wait),
  };
}

/** Shares the wait with all other runs that use the same credential. */
export async function shareWait(
  { deps }: RunContext,
  { credential }: AgentSettings,
  wait: CredentialWait,
): Promise<void> {
  if (credential === null) return;
  const reason = maskSecrets(wait.reason, deps.project.secrets ?? []);
  await deps.waits?.put(credential, { ...wait, reason });
}

export function parkedUntil({ until, reason }: CredentialWait): KernelInput {
  return { kind: 'parked', until, reason };
}
