import * as z from 'zod';

const fileSchema = z.looseObject({ path: z.string(), sha256: z.string(), bytes: z.number() });

/** A proposed golden as a gate shows it. Paths of files are relative to the run directory. */
const goldenProposalSchema = z.looseObject({
  id: z.string().nullable(),
  golden_path: z.string().nullable(),
  kind: z.string().nullable(),
  /** The validator by the key that tells it from namesakes, and the entry whose report proposed it. */
  validator: z.string(),
  step_id: z.string(),
  attempt: z.int(),
  /** The bytes as they were captured; an approval accepts these and no others. */
  proposed: fileSchema.nullable(),
  /** What the harness itself shows of the difference. */
  diff: fileSchema.nullable(),
  golden: z.looseObject({
    exists: z.boolean(),
    sha256: z.string().nullable(),
    bytes: z.number().nullable(),
  }),
  acceptable: z.boolean(),
  why: z.string().nullable(),
  /** Pixels that differ, where the report tells. */
  pixels: z.number().nullable(),
  insertions: z.number().nullable(),
  deletions: z.number().nullable(),
  /** The beginning of the difference between the golden and the proposal; null where it is no text. */
  difference: z.string().nullable(),
});
export type GoldenProposal = z.infer<typeof goldenProposalSchema>;

/** The proposals of a request; one that an earlier version wrote holds them in another form. */
export function proposalsIn({
  proposed_goldens,
}: {
  readonly proposed_goldens?: readonly unknown[] | undefined;
}): readonly GoldenProposal[] {
  return (proposed_goldens ?? []).flatMap((entry) => goldenProposalSchema.safeParse(entry).data ?? []);
}

/** One line that says what a proposal would do. */
export function proposalTitle(proposal: GoldenProposal): string {
  const { golden_path, id, kind, validator } = proposal;
  const name = golden_path ?? id ?? 'a golden without a name';
  return `${name}${kind === null ? '' : ` (${kind})`} by ${validator}: ${effectOf(proposal)}`;
}

function effectOf({ acceptable, why, golden, proposed, insertions, deletions }: GoldenProposal): string {
  if (!acceptable || proposed === null) return `can't be accepted, ${why ?? 'its bytes are missing'}`;
  const size = golden.exists
    ? `${golden.bytes ?? '?'} -> ${proposed.bytes} bytes`
    : `new, ${proposed.bytes} bytes`;
  if (golden.sha256 === proposed.sha256) return `${size}, the same`;
  return insertions === null ? size : `${size}, +${insertions} -${deletions ?? 0}`;
}

/** Where to look, besides the difference itself. */
export function proposalDetails({ proposed, diff, pixels }: GoldenProposal): string[] {
  return [
    ...(pixels === null ? [] : [`${pixels} ${pixels === 1 ? 'pixel differs' : 'pixels differ'}`]),
    ...(proposed === null ? [] : [`proposed: ${proposed.path}`]),
    ...(diff === null ? [] : [`difference by the harness: ${diff.path}`]),
  ];
}
