import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CapturedArtifact, HarnessReportCapture } from '../../ports/validator.ts';
import { type ArtifactDeclaration, isHarnessReportName } from './artifact-declaration.ts';
import { type ArtifactMatch, findArtifacts } from './artifact-search.ts';
import { stampFile } from './file-stamp.ts';
import { readHarnessReport } from './harness-report.ts';
import {
  joinedArtifact,
  joinReports,
  type PublishPlace,
  publishOnly,
  type UsableReport,
} from './published-report.ts';
import { rootOf } from './roots.ts';

/** All artifacts of one validator together. */
const CAPTURE_LIMIT_BYTES = 1024 ** 3;
/** All of its harness reports, which are in memory at once. */
const REPORTS_LIMIT_BYTES = 64 * 1024 ** 2;

export interface CaptureContext extends PublishPlace {
  readonly declarations: readonly ArtifactDeclaration[];
  /** The author said so: then any JSON artifact of the right form is a report. */
  readonly mayProposeGoldens: boolean;
  /** Possible reports that were there before the validator ran, by path without links. */
  readonly before: ReadonlyMap<string, string>;
}

export interface Capture {
  readonly artifacts: readonly CapturedArtifact[];
  readonly missing: readonly string[];
  readonly problems: readonly string[];
  readonly harnessReport: HarnessReportCapture | null;
  /** Copies of what is to be turned into a harness report. */
  readonly toConvert: readonly CapturedArtifact[];
}

const TOO_MUCH = { ok: false, why: 'is more than is read of reports: 64 MiB together' } as const;

interface Chosen {
  readonly match: ArtifactMatch;
  readonly required: boolean;
  readonly declaredReport: boolean;
  /** It came by a glob that is for reports and nothing else. */
  readonly globbedReport: boolean;
  readonly converted: boolean;
}

/** A report counts only when this run of the validator wrote it, so what is there before is remembered. */
export async function stampPossibleReports(
  context: Pick<CaptureContext, 'declarations' | 'roots' | 'mayProposeGoldens'>,
): Promise<Map<string, string>> {
  const stamps = new Map<string, string>();
  for (const declaration of context.declarations) {
    if (!mayMatchReport(declaration, context.mayProposeGoldens)) continue;
    for (const { realPath } of (await findArtifacts(declaration, context.roots)).matches) {
      const stamp = await stampFile(realPath);
      if (stamp !== null) stamps.set(realPath, stamp);
    }
  }
  return stamps;
}

export async function captureArtifacts(context: CaptureContext): Promise<Capture> {
  const problems: string[] = [];
  const missing: string[] = [];
  const chosen = await chooseMatches(context, missing, problems);
  const artifacts = await copyMatches(context, chosen, missing, problems);
  const reports: UsableReport[] = [];
  const toConvert: CapturedArtifact[] = [];
  let bytes = 0;
  for (const artifact of artifacts) {
    const choice = chosen.get(artifact.name);
    if (choice?.converted === true) {
      toConvert.push(artifact);
      await removeFromWorktree(choice.match, context);
      continue;
    }
    if (choice === undefined || !(await isReport(choice, context))) continue;
    bytes += (await stat(artifact.path)).size;
    const isTooMuch = reports.length > 0 && bytes > REPORTS_LIMIT_BYTES;
    const reading = isTooMuch ? TOO_MUCH : await readHarnessReport(artifact.path);
    if (reading.ok) reports.push({ ...reading, path: artifact.path, match: choice.match });
    const isMeant = choice.declaredReport || choice.globbedReport || isTooMuch;
    if (!reading.ok && isMeant) {
      missing.push(artifact.name);
      problems.push(`harness report \`${artifact.name}\` ${reading.why}`);
    }
    if (isMeant || reading.ok) await removeFromWorktree(choice.match, context);
  }
  const joined = reports.length > 1 ? await joinReports(reports, context) : null;
  const harnessReport = joined ?? (await publishOnly(reports, context));
  return {
    artifacts: joined === null ? artifacts : [...artifacts, joinedArtifact(joined)],
    missing,
    problems,
    harnessReport,
    toConvert,
  };
}

async function chooseMatches(
  context: CaptureContext,
  missing: string[],
  problems: string[],
): Promise<Map<string, Chosen>> {
  const chosen = new Map<string, Chosen>();
  const literalFirst = [...context.declarations].sort((a, b) => rank(a) - rank(b));
  const reportNames = new Set(literalFirst.filter((one) => one.harnessReport).map((one) => one.name));
  for (const declaration of literalFirst) {
    const { name, literal, harnessReport, converted } = declaration;
    const found = await findArtifacts(declaration, context.roots);
    problems.push(...found.problems);
    const matches = await usableMatches(declaration, found.matches, reportNames, context);
    for (const match of matches) {
      if (chosen.has(match.name)) continue;
      chosen.set(match.name, {
        match,
        required: literal,
        declaredReport: harnessReport,
        globbedReport: !literal && isHarnessReportName(name),
        converted,
      });
    }
    if ((!literal && !converted) || matches.length > 0) continue;
    missing.push(name);
    problems.push(
      found.matches.length === 0
        ? `required artifact missing: \`${name}\``
        : `${converted ? 'report' : 'harness report'} \`${name}\` was not written by this run of the validator`,
    );
  }
  return chosen;
}

/** A file goes to the declaration that asks most of it. */
function rank({ literal, converted, name }: ArtifactDeclaration): number {
  if (converted) return 0;
  if (literal) return 1;
  return isHarnessReportName(name) ? 2 : 3;
}

async function usableMatches(
  { harnessReport, converted }: ArtifactDeclaration,
  matches: readonly ArtifactMatch[],
  reportNames: ReadonlySet<string>,
  context: CaptureContext,
): Promise<readonly ArtifactMatch[]> {
  if (harnessReport) return firstFresh(matches, context);
  if (!converted) return matches.filter((match) => !reportNames.has(match.name));
  const fresh: ArtifactMatch[] = [];
  for (const match of matches) if (await isFresh(match, context)) fresh.push(match);
  return fresh;
}

async function copyMatches(
  { folder }: CaptureContext,
  chosen: ReadonlyMap<string, Chosen>,
  missing: string[],
  problems: string[],
): Promise<CapturedArtifact[]> {
  // Everything the validator started has ended: a link it planted here cannot come back after this.
  await rm(folder, { recursive: true, force: true });
  const artifacts: CapturedArtifact[] = [];
  let capturedBytes = 0;
  for (const [name, { match, required }] of chosen) {
    const path = join(folder, name);
    try {
      capturedBytes += (await stat(match.realPath)).size;
      if (capturedBytes > CAPTURE_LIMIT_BYTES)
        throw new Error('the artifacts are larger than 1 GiB together');
      await mkdir(dirname(path), { recursive: true });
      await copyFile(match.realPath, path);
      artifacts.push({ path, name, required });
    } catch (error) {
      if (required) missing.push(name);
      problems.push(`cannot capture \`${name}\`: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return artifacts;
}

async function firstFresh(
  matches: readonly ArtifactMatch[],
  context: CaptureContext,
): Promise<ArtifactMatch[]> {
  for (const match of matches) if (await isFresh(match, context)) return [match];
  return [];
}

async function isFresh({ realPath }: ArtifactMatch, context: CaptureContext): Promise<boolean> {
  const stamp = await stampFile(realPath);
  return stamp !== context.before.get(realPath) && stamp !== context.published.get(realPath);
}

/** A report that a glob caught was not declared, but its proposals must not slip through for that. */
async function isReport({ match, declaredReport }: Chosen, context: CaptureContext): Promise<boolean> {
  if (declaredReport) return true;
  const named =
    isHarnessReportName(match.name) || (context.mayProposeGoldens && match.name.endsWith('.json'));
  return named && (await isFresh(match, context));
}

function mayMatchReport(declaration: ArtifactDeclaration, anyJson: boolean): boolean {
  const { name, literal, harnessReport, converted } = declaration;
  if (converted) return true;
  if (literal) return harnessReport || anyJson;
  const ending = /\.([A-Za-z0-9]+)$/.exec(name)?.[1];
  return ending === undefined || ending === 'json';
}

/** It is evidence, not part of the change under review. */
async function removeFromWorktree(
  { name, root, realPath }: ArtifactMatch,
  context: CaptureContext,
): Promise<void> {
  if (root !== 'worktree' || rootOf(context.roots, realPath) !== 'worktree') return;
  if (context.before.has(realPath)) return;
  await rm(realPath, { force: true });
  await rm(join(context.roots.worktree, name), { force: true });
}
