import type {
  AnsweredDocument,
  GateAnswerRequest,
  GateDocument,
} from '../../contracts/http/gate-documents.ts';
import type { Session } from '../../contracts/http/session-documents.ts';
import { type GateRequest, readGateRequest } from '../../runtime/gates/gate-request.ts';
import { renderGateRequest } from '../../runtime/gates/gate-text.ts';
import { hasExpired } from '../../runtime/gates/open-gates.ts';
import { proposalsIn } from '../../runtime/goldens/golden-proposal.ts';
import { answerOpenGate } from '../drive/answer-gate.ts';
import type { OpenProject } from '../opened.ts';
import { readGate } from '../runs/list-gates.ts';
import { type OpenRun, openRun } from '../runs/open-run.ts';
import { composeGoldens } from './evidence/goldens.ts';
import { summarizeChecks } from './evidence/step-page.ts';
import { prepareAnswer, type ShownGolden } from './gate-answer.ts';

/** The open gate of a run; null if it has none. */
export async function composeGateDocument(run: OpenRun): Promise<GateDocument | null> {
  const { view, record } = run;
  const { awaiting } = view;
  if (awaiting === null) return null;
  const { request, answer } = await readGate(record, awaiting);
  const step = view.steps.findLast(({ stepId }) => stepId === awaiting.stepId) ?? null;
  return {
    run_id: view.runId,
    title: view.title,
    workflow_id: view.started.workflow_id,
    step_id: awaiting.stepId,
    attempt: awaiting.attempt,
    gate: awaiting.gate,
    reason: awaiting.reason,
    text: request === null ? [] : renderGateRequest(request).trimEnd().split('\n'),
    request,
    request_sha256: awaiting.request_sha256,
    tree: awaiting.tree,
    consequences: request?.consequences ?? null,
    checks: step === null ? null : await summarizeChecks(run, step),
    requested_at: awaiting.requestedAt,
    expires_at: awaiting.expiresAt,
    is_expired: answer === null && hasExpired(awaiting, await record.inbox.now()),
    approvers: awaiting.approvers,
    answer:
      answer === null
        ? null
        : {
            answer: answer.answer,
            by: answer.by,
            comment: answer.comment,
            answered_at: answer.answered_at,
          },
  };
}

/** Who answers on the page, and from which address. */
export interface PageAnswerer {
  readonly session: Session;
  readonly address: string;
}

export type PageAnswer =
  | { readonly ok: true; readonly answered: AnsweredDocument }
  /** `current` is what the page must show instead; null if the gate is gone. */
  | {
      readonly ok: false;
      readonly message: string;
      readonly help: string | null;
      readonly current: GateDocument | null;
    };

/** Answers the gate that the page showed; refuses if it shows something else now. */
export async function answerFromPage(
  project: OpenProject,
  run: OpenRun,
  { session, address }: PageAnswerer,
  request: GateAnswerRequest,
): Promise<PageAnswer> {
  const { awaiting } = run.view;
  const current = async () => {
    const again = await openRun(run.records, run.view.runId);
    return again.ok ? composeGateDocument(again.run) : null;
  };
  if (awaiting !== null && awaiting.request_sha256 !== request.shown)
    return {
      ok: false,
      message: 'the gate has changed since this page showed it',
      help: 'look at what it shows now, and answer again',
      current: await current(),
    };
  const shown = awaiting === null ? null : await readGateRequest(run.record.directory, awaiting);
  const prepared = prepareAnswer(request, shown === null ? [] : await nameGoldens(run, shown));
  if (!prepared.ok) return { ...prepared, current: await current() };
  const { answer, comment, typed } = prepared;
  const result = await answerOpenGate(
    { ...project, answerer: async () => asSession(await project.answerer(), session, address) },
    run.record,
    { answer, by: session.name, comment, typed },
  );
  if (!result.ok) return { ok: false, message: result.reason, help: result.help, current: await current() };
  return {
    ok: true,
    answered: { run_id: run.view.runId, step_id: result.stepId, answer, by: session.name },
  };
}

/** The goldens that the gate shows, with the ids that the page gives them. */
async function nameGoldens(run: OpenRun, request: GateRequest): Promise<readonly ShownGolden[]> {
  const proposals = proposalsIn(request);
  if (proposals.length === 0) return [];
  const { goldens } = await composeGoldens(run);
  return proposals.flatMap((proposal) => {
    const found = goldens.findLast(
      ({ validator, golden_path, proposed }) =>
        validator === proposal.validator &&
        golden_path === proposal.golden_path &&
        proposed?.sha256 === proposal.proposed?.sha256,
    );
    return found === undefined ? [] : [{ id: found.golden_id, proposal }];
  });
}

/** The origin of an answer is the session, not the terminal that the server was started in. */
function asSession(
  { origin, runMark }: Awaited<ReturnType<OpenProject['answerer']>>,
  { name }: Session,
  address: string,
) {
  return { runMark, origin: { ...origin, terminal: null, session: name, address } };
}
