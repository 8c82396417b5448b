import * as z from 'zod';
import { ledgerEntrySchema } from '../../contracts/planner/claim-ledger.ts';
import { blockerSchema } from '../../contracts/planner/planner-decision.ts';
import { stepFolderOf } from '../../contracts/run/run-files.ts';
import { LIFECYCLE_STATES, RUN_OUTCOMES } from '../../contracts/vocabulary.ts';
import { NOTE_KINDS } from '../../policy/content/content-note.ts';
import { DECIDING_KINDS } from '../../policy/files/deciding-files.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { parseJson } from '../../text/json.ts';
import type { StepKey } from '../evidence/evidence.ts';

/** Where an answer leads: the next step, and the outcome if the run ends there. */
const consequenceSchema = z.looseObject({
  step_id: z.string(),
  opcode: z.string(),
  ends: z
    .looseObject({
      lifecycle_state: z.enum(LIFECYCLE_STATES),
      outcome: z.enum(RUN_OUTCOMES),
      reason: z.string().nullable(),
    })
    .nullable(),
});
export type Consequence = z.infer<typeof consequenceSchema>;

const evidenceItemSchema = z.looseObject({
  step_id: z.string(),
  attempt: z.int().optional(),
  role: z.string(),
  path: z.string(),
  sha256: z.string(),
  important: z.boolean().optional(),
});
export type EvidenceItem = z.infer<typeof evidenceItemSchema>;

const changedFile = {
  path: z.string(),
  old_path: z.string().nullable(),
  status: z.string(),
  insertions: z.number().nullable(),
  deletions: z.number().nullable(),
};

const judgementSchema = z.looseObject({
  step_id: z.string().optional(),
  status: z.string(),
  reason: z.string().nullable(),
  risk_flags: z.array(z.string()),
  blocker_codes: z.array(z.string()),
  blockers: z.array(blockerSchema).optional(),
});

/**
 * Everything that a reviewer needs for a decision. Loose, with optional fields, because an earlier version may have
 * opened the gate and written less.
 */
const gateRequestSchema = z.looseObject({
  run_id: z.string(),
  workflow_id: z.string().optional(),
  step_id: z.string(),
  gate: z.string(),
  reason: z.string(),
  approvers: z.array(z.string()),
  expires_at: z.string().nullable().optional(),
  consequences: z
    .looseObject({
      approve: consequenceSchema,
      reject: consequenceSchema,
      timeout: consequenceSchema.nullable(),
    })
    .optional(),
  judgement: judgementSchema.nullable(),
  claims: z.array(ledgerEntrySchema).optional(),
  proposed_goldens: z.array(z.unknown()).optional(),
  proposed_goldens_left_out: z.int().optional(),
  violations: z
    .array(z.looseObject({ class: z.string(), subject: z.string(), message: z.string() }))
    .optional(),
  /** Changed paths of `approval_paths` that no user has approved yet; earlier versions did not record it. */
  approvals: z.array(z.object({ path: z.string(), glob: z.string() })).optional(),
  /** What validations found out about changed tests and checks: notes, not violations. */
  findings: z.array(z.string()).optional(),
  /** What a reviewer should know about the checks; earlier versions did not record it. */
  checks: z.array(z.string()).optional(),
  /** What changed outside the workspace while steps ran; earlier versions did not record it. */
  notices: z.array(z.string()).optional(),
  /** Changed files that influence whether the work is accepted; earlier versions did not distinguish them. */
  deciding: z.array(z.object({ ...changedFile, kind: z.enum(DECIDING_KINDS) })).optional(),
  /** The results of the checks with the edits to tests and configuration, and without them. */
  verdicts: z.array(z.string()).optional(),
  /** The other changed files, by folder. */
  folders: z
    .array(z.object({ folder: z.string(), files: z.int(), insertions: z.number(), deletions: z.number() }))
    .optional(),
  /** Notes about the content of the change: stubs, skipped tests, hidden characters. */
  content: z
    .array(
      z.object({
        path: z.string(),
        line: z.int().nullable(),
        kind: z.enum(NOTE_KINDS),
        text: z.string(),
      }),
    )
    .optional(),
  /** Number of changed text files that were not inspected. */
  uninspected: z.int().optional(),
  /** The beginning of the last agent's final response. */
  final_response: z
    .object({ step_id: z.string(), lines: z.array(z.string()), more: z.int() })
    .nullable()
    .optional(),
  diff: z
    .looseObject({
      files: z.array(z.looseObject(changedFile)),
      file_count: z.int(),
      insertions: z.number(),
      deletions: z.number(),
      patch: z.string(),
    })
    .optional(),
  tree: z.string(),
  workflow_digest: z.string(),
  evidence: z.array(evidenceItemSchema),
});
export type GateRequest = z.infer<typeof gateRequestSchema>;

export const GATE_REQUEST_FILE = 'gate_request.json';

export function gateRequestPath(key: StepKey): string {
  return `${stepFolderOf(key.stepId, key.attempt)}/${GATE_REQUEST_FILE}`;
}

/** The gate's request; null if it can't be read. */
export async function readGateRequest(directory: RunDirectory, key: StepKey): Promise<GateRequest | null> {
  const text = await directory.read(gateRequestPath(key));
  const parsed = gateRequestSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success ? parsed.data : null;
}
