import type { JSX } from 'preact';
import type { ConsequenceView, GateRequestView } from '../api/gate-request.ts';
import { verdictOfRun } from '../text/verdict.ts';

export function Consequences({ request }: { readonly request: GateRequestView | null }): JSX.Element | null {
  const consequences = request?.consequences;
  if (consequences === undefined) return null;
  const { approve, reject, timeout } = consequences;
  return (
    <dl class="consequences">
      <dt>Approve</dt>
      <dd>{describe(approve)}</dd>
      <dt>Reject</dt>
      <dd>{`${describe(reject)}${reject.ends === null ? ', with your comment' : ''}`}</dd>
      {timeout === null ? null : (
        <>
          <dt>No answer in time</dt>
          <dd>{describe(timeout)}</dd>
        </>
      )}
    </dl>
  );
}

export function describe({ step_id, ends }: ConsequenceView): string {
  if (ends === null) return `the run continues with ${step_id}`;
  const { word } = verdictOfRun('completed', ends.outcome);
  return `the run ends: ${word}${ends.reason === null ? '' : ` (${ends.reason})`}`;
}
