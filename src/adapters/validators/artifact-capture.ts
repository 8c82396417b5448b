import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CapturedArtifact, HarnessReportCapture } from '../../ports/validator.ts';
import { boundsProblem, type JsonBounds } from '../../reports/json-bounds.ts';
import { messageOf } from '../../text/error-message.ts';
import { isJsonObject } from '../../text/json.ts';
import { type ArtifactDeclaration, isHarnessReportName } from './artifact-declaration.ts';
import { type ArtifactMatch, findArtifacts } from './artifact-search.ts';
import { stampFile } from './file-stamp.ts';
import {
  joinedArtifact,
  joinReports,
  type PublishPlace,
  publishOnly,
  type UsableReport,
} from './published-report.ts';
import { readReportText } from './report-text.ts';
import { rootOf } from './roots.ts';

/** Real reports stay far below these limits. */
const REPORT_BOUNDS: JsonBounds = { levels: 64, values: 250_000 };

type ReportReading =
  | {
      readonly ok: true;
      readonly value: Readonly<Record<string, unknown>>;
      readonly proposals: number;
    }
  | { readonly ok: false; readonly why: string };

/** Checks only the structure; the planner evaluates the content. */
async function readHarnessReport(path: string): Promise<ReportReading> {
  const read = await readReportText(path);
  return read.ok ? parseHarnessReport(read.text) : read;
}

export function parseHarnessReport(text: string): ReportReading {
  const problem = boundsProblem(text, REPORT_BOUNDS);
  if (problem !== null) return { ok: false, why: problem };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, why: 'is not JSON' };
  }
  if (!isJsonObject(value)) return { ok: false, why: 'is not a JSON object' };
  for (const key of ['suite_id', 'cases', 'summary']) {
    if (!Object.hasOwn(value, key)) return { ok: false, why: `has no \`${key}\`` };
  }
  if (!Array.isArray(value.cases)) return { ok: false, why: 'has `cases` that is not a list' };
  if (!isJsonObject(value.summary)) return { ok: false, why: 'has `summary` that is not an object' };
  return { ok: true, value, proposals: countProposals(value.proposed_goldens) };
}

/** Anything but an empty value counts as a proposal, so that a user reviews it before it passes. */
function countProposals(proposed: unknown): number {
  if (Array.isArray(proposed)) return proposed.length;
  if (isJsonObject(proposed)) return Object.keys(proposed).length;
  return proposed === undefined || proposed === null || proposed === '' || proposed === false ? 0 : 1;
}

/** Limit for all artifacts of one validator together. */
const CAPTURE_LIMIT_BYTES = 1024 ** 3;
/** Limit for all of its harness reports, which are in memory at once. */
const REPORTS_LIMIT_BYTES = 64 * 1024 ** 2;

export interface CaptureContext extends PublishPlace {
  readonly declarations: readonly ArtifactDeclaration[];
  /** If the author has allowed it, any JSON artifact with the structure of a report is one. */
  readonly mayProposeGoldens: boolean;
  /** Stamps of possible reports that existed before the validator ran, by real path. */
  readonly before: ReadonlyMap<string, string>;
}

export interface Capture {
  readonly artifacts: readonly CapturedArtifact[];
  readonly missing: readonly string[];
  readonly problems: readonly string[];
  readonly harnessReport: HarnessReportCapture | null;
  /** Copies of the files to convert into a harness report. */
  readonly toConvert: readonly CapturedArtifact[];
}

const TOO_LARGE = { ok: false, why: 'is more than is read of reports: 64 MiB together' } as const;

interface Chosen {
  readonly match: ArtifactMatch;
  readonly required: boolean;
  readonly declaredReport: boolean;
  /** Found by a glob that matches only reports. */
  readonly globbedReport: boolean;
  readonly converted: boolean;
}

/**
 * Stamps the possible reports before the validator runs: a report counts only if this run of the validator
 * wrote it.
 */
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
      await removeFromCheckout(choice.match, context);
      continue;
    }
    if (choice === undefined || !(await isReport(choice, context))) continue;
    bytes += (await stat(artifact.path)).size;
    const isTooLarge = reports.length > 0 && bytes > REPORTS_LIMIT_BYTES;
    const reading = isTooLarge ? TOO_LARGE : await readHarnessReport(artifact.path);
    if (reading.ok) reports.push({ ...reading, path: artifact.path, match: choice.match });
    const isIntended = choice.declaredReport || choice.globbedReport || isTooLarge;
    if (!reading.ok && isIntended) {
      missing.push(artifact.name);
      problems.push(`harness report \`${artifact.name}\` ${reading.why}`);
    }
    if (isIntended || reading.ok) await removeFromCheckout(choice.match, context);
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

/** A file belongs to the declaration with the strictest requirements. */
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
  // All processes of the validator have ended, so it can't plant a link in this folder any more.
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
      problems.push(`cannot capture \`${name}\`: ${messageOf(error)}`);
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

/**
 * A report found by a glob is not declared, but its golden proposals must not bypass review because of that.
 */
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

/** A report is evidence, not part of the change under review. */
async function removeFromCheckout(
  { name, root, realPath }: ArtifactMatch,
  context: CaptureContext,
): Promise<void> {
  if (root !== 'checkout' || rootOf(context.roots, realPath) !== 'checkout') return;
  if (context.before.has(realPath)) return;
  await rm(realPath, { force: true });
  await rm(join(context.roots.checkout, name), { force: true });
}
