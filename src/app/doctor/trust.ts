import { findUntrustedParts, listParts, type OpenTrust, openTrust, type TrustDeps } from '../trust.ts';
import { type Finding, missing, ok, problem } from './finding.ts';

export interface TrustState {
  readonly finding: Finding;
  readonly isTrusted: boolean;
  /** Agents that the repository defines and that must not be started, not even to query their version. */
  readonly untrustedAgents: ReadonlySet<string>;
}

/** Whether the user trusts the repository to execute what its files configure. */
export async function examineTrust(deps: TrustDeps): Promise<TrustState> {
  const wanted = { configuration: true, workflows: [], allWorkflows: true, work: false, suite: null };
  const opened = await openTrust(deps, wanted);
  if (!opened.ok)
    return {
      finding: problem('trust', opened.obstacle.message, null),
      isTrusted: false,
      untrustedAgents: new Set(),
    };
  const untrusted = findUntrustedParts(opened.value);
  return {
    isTrusted: untrusted.length === 0,
    untrustedAgents: new Set(untrusted.flatMap(({ kind, name }) => (kind === 'agent' ? [name] : []))),
    finding:
      untrusted.length === 0
        ? ok('trust', explainTrust(opened.value))
        : missing(
            'trust',
            `not trusted to execute ${untrusted.length} of ${opened.value.parts.length} parts: ${listParts(untrusted)}`,
            'conductor trust shows and approves them; commands that execute them ask first',
          ),
  };
}

function explainTrust({ grantedBy, parts }: OpenTrust): string {
  if (grantedBy === 'environment') return 'trusted, because CONDUCTOR_TRUST is 1';
  if (grantedBy === 'configuration') return 'trusted, because of `trusted` in your configuration';
  return parts.length === 0
    ? 'nothing in the repository executes by itself'
    : 'trusted with everything that it executes';
}
