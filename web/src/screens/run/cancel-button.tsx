import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { fetchDocument } from '../../api/document-cache.ts';
import { ApiError, postJson } from '../../api/http.ts';
import { runPath } from '../../api/paths.ts';
import { background } from '../../state/background.ts';
import { Dialog } from '../../ui/dialog.tsx';

/** Cancels the run, after asking once more: what has been done so far is kept, but no step follows. */
export function CancelButton({ repo, run }: { readonly repo: string; readonly run: string }): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const reason = useRef<HTMLInputElement>(null);
  const cancel = async (): Promise<void> => {
    try {
      await postJson(`${runPath(repo, run)}/cancel`, { comment: reason.current?.value.trim() || null });
      setAsking(false);
      fetchDocument(runPath(repo, run));
    } catch (cause) {
      setError(cause instanceof ApiError ? cause.message : String(cause));
    }
  };
  return (
    <>
      <button type="button" class="button" onClick={() => setAsking(true)}>
        Cancel run…
      </button>
      {isAsking ? (
        <Dialog label="Cancel run" onClose={() => setAsking(false)}>
          <form
            class="answer-dialog"
            onSubmit={(event) => {
              event.preventDefault();
              background(cancel());
            }}
          >
            <h2>Cancel this run</h2>
            <p class="muted">Its branch and evidence stay. It can’t be resumed.</p>
            <label>
              <span>Reason (optional)</span>
              <br />
              <input ref={reason} type="text" class="wide" />
            </label>
            {error === null ? null : (
              <p class="notice tone-danger-edge" role="alert">
                {error}
              </p>
            )}
            <div class="gate-answers">
              <button type="button" class="button" onClick={() => setAsking(false)}>
                Back
              </button>
              <button type="submit" class="button is-accent">
                Cancel run
              </button>
            </div>
          </form>
        </Dialog>
      ) : null}
    </>
  );
}
