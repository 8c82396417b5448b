import type { RunEvent } from '../../contracts/run/event.ts';
import type { GoldenProposal, GoldenState } from '../../contracts/run/golden-proposal.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import { excerptOf } from '../../runtime/evidence/patch-sections.ts';
import { readReportFiles } from '../../runtime/evidence/report-files.ts';
import { readGateRequest } from '../../runtime/gates/gate-request.ts';
import { proposalsIn } from '../../runtime/goldens/golden-proposal.ts';
import { listProposals, type ReportedProposal } from '../../runtime/goldens/pending-proposals.ts';

export interface GoldenRecord {
  readonly proposal: GoldenProposal;
  readonly state: GoldenState;
  /** The gate at which it was answered, by whom, and when. */
  readonly gate: string | null;
  readonly by: string | null;
  readonly at: string | null;
}

/** `open`: waits for a gate, because its report is the latest of its validator and it has not been approved. */
type Tracked = GoldenRecord & { readonly open: boolean };

type StepEvent = Extract<RunEvent, { event_type: 'step_completed' | 'step_failed' }>;
type AnswerEvent = Extract<RunEvent, { event_type: 'gate_approved' | 'gate_rejected' | 'gate_timed_out' }>;

const ANSWERS = { gate_rejected: 'rejected', gate_timed_out: 'timed_out' } as const;
/** Larger diffs of a harness are not read. */
const READABLE_DIFF_BYTES = 256 * 1024;

/** All goldens that the reports of a run proposed, in order. */
export async function readGoldenHistory(
  directory: RunDirectory,
  events: readonly RunEvent[],
): Promise<readonly GoldenRecord[]> {
  let records: readonly Tracked[] = [];
  for (const event of events) {
    switch (event.event_type) {
      case 'step_completed':
      case 'step_failed':
        records = [...applyStep(records, event), ...(await readNewRecords(directory, event))];
        break;
      case 'gate_requested':
        records = applyShown(
          records,
          proposalsIn(
            (await readGateRequest(directory, {
              stepId: event.step_id ?? '',
              attempt: event.payload.attempt,
            })) ?? {},
          ),
        );
        break;
      case 'gate_approved':
      case 'gate_rejected':
      case 'gate_timed_out':
        records = records.map((record) => applyAnswer(record, event));
        break;
      default:
        break;
    }
  }
  return records.map(({ open: _open, ...record }) => record);
}

/** A new report supersedes the previous one of its validator; a gate that failed has accepted nothing. */
function applyStep(records: readonly Tracked[], event: StepEvent): readonly Tracked[] {
  const reporting = new Set(
    event.payload.validators.flatMap(({ key, proposals }) => (proposals === null ? [] : [key])),
  );
  return records.map((record) => {
    if (record.open && reporting.has(record.proposal.validator))
      return { ...record, open: false, state: record.state === 'pending' ? 'superseded' : record.state };
    const undone = event.event_type === 'step_failed' && record.gate === event.step_id;
    return undone && record.state === 'accepted'
      ? { ...record, open: true, state: 'pending', gate: null, by: null, at: null }
      : record;
  });
}

async function readNewRecords(directory: RunDirectory, event: StepEvent): Promise<readonly Tracked[]> {
  if (event.step_id === null || !event.payload.validators.some(({ proposals }) => (proposals ?? 0) > 0))
    return [];
  const step = { stepId: event.step_id, attempt: event.payload.attempt };
  const records: Tracked[] = [];
  for (const files of await readReportFiles(directory, step))
    for (const reported of await listProposals(directory, step, files))
      records.push({
        proposal: await toProposal(directory, reported),
        open: true,
        state: 'pending',
        gate: null,
        by: null,
        at: null,
      });
  return records;
}

/** Before a gate has inspected a proposal, only the harness's own data is known. */
async function toProposal(directory: RunDirectory, reported: ReportedProposal): Promise<GoldenProposal> {
  const { id, goldenPath, kind, validator, stepId, attempt, proposed, diff, pixels } = reported;
  const text = diff === null || diff.bytes > READABLE_DIFF_BYTES ? null : await directory.read(diff.path);
  return {
    id,
    golden_path: goldenPath,
    kind,
    validator,
    step_id: stepId,
    attempt,
    proposed,
    diff,
    golden: { exists: null, sha256: null, bytes: null },
    acceptable: goldenPath !== null && proposed !== null,
    why: proposed === null ? 'it comes without bytes' : null,
    pixels,
    insertions: null,
    deletions: null,
    difference: text === null || text.includes('\0') ? null : excerptOf(text),
  };
}

/** Replaces proposals by the versions that a gate inspected. */
function applyShown(records: readonly Tracked[], shown: readonly GoldenProposal[]): readonly Tracked[] {
  const left = [...shown];
  return records.map((record) => {
    const at = left.findIndex((proposal) => isFromSameReport(proposal, record.proposal));
    const [proposal] = at === -1 ? [] : left.splice(at, 1);
    return proposal === undefined ? record : { ...record, proposal };
  });
}

function isFromSameReport(one: GoldenProposal, other: GoldenProposal): boolean {
  return one.validator === other.validator && one.step_id === other.step_id && one.attempt === other.attempt;
}

function applyAnswer(record: Tracked, event: AnswerEvent): Tracked {
  if (!record.open) return record;
  const { by, answered_at: at } = event.payload;
  const answer = { gate: event.step_id, by, at };
  if (event.event_type !== 'gate_approved') return { ...record, ...answer, state: ANSWERS[event.event_type] };
  return {
    ...record,
    ...answer,
    open: false,
    state: record.proposal.acceptable ? 'accepted' : 'not_accepted',
  };
}
