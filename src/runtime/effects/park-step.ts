import { LONGEST_STAY_MS } from '../../agents/next-move.ts';
import type { AgentStep } from '../../kernel/plan.ts';
import type { KernelInput } from '../../kernel/protocol.ts';
import { maskSecrets } from '../../policy/secrets.ts';
import type { CredentialWait } from '../../ports/credential-waits.ts';
import type { Evidence } from '../evidence.ts';
import { type AgentCare, type EffectResult, Interrupted, type RunContext } from '../run-context.ts';

/**
 * Parks a step before its agent is started, where another run has found out that its account is spent. A wait that is
 * nearly over is sat out. Null when the agent may start.
 */
export async function parkedBefore(
  { deps, signal }: RunContext,
  step: AgentStep,
  { credential }: AgentCare,
  evidence: Evidence,
): Promise<EffectResult | null> {
  const wait = credential === null ? null : ((await deps.waits?.find(credential)) ?? null);
  if (wait === null) return null;
  const leftMs = Date.parse(wait.until) - deps.clock.now().getTime();
  if (leftMs <= 0) return null;
  if (leftMs <= LONGEST_STAY_MS && leftMs < step.timeoutMs) {
    await deps.clock.sleep(leftMs, signal);
    if (signal.aborted) throw new Interrupted();
    return null;
  }
  return {
    records: await evidence.close('error', `not started: ${wait.reason}`),
    input: parkedUntil(wait),
  };
}

/** Tells all other runs on the same credential. */
export async function tellOthers(
  { deps }: RunContext,
  { credential }: AgentCare,
  wait: CredentialWait,
): Promise<void> {
  if (credential === null) return;
  const reason = maskSecrets(wait.reason, deps.project.secrets ?? []);
  await deps.waits?.put(credential, { ...wait, reason });
}

export function parkedUntil({ until, reason }: CredentialWait): KernelInput {
  return { kind: 'parked', until, reason };
}
