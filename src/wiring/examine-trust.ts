import type { Finding } from '../app/services.ts';
import { openTrust, type TrustPlace } from './trust.ts';

export interface TrustState {
  readonly finding: Finding;
  readonly isTrusted: boolean;
  /** Agents that the repository defines and that must not be started, not even to query their version. */
  readonly untrustedAgents: ReadonlySet<string>;
}

/** Whether the user trusts the repository to execute what its files configure. */
export async function examineTrust(place: TrustPlace): Promise<TrustState> {
  const wanted = { configuration: true, workflows: [], allWorkflows: true, work: false, suite: null };
  const opened = await openTrust(place, wanted);
  if (!opened.ok) return { finding: finding('problem', opened.obstacle.message, null), ...UNTRUSTED };
  const { parts, grantedBy } = opened.value;
  const missing = grantedBy === null ? parts.filter(({ state }) => state !== 'trusted') : [];
  const untrustedAgents = new Set(missing.flatMap(({ kind, name }) => (kind === 'agent' ? [name] : [])));
  return {
    isTrusted: missing.length === 0,
    untrustedAgents,
    finding:
      missing.length === 0
        ? finding('ok', explainTrust(grantedBy, parts.length), null)
        : finding(
            'missing',
            `not trusted to execute ${missing.length} of ${parts.length} parts: ${missing.map(({ kind, name }) => (kind === name ? kind : `${kind} ${name}`)).join(', ')}`,
            'conductor trust shows them and says yes; commands that execute ask first',
          ),
  };
}

const UNTRUSTED = { isTrusted: false, untrustedAgents: new Set<string>() };

function explainTrust(grantedBy: 'environment' | 'configuration' | null, parts: number): string {
  if (grantedBy === 'environment') return 'trusted, because CONDUCTOR_TRUST is 1';
  if (grantedBy === 'configuration') return 'trusted, because of `trusted` in your configuration';
  return parts === 0 ? 'nothing in the repository executes by itself' : 'trusted with all that it executes';
}

function finding(state: Finding['state'], detail: string, help: string | null): Finding {
  return { name: 'trust', state, detail, help };
}
