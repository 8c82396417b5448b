import { formatLedgerEntry } from '../../planner/claims/ledger.ts';
import { cleanOutput, oneLine } from '../../text/outside-text.ts';
import { proposalDetails, proposalsIn, proposalTitle } from '../goldens/golden-proposal.ts';
import {
  formatContentNotes,
  formatDecidingFiles,
  formatLastMessage,
  formatOtherFiles,
  formatTotal,
} from './gate-change-text.ts';
import type { Consequence, GateRequest } from './gate-request.ts';

/** How many lines of a list are shown; the rest is counted. */
const MAX_LINES = 40;

/** Renders a gate's request as text: what influences acceptance first, the rest, the evaluation and the answers. */
export function renderGateRequest(request: GateRequest): string {
  const { gate, step_id, run_id, workflow_id } = request;
  const total = formatTotal(request);
  const parts = [
    `# Gate ${step_id}: ${gate}`,
    `Run ${run_id}${workflow_id === undefined ? '' : ` of workflow ${workflow_id}`} is waiting for approval.`,
    `Why: ${reasonText(request)}`,
    ...section(
      'Changes to tests, checks and build files',
      formatDecidingFiles(request),
      Number.POSITIVE_INFINITY,
    ),
    ...section('Other changes', formatOtherFiles(request)),
    ...(total === null ? [] : [`In all: ${total}, in ${request.diff?.patch ?? ''}`]),
    ...section('Look at', formatContentNotes(request), Number.POSITIVE_INFINITY),
    ...section('Evaluation', evaluationLines(request)),
    ...section('Checks', checkLines(request)),
    ...section('What the agent says', [...claimLines(request), ...formatLastMessage(request)]),
    ...goldenSection(request),
    ...section('Policy violations', violationLines(request)),
    ...section('Findings', findingLines(request)),
    ...section('Notices', noticeLines(request)),
    ...section('What each answer leads to', consequenceLines(request)),
    ...section('Evidence', evidenceLines(request)),
    ...section('Answer', answerLines(request)),
  ];
  return `${parts.map(cleanOutput).join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[], max = MAX_LINES): string[] {
  if (lines.length === 0) return [];
  const hidden = lines.length - max;
  const more = hidden > 0 ? [`- … and ${hidden} more in gate_request.json`] : [];
  return [`## ${title}\n\n${[...lines.slice(0, max).map((line) => `- ${line}`), ...more].join('\n')}`];
}

/** Why the gate is open, without the summaries that the evaluation lists as its blockers. */
export function reasonText({ reason, judgement }: GateRequest): string {
  const summaries = judgement?.reason ?? '';
  if (summaries === '' || (judgement?.blockers?.length ?? 0) === 0) return reason;
  return reason.endsWith(`: ${summaries}`) ? reason.slice(0, -summaries.length - 2) : reason;
}

/** The evaluation with its flags and blockers; empty if the gate's reason says all of it. */
export function evaluationLines(request: GateRequest): string[] {
  const { judgement } = request;
  if (judgement === null) return [];
  const { step_id, status, reason, risk_flags, blocker_codes, blockers } = judgement;
  // The blockers contain the reason in full.
  const why = reason === null || (blockers?.length ?? 0) > 0 ? '' : `, ${reason}`;
  const isBare = risk_flags.length === 0 && blocker_codes.length === 0 && (blockers?.length ?? 0) === 0;
  if (isBare && request.reason.startsWith(`evaluation \`${step_id ?? ''}\`: ${status}`)) return [];
  const lines = [`${step_id === undefined ? '' : `${step_id}: `}${status}${why}`];
  if (risk_flags.length > 0) lines.push(`flags: ${risk_flags.join(', ')}`);
  if (blockers === undefined)
    return blocker_codes.length === 0 ? lines : [...lines, `blockers: ${blocker_codes.join(', ')}`];
  return [
    ...lines,
    ...blockers.map(({ code, severity, summary, evidence_ref }) => {
      const shown = evidence_ref === null ? '' : ` (${evidence_ref})`;
      return `blocker ${code}, ${severity}: ${oneLine(summary)}${shown}`;
    }),
  ];
}

export function claimLines({ claims }: GateRequest): string[] {
  return (claims ?? []).map((entry) => oneLine(formatLedgerEntry(entry)));
}

/** One proposal: its effect, where to look, and the beginning of the difference. */
export interface GoldenBlock {
  readonly title: string;
  readonly details: readonly string[];
  readonly difference: readonly string[];
}

export function goldenBlocks(request: GateRequest): readonly GoldenBlock[] {
  const left = request.proposed_goldens_left_out ?? 0;
  const blocks = (request.proposed_goldens ?? []).map((entry) => {
    const [proposal] = proposalsIn({ proposed_goldens: [entry] });
    if (proposal === undefined)
      return { title: oneLine(typeof entry === 'string' ? entry : JSON.stringify(entry)), ...NOTHING_MORE };
    return {
      title: oneLine(proposalTitle(proposal)),
      details: proposalDetails(proposal).map(oneLine),
      difference: proposal.difference?.split('\n') ?? [],
    };
  });
  return left > 0
    ? [...blocks, { title: `… and ${left} more that can't be accepted here`, ...NOTHING_MORE }]
    : blocks;
}

const NOTHING_MORE = { details: [], difference: [] };

/** Shows every proposal that an approval accepts; only long lists and differences are truncated. */
function goldenSection(request: GateRequest): string[] {
  const blocks = goldenBlocks(request);
  if (blocks.length === 0) return [];
  const shown = blocks.slice(0, MAX_LINES).map(({ title, details, difference }) => {
    const lines = [`- ${title}`, ...details.map((detail) => `  - ${detail}`)];
    return difference.length === 0
      ? lines.join('\n')
      : `${lines.join('\n')}\n\n${difference.map((line) => `      ${line}`).join('\n')}\n`;
  });
  const hidden = blocks.length - shown.length;
  const more = hidden > 0 ? [`- … and ${hidden} more in gate_request.json`] : [];
  return [`## Goldens proposed\n\n${[ACCEPTS, ...shown, ...more].join('\n')}`];
}

const ACCEPTS = 'An approval puts exactly these bytes into the checkout; a rejection changes nothing.\n';

export function violationLines({ violations }: GateRequest): string[] {
  return (violations ?? []).map((each) => `${each.class}: ${oneLine(each.message)}`);
}

export function checkLines({ checks }: GateRequest): string[] {
  return (checks ?? []).map(oneLine);
}

export function noticeLines({ notices }: GateRequest): string[] {
  return (notices ?? []).map(oneLine);
}

export function findingLines({ findings }: GateRequest): string[] {
  return (findings ?? []).map(oneLine);
}

export function consequenceLines({ consequences, expires_at }: GateRequest): string[] {
  if (consequences === undefined) return [];
  const { approve, reject, timeout } = consequences;
  const lines = [`approve: ${consequenceText(approve)}`, `reject: ${consequenceText(reject)}`];
  if (timeout === null) return lines;
  return [...lines, `no answer${expires_at ? ` before ${expires_at}` : ''}: ${consequenceText(timeout)}`];
}

function consequenceText({ step_id, opcode, ends }: Consequence): string {
  if (ends === null) return `continues with ${step_id} (${opcode})`;
  const why = ends.reason === null ? '' : `: ${oneLine(ends.reason)}`;
  return `ends the run as ${ends.lifecycle_state}, ${ends.outcome}${why}`;
}

function evidenceLines({ evidence }: GateRequest): string[] {
  return evidence
    .filter(({ important }) => important !== false)
    .map(({ step_id, role, path, sha256 }) => `${step_id} ${role}  ${path}  ${sha256.slice(0, 12)}`);
}

function answerLines(request: GateRequest): string[] {
  return [
    `\`conductor approve ${request.run_id}\` or \`conductor reject ${request.run_id}\`, with \`--comment\` for the next step to read`,
    request.approvers.length === 0 ? 'anyone may answer' : `approvers: ${request.approvers.join(', ')}`,
    `an approval covers tree ${request.tree}, workflow ${request.workflow_digest} and the evidence with the digests in gate_request.json, and nothing else`,
  ];
}
