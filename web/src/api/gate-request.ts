/**
 * What the page reads of `gate_request.json`. Earlier versions wrote less, so everything that was added later is optional.
 */
export interface GateRequestView {
  readonly reason: string;
  readonly consequences?: {
    readonly approve: ConsequenceView;
    readonly reject: ConsequenceView;
    readonly timeout: ConsequenceView | null;
  };
  readonly judgement: {
    readonly step_id?: string;
    readonly status: string;
    readonly reason: string | null;
    readonly risk_flags: readonly string[];
    readonly blockers?: readonly {
      readonly code: string;
      readonly severity: string;
      readonly summary: string;
    }[];
  } | null;
  readonly claims?: readonly {
    readonly claim: string;
    readonly holds: boolean | null;
    readonly evidence: string;
  }[];
  readonly proposed_goldens?: readonly unknown[];
  readonly violations?: readonly { readonly class: string; readonly message: string }[];
  readonly approvals?: readonly { readonly path: string; readonly glob: string }[];
  readonly findings?: readonly string[];
  readonly checks?: readonly string[];
  readonly notices?: readonly string[];
  readonly deciding?: readonly (FileView & { readonly kind: string })[];
  readonly verdicts?: readonly string[];
  readonly content?: readonly {
    readonly path: string;
    readonly line: number | null;
    readonly kind: string;
    readonly text: string;
  }[];
  readonly final_response?: {
    readonly step_id: string;
    readonly lines: readonly string[];
    readonly more: number;
  } | null;
  readonly diff?: {
    readonly files: readonly FileView[];
    readonly file_count: number;
    readonly insertions: number;
    readonly deletions: number;
  };
}

export interface FileView {
  readonly path: string;
  readonly status: string;
  readonly insertions: number | null;
  readonly deletions: number | null;
}

export interface ConsequenceView {
  readonly step_id: string;
  readonly opcode: string;
  readonly ends: { readonly outcome: string; readonly reason: string | null } | null;
}
