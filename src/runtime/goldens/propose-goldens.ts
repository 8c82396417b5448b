import { isExpectedFailure } from '../../contracts/expected-failure.ts';
import { ownValue } from '../../contracts/own-value.ts';
import type { GoldenProposal } from '../../contracts/run/golden-proposal.ts';
import type { FileChange } from '../../contracts/run/workspace-change.ts';
import { maskSecrets } from '../../policy/secrets/secrets.ts';
import type { FileDigest } from '../../ports/run-store.ts';
import type { NewFile, Snapshot } from '../../ports/workspace/workspace.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { patchSections } from '../evidence/patch-sections.ts';
import type { RunContext } from '../run-context.ts';
import { pendingProposals, type ReportedProposal } from './pending-proposals.ts';

const CONTROL = new RegExp(
  `[${String.fromCharCode(0)}-${String.fromCharCode(31)}${String.fromCharCode(127)}]`,
);

type GoldenPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly why: string };

/** Checks where a golden would be written, relative to the checkout. The caller checks what git has at that path. */
export function readGoldenPath(text: string): GoldenPath {
  const refuse = (why: string): GoldenPath => ({ ok: false, why });
  if (CONTROL.test(text)) return refuse('its golden_path holds control characters');
  if (text.startsWith('/')) return refuse('its golden_path is absolute');
  const parts = text.split('/').filter((part) => part !== '.' && part !== '');
  if (parts.includes('..')) return refuse('its golden_path leaves the checkout by `..`');
  if (parts.length === 0 || text.endsWith('/')) return refuse('its golden_path names no file');
  const lower = parts.map((part) => part.toLowerCase());
  if (lower.includes('.git')) return refuse('its golden_path is in a folder of git');
  if (lower[0] === '.tnh') return refuse('its golden_path is in the folder of the conductor');
  return { ok: true, path: parts.join('/') };
}

/** Whether two paths conflict: they are equal, or one is a parent folder of the other. */
export function pathsConflict(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`) || other.startsWith(`${path}/`);
}

/** A reviewer can't inspect more than this, and inspecting each one costs git commands. */
const MAX_ACCEPTABLE = 200;
const MAX_SHOWN = 1_000;
/** Larger patches, of pictures for example, are not read: they are useless as text. */
const READABLE_PATCH_BYTES = 16 * 1024 ** 2;

export interface ShownProposals {
  readonly proposals: readonly GoldenProposal[];
  /** Number of proposals that are not listed. */
  readonly leftOut: number;
  /** What an approval would change; null if it would accept nothing. */
  readonly patch: FileDigest | null;
}

/** The pending goldens that an open gate shows, and which of them an approval can accept. */
export async function proposeGoldens(
  context: RunContext,
  evidence: Evidence,
  now: Snapshot,
  name: string,
): Promise<ShownProposals> {
  const pending = await pendingProposals(context.directory, context.view());
  const shown = pending.slice(0, MAX_SHOWN).map((proposal) => checkReported(context, proposal));
  const inspected: GoldenProposal[] = [];
  for (const [at, candidate] of shown.entries())
    inspected.push(await inspectProposal(context, now.tree, candidate, at));
  const applied = await applyAcceptable(context, now, name, refuseConflicts(inspected));
  const leftOut = pending.length - shown.length;
  if (applied.tree === null) return { proposals: applied.proposals, leftOut, patch: null };
  const patch = await recordPatch(context, evidence, now.tree, applied.tree);
  return { proposals: addDifferences(applied.proposals, patch), leftOut, patch: patch.digest };
}

type Candidate = ReportedProposal & { readonly path: string | null; readonly why: string | null };

/** Checks a proposal as far as its report allows. */
function checkReported({ deps, plan }: RunContext, proposal: ReportedProposal): Candidate {
  const refuse = (why: string): Candidate => ({ ...proposal, path: null, why });
  if (proposal.goldenPath === null) return refuse('it has no golden_path');
  const read = readGoldenPath(proposal.goldenPath);
  if (!read.ok) return refuse(read.why);
  const { path } = read;
  const step = ownValue(plan.stepsById, proposal.stepId);
  const policies = step?.opcode === 'RUN_VALIDATION' ? step.policies : [];
  const refuseAt = (why: string): Candidate => ({ ...proposal, path, why });
  if (deps.project.policy(policies).forbids?.(path) === true)
    return refuseAt('the policy forbids its golden_path');
  if (maskSecrets(path, deps.project.secrets ?? []) !== path)
    return refuseAt('its golden_path looks like a secret');
  if (!proposal.namesBytes) return refuseAt('it comes without bytes');
  return proposal.proposed === null
    ? refuseAt('its proposed file was not captured')
    : { ...proposal, path, why: null };
}

/** Refuses proposals with conflicting paths: conductor can't know which one is meant. */
function refuseConflicts(proposals: readonly GoldenProposal[]): readonly GoldenProposal[] {
  const taken = proposals.map(({ acceptable, golden_path }) => (acceptable ? golden_path : null));
  return proposals.map((proposal, at) => {
    const path = taken[at] ?? null;
    const hasConflict = taken.some(
      (other, index) => index !== at && path !== null && other !== null && pathsConflict(path, other),
    );
    return hasConflict
      ? { ...proposal, acceptable: false, why: 'another proposal is for the same golden_path' }
      : proposal;
  });
}

async function inspectProposal(
  { deps, directory, workspace }: RunContext,
  tree: string,
  candidate: Candidate,
  at: number,
): Promise<GoldenProposal> {
  const { id, kind, validator, stepId, attempt, diff, proposed, pixels, path } = candidate;
  const shown = {
    id,
    golden_path: candidate.goldenPath,
    kind,
    validator,
    step_id: stepId,
    attempt,
    proposed: fileOf(proposed),
    diff: fileOf(diff),
    golden: { exists: false, sha256: null, bytes: null },
    pixels,
    insertions: null,
    deletions: null,
    difference: null,
  };
  const refuse = (why: string): GoldenProposal => ({ ...shown, acceptable: false, why });
  if (candidate.why !== null) return refuse(candidate.why);
  if (path === null || proposed === null) return refuse('it comes without bytes');
  if (at >= MAX_ACCEPTABLE) return refuse(`one gate accepts no more than ${MAX_ACCEPTABLE}`);
  const file = { path, source: directory.resolve(proposed.path), sha256: proposed.sha256 };
  // A golden that git can't handle, a too large one for example, is refused; the gate still opens for the others.
  const place = await deps.workspace.fileInPlace(workspace, tree, file).catch((error: unknown) => {
    if (!isExpectedFailure(error)) throw error;
    return { kind: 'refused', why: error.message } as const;
  });
  if (place.kind === 'refused') return refuse(`its golden_path can't be written: ${place.why}`);
  const golden =
    place.kind === 'absent' ? shown.golden : { exists: true, sha256: place.sha256, bytes: place.bytes };
  return { ...shown, golden_path: path, golden, acceptable: true, why: null };
}

function fileOf(file: ReportedProposal['proposed']) {
  return file === null ? null : { path: file.path, sha256: file.sha256, bytes: file.bytes };
}

/** The files that an approval of these proposals writes into the checkout. */
export function acceptedFiles(
  { directory }: Pick<RunContext, 'directory'>,
  proposals: readonly GoldenProposal[],
): readonly NewFile[] {
  return proposals.flatMap(({ acceptable, golden_path, proposed }) =>
    acceptable && golden_path !== null && proposed !== null
      ? [{ path: golden_path, source: directory.resolve(proposed.path), sha256: proposed.sha256 }]
      : [],
  );
}

interface AppliedProposals {
  readonly proposals: readonly GoldenProposal[];
  /** The tree with all acceptable proposals applied; null if there are none. */
  readonly tree: string | null;
}

/** Lets git apply all acceptable proposals. If that fails, tries each one alone to find out which to refuse. */
async function applyAcceptable(
  context: RunContext,
  now: Snapshot,
  name: string,
  proposals: readonly GoldenProposal[],
): Promise<AppliedProposals> {
  const applyFiles = async (some: readonly GoldenProposal[]): Promise<string | Error> => {
    try {
      const files = acceptedFiles(context, some);
      return (await context.deps.workspace.overlay(context.workspace, now.commit, name, files)).tree;
    } catch (error) {
      if (!isExpectedFailure(error)) throw error;
      return error;
    }
  };
  if (!proposals.some(({ acceptable }) => acceptable)) return { proposals, tree: null };
  const tree = await applyFiles(proposals);
  if (typeof tree === 'string') return { proposals, tree };
  const checked: GoldenProposal[] = [];
  for (const proposal of proposals) {
    const alone = proposal.acceptable ? await applyFiles([proposal]) : '';
    checked.push(
      typeof alone === 'string' ? proposal : { ...proposal, acceptable: false, why: alone.message },
    );
  }
  const again = checked.some(({ acceptable }) => acceptable) ? await applyFiles(checked) : null;
  if (again instanceof Error) throw again;
  return { proposals: checked, tree: again };
}

interface GoldenPatch {
  readonly digest: FileDigest;
  readonly files: readonly FileChange[];
  /** The patch's section for each file; empty if the patch is too large or can't be split. */
  readonly sections: readonly string[];
}

/** Computes the difference with git, because the harness's own description of it may be wrong. */
async function recordPatch(
  { deps, directory, workspace }: RunContext,
  evidence: Evidence,
  from: string,
  to: string,
): Promise<GoldenPatch> {
  const patchPath = `${evidence.path}/goldens.patch`;
  const { files } = await deps.workspace.diff(workspace, from, to, patchPath);
  const digest = await evidence.file('golden_diff', patchPath, { important: true });
  const readable = digest.bytes <= READABLE_PATCH_BYTES;
  const sections = patchSections(readable ? ((await directory.read(digest.path)) ?? '') : '');
  return { digest, files, sections: sections.length === files.length ? sections : [] };
}

function addDifferences(
  proposals: readonly GoldenProposal[],
  { files, sections }: GoldenPatch,
): readonly GoldenProposal[] {
  return proposals.map((proposal) => {
    const at = files.findIndex(({ path }) => path === proposal.golden_path);
    const file = files[at];
    if (!proposal.acceptable || file === undefined) return proposal;
    const { insertions, deletions } = file;
    return {
      ...proposal,
      insertions,
      deletions,
      difference: insertions === null ? null : (sections[at] ?? null),
    };
  });
}
