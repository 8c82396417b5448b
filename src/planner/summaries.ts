import { INTENTS, type Intent } from '../contracts/vocabulary.ts';
import { collapseSpace } from '../text/outside-text.ts';
import { type Claim, formatClaim, parseClaim } from './claims/claim.ts';

/** The line-based texts in the envelope: formatters for the runtime and parsers for the planner. */

export interface AgentBlocker {
  readonly type: string;
  readonly text: string;
}

export interface TranscriptSummary {
  readonly intent: Intent | null;
  readonly claims: readonly Claim[];
  readonly blockers: readonly AgentBlocker[];
  readonly final: string | null;
}

/** Keeps each text of the agent on one line: at the start of a line it could inject a claim or an intent. */
export function formatTranscriptSummary(summary: TranscriptSummary): string {
  const lines = [`intent: ${summary.intent ?? 'none'}`];
  for (const claim of summary.claims) lines.push(`claim: ${collapseSpace(formatClaim(claim))}`);
  for (const blocker of summary.blockers) {
    lines.push(
      `blocker: ${collapseSpace(blocker.type).replaceAll('|', '/')} | ${collapseSpace(blocker.text)}`,
    );
  }
  const final = collapseSpace(summary.final ?? '');
  if (final !== '') lines.push(`final: ${final}`);
  return lines.join('\n');
}

export function parseTranscriptSummary(text: string): TranscriptSummary {
  let intent: Intent | null | undefined;
  let final: string | null = null;
  const claims: Claim[] = [];
  const blockers: AgentBlocker[] = [];
  for (const { key, value } of parseFacts(text)) {
    switch (key) {
      case 'intent':
        if (intent === undefined) intent = INTENTS.find((known) => known === value) ?? null;
        break;
      case 'claim': {
        const claim = parseClaim(value);
        if (claim !== null) claims.push(claim);
        break;
      }
      case 'blocker':
        blockers.push(parseAgentBlocker(value));
        break;
      case 'final':
        final ??= value;
        break;
      default:
        break;
    }
  }
  return { intent: intent ?? null, claims, blockers, final };
}

function parseAgentBlocker(value: string): AgentBlocker {
  const bar = value.indexOf('|');
  const type = (bar === -1 ? value : value.slice(0, bar)).trim();
  const text = bar === -1 ? '' : value.slice(bar + 1).trim();
  return { type: type === '' ? 'unspecified' : type, text };
}

function parseFacts(text: string): { key: string; value: string }[] {
  return splitLines(text).flatMap((line) => {
    const colon = line.indexOf(':');
    if (colon === -1) return [];
    return [{ key: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() }];
  });
}

function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => line.trim());
}

export type DiffStatus = 'A' | 'M' | 'D' | 'R';

export interface DiffFile {
  readonly path: string;
  readonly oldPath: string | null;
  readonly status: DiffStatus;
  /** Null for binary files. */
  readonly insertions: number | null;
  readonly deletions: number | null;
}

export interface DiffFacts {
  readonly files: readonly DiffFile[];
  readonly insertions: number;
  readonly deletions: number;
  readonly fingerprint: string | null;
}

export function formatDiffSummary(diff: DiffFacts): string {
  const lines =
    diff.files.length === 0
      ? ['no changes']
      : [`files: ${diff.files.length} insertions: ${diff.insertions} deletions: ${diff.deletions}`];
  for (const file of diff.files) {
    const moved = file.oldPath === null ? '' : `${escapePath(file.oldPath)} -> `;
    lines.push(
      `${file.status} ${moved}${escapePath(file.path)} +${file.insertions ?? 0} -${file.deletions ?? 0}`,
    );
  }
  if (diff.fingerprint !== null) lines.push(`fingerprint: ${diff.fingerprint}`);
  return lines.join('\n');
}

/**
 * Escapes a path so that it stays in one piece on its line: git allows line breaks, leading and trailing spaces,
 * and arrows in names.
 */
function escapePath(path: string): string {
  return JSON.stringify(path)
    .slice(1, -1)
    .replace(/^\s|\s$/g, (space) => `\\u${space.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll(' -> ', ' -\\u003e ');
}

function unescapePath(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    const path: unknown = JSON.parse(`"${text}"`);
    return typeof path === 'string' ? path : text;
  } catch {
    return text;
  }
}

export interface DiffSummary {
  readonly changed: boolean;
  /** Every path named, including both ends of a rename. */
  readonly paths: readonly string[];
  readonly fingerprint: string | null;
}

export function parseDiffSummary(text: string): DiffSummary {
  let changed: boolean | null = null;
  let fingerprint: string | null = null;
  const paths: string[] = [];
  for (const line of splitLines(text)) {
    const count = /^files:\s*(\d+)/.exec(line)?.[1];
    const print = /^fingerprint:\s*(\S+)/.exec(line)?.[1];
    const file = /^([AMDR])\s(.+?)(?:\s+\+\d+\s+-\d+)?$/s.exec(line);
    if (count !== undefined) changed ??= Number(count) > 0;
    else if (line === 'no changes') changed ??= false;
    else if (print !== undefined) fingerprint ??= print;
    else if (file !== null) paths.push(...parsePaths(file[1], file[2] ?? ''));
  }
  return { changed: changed ?? paths.length > 0, paths, fingerprint };
}

function parsePaths(status: string | undefined, text: string): string[] {
  const ends = status === 'R' ? text.split(' -> ') : [text];
  return ends.map(unescapePath);
}
