import { type GoldenProposal, goldenProposalSchema } from '../../contracts/run/golden-proposal.ts';

/** The valid proposals of a request; skips entries in the format of earlier versions. */
export function proposalsIn({
  proposed_goldens,
}: {
  readonly proposed_goldens?: readonly unknown[] | undefined;
}): readonly GoldenProposal[] {
  return (proposed_goldens ?? []).flatMap((entry) => goldenProposalSchema.safeParse(entry).data ?? []);
}

/** Describes in one line what a proposal would do. */
export function proposalTitle(proposal: GoldenProposal): string {
  const { golden_path, id, kind, validator } = proposal;
  const name = golden_path ?? id ?? 'a golden without a name';
  return `${name}${kind === null ? '' : ` (${kind})`} by ${validator}: ${effectOf(proposal)}`;
}

function effectOf({ acceptable, why, golden, proposed, insertions, deletions }: GoldenProposal): string {
  if (!acceptable || proposed === null) return `can't be accepted, ${why ?? 'its bytes are missing'}`;
  const size = sizeText(golden, proposed.bytes);
  if (golden.sha256 === proposed.sha256) return `${size}, the same`;
  return insertions === null ? size : `${size}, +${insertions} -${deletions ?? 0}`;
}

function sizeText({ exists, bytes }: GoldenProposal['golden'], proposed: number): string {
  if (exists === null) return `${proposed} bytes`;
  return exists ? `${bytes ?? '?'} -> ${proposed} bytes` : `new, ${proposed} bytes`;
}

/** Further details of a proposal, besides the difference itself. */
export function proposalDetails({ proposed, diff, pixels }: GoldenProposal): string[] {
  return [
    ...(pixels === null ? [] : [`${pixels} ${pixels === 1 ? 'pixel differs' : 'pixels differ'}`]),
    ...(proposed === null ? [] : [`proposed: ${proposed.path}`]),
    ...(diff === null ? [] : [`difference by the harness: ${diff.path}`]),
  ];
}
