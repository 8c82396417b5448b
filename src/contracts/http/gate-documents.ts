import * as z from 'zod';
import { lineCommentSchema } from '../run/typed-feedback.ts';
import type { StepPage } from './evidence-page.ts';

export const MAX_COMMENT_LENGTH = 16_384;
const MAX_LINE_COMMENTS = 500;

/** Body of `POST /runs/:run/gate`. */
export const gateAnswerRequestSchema = z.strictObject({
  answer: z.enum(['approve', 'reject']),
  comment: z.string().max(MAX_COMMENT_LENGTH).nullable().default(null),
  /** `request_sha256` of the gate document that the page showed. */
  shown: z.string().regex(/^[0-9a-f]{64}$/),
  lines: z
    .array(
      lineCommentSchema.extend({
        path: z.string().min(1).max(4_096),
        text: z.string().min(1).max(MAX_COMMENT_LENGTH),
      }),
    )
    .max(MAX_LINE_COMMENTS)
    .default([]),
  /** By `golden_id`. An approval accepts all goldens that the gate shows; one refused golden rejects the gate. */
  goldens: z
    .array(z.strictObject({ id: z.string().max(4_096), decision: z.enum(['accept', 'refuse']) }))
    .default([]),
});
export type GateAnswerRequest = z.infer<typeof gateAnswerRequestSchema>;

/** Answer to `GET /runs/:run/gate`: everything for the decision. */
export interface GateDocument {
  readonly run_id: string;
  readonly title: string | null;
  readonly workflow_id: string;
  readonly step_id: string;
  readonly attempt: number;
  readonly gate: string;
  /** The text of the gate, as `conductor show` has it. */
  readonly reason: string;
  readonly text: readonly string[];
  /** `gate_request.json`; null if it can't be read. */
  readonly request: Readonly<Record<string, unknown>> | null;
  readonly request_sha256: string;
  readonly tree: string;
  readonly consequences: unknown;
  /** The results of the last validation before the gate; null if there was none. */
  readonly checks: StepPage['checks'];
  readonly requested_at: string;
  readonly expires_at: string | null;
  readonly is_expired: boolean;
  readonly approvers: readonly string[];
  /** The answer that no process has acted on yet; null while the gate is open. */
  readonly answer: {
    readonly answer: string;
    readonly by: string | null;
    readonly comment: string | null;
    readonly answered_at: string;
  } | null;
}

/** Answer to `POST /runs/:run/gate`. */
export interface AnsweredDocument {
  readonly run_id: string;
  readonly step_id: string;
  readonly answer: 'gate_approved' | 'gate_rejected';
  readonly by: string;
}
