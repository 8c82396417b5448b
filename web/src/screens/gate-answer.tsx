import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { AnsweredDocument, GateDocument } from '../../../src/contracts/http/gate-documents.ts';
import type { GateRequestView } from '../api/gate-request.ts';
import { ApiError, postJson } from '../api/http.ts';
import { runPath } from '../api/paths.ts';
import { background } from '../state/background.ts';
import { reviewDraft } from '../state/review-draft.ts';
import { useStore } from '../state/store.ts';
import { countOf } from '../text/numbers.ts';
import { announce } from '../ui/announcer.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { describe } from './gate-consequences.tsx';

/** Asks once more, says what the answer leads to, and takes a comment. */
export function AnswerDialog({
  asked,
  repo,
  gate,
  request,
  onClose,
  onDone,
}: {
  readonly asked: 'approve' | 'reject';
  readonly repo: string;
  readonly gate: GateDocument;
  readonly request: GateRequestView | null;
  readonly onClose: () => void;
  /** With a message if the answer was refused because the gate is not what it was. */
  readonly onDone: (refusal: string | null) => void;
}): JSX.Element {
  const comment = useRef<HTMLTextAreaElement>(null);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const { lines, goldens } = useStore(reviewDraft(gate.request_sha256));
  const isApproval = asked === 'approve';
  const consequence = request?.consequences?.[asked];
  const decisions = Object.entries(goldens).map(([id, decision]) => ({ id, decision }));
  const isBlocked = isApproval && decisions.some(({ decision }) => decision === 'refuse');
  const send = async (): Promise<void> => {
    setSending(true);
    setError(null);
    const text = comment.current?.value.trim() ?? '';
    try {
      await postJson<AnsweredDocument>(`${runPath(repo, gate.run_id)}/gate`, {
        answer: asked,
        comment: text === '' ? null : text,
        shown: gate.request_sha256,
        ...(lines.length === 0 ? {} : { lines }),
        ...(decisions.length === 0 ? {} : { goldens: decisions }),
      });
      announce(isApproval ? 'Approved.' : 'Rejected.');
      onDone(null);
    } catch (cause) {
      const refused = cause instanceof ApiError ? cause : new ApiError(0, 'unexpected', String(cause), null);
      if (refused.status === 409) onDone(`Your answer was not recorded: ${refused.message}`);
      else {
        setError(refused);
        setSending(false);
      }
    }
  };
  return (
    <Dialog label={isApproval ? 'Approve' : 'Reject'} onClose={onClose}>
      <form
        class="answer-dialog"
        onSubmit={(event) => {
          event.preventDefault();
          background(send());
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) background(send());
        }}
      >
        <h2>{isApproval ? 'Approve' : 'Reject'}</h2>
        <p>{gate.title ?? gate.run_id}</p>
        {consequence === undefined ? null : <p class="muted">{`${capitalise(describe(consequence))}.`}</p>}
        {lines.length === 0 ? null : (
          <p>{`With ${countOf(lines.length, 'comment')} on lines of the diff.`}</p>
        )}
        {decisions.length === 0 ? null : <p>{summarise(goldens)}</p>}
        {isBlocked ? (
          <p class="notice tone-attention-edge">
            An approval accepts every golden that the gate shows. Reject instead, or accept those that you
            refused.
          </p>
        ) : null}
        <label>
          <span>{isApproval ? 'Comment (optional)' : 'What should change'}</span>
          <textarea ref={comment} rows={isApproval ? 2 : 4} />
        </label>
        {error === null ? null : (
          <p class="notice tone-danger-edge" role="alert">
            {error.message}
            {error.help === null ? '' : `. ${error.help}`}
          </p>
        )}
        <div class="gate-answers">
          <button type="button" class="button" onClick={onClose}>
            Back
          </button>
          <button type="submit" class="button is-accent" disabled={isSending || isBlocked}>
            {isSending ? 'Sending' : isApproval ? 'Approve' : 'Reject'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function summarise(goldens: Readonly<Record<string, 'accept' | 'refuse'>>): string {
  const accepted = Object.values(goldens).filter((decision) => decision === 'accept').length;
  const refused = Object.keys(goldens).length - accepted;
  return `Goldens: ${accepted} accepted, ${refused} refused.`;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
