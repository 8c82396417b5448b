import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { GateDocument } from '../../../src/contracts/http/gate-documents.ts';
import type { RunPage } from '../../../src/contracts/http/run-page.ts';
import { fetchDocument, type Loaded, useDocument } from '../api/document-cache.ts';
import type { GateRequestView } from '../api/gate-request.ts';
import { runPath } from '../api/paths.ts';
import { useKeys } from '../state/keys.ts';
import { formatRoute, type Route, runRoute } from '../state/routes.ts';
import { useTitle } from '../state/title.ts';
import { formatCost } from '../text/numbers.ts';
import { plainReason, verdictOfStep } from '../text/verdict.ts';
import { Ago } from '../ui/clock.tsx';
import { Command } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { Icon } from '../ui/icon.tsx';
import { VerdictText } from '../ui/mark.tsx';
import { AnswerDialog } from './gate-answer.tsx';
import { GateChanges } from './gate-changes.tsx';
import { Consequences } from './gate-consequences.tsx';
import { GateFacts } from './gate-facts.tsx';

type GateRoute = Extract<Route, { screen: 'gate' }>;

/** Is this safe to approve? What is asked, what is known about it, and the two answers. */
export function Gate({ route }: { readonly route: GateRoute }): JSX.Element {
  const path = runPath(route.repo, route.run);
  const gate = useDocument<GateDocument>(`${path}/gate`);
  const run = useDocument<RunPage>(path);
  const isGone = gate.error?.status === 404;
  useTitle(run.data?.title ?? null, 'gate');
  return (
    <>
      <a class="back" href={formatRoute({ screen: 'home', repo: route.repo })}>
        <Icon name="back" />
        Needs you
      </a>
      {isGone ? (
        <Closed route={route} run={run} />
      ) : (
        <DocumentView of={gate} what="the gate" lines={8}>
          {(data) => <OpenGate route={route} gate={data} run={run.data} />}
        </DocumentView>
      )}
    </>
  );
}

function Closed({ route, run }: { readonly route: GateRoute; readonly run: Loaded<RunPage> }): JSX.Element {
  return (
    <DocumentView of={run} what="the run" lines={4}>
      {(data) => {
        const answer = data.answers.at(-1);
        return (
          <>
            <h1>{data.title ?? data.run_id}</h1>
            <p class="notice">
              {answer === undefined
                ? 'This run isn’t waiting at a gate.'
                : `${answer.answer === 'gate_approved' ? 'Approved' : 'Rejected'} by ${answer.by ?? 'a person'}.`}{' '}
              {answer === undefined ? null : <Ago at={answer.answered_at} isPoint />}{' '}
              <a href={formatRoute(runRoute(route.repo, route.run))}>See the run</a>
            </p>
          </>
        );
      }}
    </DocumentView>
  );
}

function OpenGate({
  route,
  gate,
  run,
}: {
  readonly route: GateRoute;
  readonly gate: GateDocument;
  readonly run: RunPage | null;
}): JSX.Element {
  // With the gate as it was shown then: an answer is about that, whatever comes in while it is being written.
  const [asked, setAsked] = useState<{
    readonly answer: 'approve' | 'reject';
    readonly gate: GateDocument;
  } | null>(null);
  const [opened, setOpened] = useState(gate.request_sha256);
  const [refusal, setRefusal] = useState<string | null>(null);
  const request = gate.request as GateRequestView | null;
  const isOpen = gate.answer === null && !gate.is_expired;
  useKeys({
    a: () => isOpen && setAsked({ answer: 'approve', gate }),
    r: () => isOpen && setAsked({ answer: 'reject', gate }),
  });
  return (
    <div class="gate">
      <div class="gate-head">
        <h1>{gate.title ?? gate.run_id}</h1>
        <p class="facts">
          <VerdictText verdict={{ tone: 'needs', word: gate.gate }} />
          <span>
            waiting <Ago at={gate.requested_at} />
          </span>
          {run === null ? null : (
            <span class="number">{formatCost(run.spend.cost_usd, run.spend.unknown.cost_usd)}</span>
          )}
          <a href={formatRoute(runRoute(route.repo, route.run))}>{gate.workflow_id}</a>
          {gate.expires_at === null ? null : <Expiry at={gate.expires_at} />}
        </p>
        {opened === gate.request_sha256 || refusal !== null ? null : (
          <p class="notice tone-attention-edge" role="status">
            This gate has changed while the page was open. This is what it asks now.
          </p>
        )}
        {refusal === null ? null : (
          <p class="notice tone-danger-edge" role="alert">
            {refusal}
          </p>
        )}
      </div>
      <div class="gate-body">
        <GateFacts route={route} gate={gate} request={request} />
        <GateChanges route={route} gate={gate} request={request} isOpen={isOpen} />
        <section class="gate-block gate-inline-consequences" aria-label="What each answer leads to">
          <Consequences request={request} />
        </section>
        <p class="gate-block">
          <Command text={`conductor approve ${run?.short_id ?? gate.run_id}`} />
          <br />
          <Command text={`conductor reject ${run?.short_id ?? gate.run_id} --comment '…'`} />
        </p>
      </div>
      <aside class="gate-side" aria-label="Answer">
        {isOpen ? (
          <>
            {request?.judgement == null ? <p class="gate-asks">{plainReason(gate.reason)}</p> : null}
            <div class="gate-answers">
              <button
                type="button"
                class="button"
                onClick={() => setAsked({ answer: 'reject', gate })}
                aria-keyshortcuts="r"
              >
                Reject…
              </button>
              <button
                type="button"
                class="button is-accent"
                onClick={() => setAsked({ answer: 'approve', gate })}
                aria-keyshortcuts="a"
              >
                Approve…
              </button>
            </div>
          </>
        ) : (
          <GivenAnswer gate={gate} />
        )}
        <Consequences request={request} />
      </aside>
      {asked === null ? null : (
        <AnswerDialog
          asked={asked.answer}
          repo={route.repo}
          gate={asked.gate}
          request={asked.gate.request as GateRequestView | null}
          onClose={() => setAsked(null)}
          onDone={(message) => {
            setAsked(null);
            setRefusal(message);
            setOpened(gate.request_sha256);
            fetchDocument(`${runPath(route.repo, route.run)}/gate`);
            fetchDocument(runPath(route.repo, route.run));
          }}
        />
      )}
    </div>
  );
}

function Expiry({ at }: { readonly at: string }): JSX.Element {
  const left = Date.parse(at) - Date.now();
  return (
    <span>
      {left < 0 ? 'expired ' : 'expires '}
      <time dateTime={at}>{new Date(at).toLocaleString()}</time>
    </span>
  );
}

function GivenAnswer({ gate }: { readonly gate: GateDocument }): JSX.Element {
  if (gate.answer === null)
    return <p role="status">This gate has expired. The run continues as its workflow says.</p>;
  const { answer, by, comment, answered_at } = gate.answer;
  return (
    <div role="status">
      <VerdictText verdict={verdictOfStep(answer)} />
      <p class="muted">
        {by === null ? '' : `by ${by}, `}
        <Ago at={answered_at} isPoint />. The run continues.
      </p>
      {comment === null ? null : <p class="quote">{comment}</p>}
    </div>
  );
}
