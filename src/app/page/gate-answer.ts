import type { GateAnswerRequest } from '../../contracts/http/gate-documents.ts';
import type { GoldenProposal } from '../../contracts/run/golden-proposal.ts';
import type { TypedFeedback } from '../../contracts/run/typed-feedback.ts';

export type PreparedAnswer =
  | {
      readonly ok: true;
      readonly answer: 'gate_approved' | 'gate_rejected';
      readonly comment: string | null;
      readonly typed: TypedFeedback;
    }
  | { readonly ok: false; readonly message: string; readonly help: string };

/** A golden that a gate shows. */
export interface ShownGolden {
  /** `golden_id` of the page. */
  readonly id: string;
  readonly proposal: Pick<GoldenProposal, 'id' | 'golden_path' | 'acceptable'>;
}

/**
 * Turns decisions on single goldens into one answer. An approval accepts every golden that the gate showed, so it
 * needs a yes to each; a single no rejects the gate, and names the refused goldens to the next step.
 */
export function prepareAnswer(
  { answer, comment, lines, goldens }: GateAnswerRequest,
  shown: readonly ShownGolden[],
): PreparedAnswer {
  const byId = new Map(shown.map(({ id, proposal }) => [id, proposal]));
  const decided = new Map(goldens.map(({ id, decision }) => [id, decision]));
  const unknown = goldens.find(({ id }) => !byId.has(id));
  if (unknown !== undefined || decided.size !== goldens.length)
    return {
      ok: false,
      message:
        unknown === undefined ? 'a golden was decided twice' : `the gate shows no golden ${unknown.id}`,
      help: 'look at what the gate shows now, and answer again',
    };
  const refused = [...byId].filter(([id]) => decided.get(id) === 'refuse').map(([, proposal]) => proposal);
  const open = [...byId].filter(([id, { acceptable }]) => acceptable && !decided.has(id));
  if (answer === 'approve' && refused.length === 0 && open.length > 0)
    return {
      ok: false,
      message: `an approval accepts ${byId.size === 1 ? 'the golden' : `all ${byId.size} goldens`}, but not each was accepted`,
      help: `accept or refuse: ${open.map(([id]) => id).join(', ')}`,
    };
  return {
    ok: true,
    answer: answer === 'approve' && refused.length === 0 ? 'gate_approved' : 'gate_rejected',
    comment,
    typed: {
      ...(lines.length === 0 ? {} : { lines }),
      ...(refused.length === 0
        ? {}
        : { refused_goldens: refused.map(({ id, golden_path }) => ({ id, golden_path })) }),
    },
  };
}
