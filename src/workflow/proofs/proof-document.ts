import type { RouteKey } from '../../contracts/vocabulary.ts';
import type { PathProof, ProofPath } from './path-proof.ts';
import type { Proofs } from './prove-workflow.ts';
import type { Excess } from './worst-case-caps.ts';

interface PathDocument {
  readonly path: readonly { readonly step_id: string; readonly key: RouteKey }[];
  readonly end: string;
}

interface PathProofDocument {
  readonly holds: boolean;
  /** The shortest counterexample; null if the property holds. */
  readonly path: PathDocument['path'] | null;
  readonly end: string | null;
  /** The shortest path that is valid only because an EVALUATE saw the evidence. */
  readonly judged: PathDocument | null;
}

/** `proofs` in the document of `validate --json`. */
export interface ProofsDocument {
  readonly holds: boolean;
  readonly validated: PathProofDocument;
  readonly goldens: PathProofDocument & { readonly proposing: readonly string[] };
  readonly loops: readonly {
    readonly steps: readonly { readonly step_id: string; readonly max_entries: number }[];
  }[];
  readonly worst_case: {
    readonly agent_runs: number;
    readonly planner_calls: number;
    readonly wall_ms: number | null;
    readonly work_ms: number;
    readonly open_gates: readonly string[];
    readonly tokens: number | null;
    readonly cost_usd: number | null;
  };
  readonly ending_statuses: readonly { readonly step_id: string; readonly status: string }[];
  readonly dead_routes: readonly { readonly step_id: string; readonly key: string }[];
  readonly exceeded: readonly {
    readonly what: Excess['what'];
    readonly cap: number;
    readonly worst_case: number | null;
    readonly message: string;
  }[];
}

export function proofsHold({ validated, goldens }: Proofs): boolean {
  return validated.holds && goldens.holds;
}

export function proofsDocument(proofs: Proofs, excesses: readonly Excess[]): ProofsDocument {
  const { goldens, worstCase: worst } = proofs;
  return {
    holds: proofsHold(proofs),
    validated: pathProofDocument(proofs.validated),
    goldens: { ...pathProofDocument(goldens), proposing: goldens.proposing },
    loops: proofs.loops.map(({ steps }) => ({
      steps: steps.map(({ stepId, maxVisits }) => ({ step_id: stepId, max_entries: maxVisits })),
    })),
    worst_case: {
      agent_runs: worst.agentRuns,
      planner_calls: worst.plannerCalls,
      wall_ms: worst.wallMs,
      work_ms: worst.workMs,
      open_gates: worst.openGates,
      tokens: worst.tokens,
      cost_usd: worst.costUsd,
    },
    ending_statuses: proofs.endingStatuses.map(({ stepId, status }) => ({ step_id: stepId, status })),
    dead_routes: proofs.deadRoutes.map(({ stepId, key }) => ({ step_id: stepId, key })),
    exceeded: excesses.map(({ what, cap, worstCase, message }) => ({
      what,
      cap,
      worst_case: worstCase,
      message,
    })),
  };
}

function pathProofDocument({ holds, broken, evaluated }: PathProof): PathProofDocument {
  return {
    holds,
    path: broken === null ? null : pathDocument(broken).path,
    end: broken?.end ?? null,
    judged: evaluated === null ? null : pathDocument(evaluated),
  };
}

function pathDocument({ path, end }: ProofPath): PathDocument {
  return { path: path.map(({ stepId, key }) => ({ step_id: stepId, key })), end };
}
