import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { GateDocument } from '../../../src/contracts/http/gate-documents.ts';
import type { RunPage } from '../../../src/contracts/http/run-page.ts';
import { fetchDocument, type Loaded, useDocument } from '../api/document-cache.ts';
import type { FileView, GateRequestView } from '../api/gate-request.ts';
import { runPath } from '../api/paths.ts';
import { useKeys } from '../state/keys.ts';
import { formatRoute, type Route, runRoute } from '../state/routes.ts';
import { useTitle } from '../state/title.ts';
import { countOf, formatCost, formatCount } from '../text/numbers.ts';
import { plainClaim, plainReason, type Tone, verdictOfClaim, verdictOfStep } from '../text/verdict.ts';
import { Ago } from '../ui/clock.tsx';
import { Command } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { EvidenceText } from '../ui/evidence-text.tsx';
import { Icon } from '../ui/icon.tsx';
import { Mark, VerdictText } from '../ui/mark.tsx';
import { AnswerDialog } from './gate-answer.tsx';
import { GateBlock } from './gate-block.tsx';
import { GateChanges } from './gate-changes.tsx';
import { Consequences } from './gate-consequences.tsx';

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
  const [asked, setAsked] = useState<'approve' | 'reject' | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const request = gate.request as GateRequestView | null;
  const isOpen = gate.answer === null && !gate.is_expired;
  useKeys({
    a: () => isOpen && setAsked('approve'),
    r: () => isOpen && setAsked('reject'),
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
              <button type="button" class="button" onClick={() => setAsked('reject')} aria-keyshortcuts="r">
                Reject…
              </button>
              <button
                type="button"
                class="button is-accent"
                onClick={() => setAsked('approve')}
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
          asked={asked}
          repo={route.repo}
          gate={gate}
          request={request}
          onClose={() => setAsked(null)}
          onDone={(message) => {
            setAsked(null);
            setRefusal(message);
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

/** Verdict first, then the reasons, then what the agent says. */
function GateFacts({
  route,
  gate,
  request,
}: {
  readonly route: GateRoute;
  readonly gate: GateDocument;
  readonly request: GateRequestView | null;
}): JSX.Element {
  if (request === null)
    return (
      <GateBlock title="What the gate says">
        <p class="pre">{gate.text.join('\n')}</p>
      </GateBlock>
    );
  const { judgement, claims = [], checks = [], verdicts = [], findings = [], violations = [] } = request;
  const said = request.final_response ?? null;
  return (
    <>
      <GateBlock title={judgement === null ? 'Asked' : `Evaluation: ${verdictOfStep(judgement.status).word}`}>
        {judgement === null ? <p>{plainReason(gate.reason)}</p> : null}
        {judgement?.reason == null ? null : <p>{plainReason(judgement.reason)}</p>}
        <ul class="proofs">
          <CheckProof route={route} checks={gate.checks} />
          {judgement?.blockers?.map(({ code, summary }) => (
            <Proof key={code + summary} tone="attention" word="blocker" text={summary} evidence={code} />
          ))}
          {violations.map(({ class: kind, message }) => (
            <Proof key={message} tone="danger" word="policy violation" text={message} evidence={kind} />
          ))}
          {checks.map((text) => (
            <Proof key={text} tone="neutral" word="check" text={text} />
          ))}
          {verdicts.map((text) => (
            <Proof key={text} tone="attention" word="changed test" text={text} />
          ))}
          {findings.map((text) => (
            <Proof key={text} tone="attention" word="finding" text={text} />
          ))}
          {claims.map(({ claim, holds, evidence }) => {
            const { tone, word } = verdictOfClaim(holds);
            return (
              <Proof
                key={claim}
                tone={tone}
                word={word}
                text={`“${plainClaim(claim)}” ${word}`}
                evidence={evidence}
              />
            );
          })}
        </ul>
      </GateBlock>
      {said === null ? null : (
        <GateBlock title={`${said.step_id} says`}>
          <p class="quote">
            {said.lines.join('\n')}
            {said.more > 0 ? `\n… ${countOf(said.more, 'more line')}` : ''}
          </p>
        </GateBlock>
      )}
      <Look request={request} />
    </>
  );
}

/** How the checks ended, with a link to their cases. */
function CheckProof({
  route,
  checks,
}: {
  readonly route: GateRoute;
  readonly checks: GateDocument['checks'];
}): JSX.Element | null {
  if (checks === null) return null;
  const { passed, total, failed, skipped } = checks.cases ?? {
    ...checks,
    failed: checks.total - checks.passed,
    skipped: 0,
  };
  const href = formatRoute({ ...runRoute(route.repo, route.run), step: checks.step, tab: 'checks' });
  return (
    <li>
      <Mark
        verdict={
          failed + checks.failed.length > 0
            ? { tone: 'danger', word: 'failed' }
            : { tone: 'success', word: 'passed' }
        }
      />
      <span>
        <a
          href={href}
        >{`${formatCount(passed)} of ${countOf(total, 'check')} ${passed === 1 ? 'passes' : 'pass'}`}</a>
        {failed + skipped === 0 && checks.failed.length === 0 ? null : (
          <span class="proof-evidence">
            {' '}
            {[
              ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
              ...(skipped === 0 ? [] : [`${formatCount(skipped)} skipped`]),
              ...checks.failed.slice(0, 3).map((id) => `${id} did not succeed`),
            ].join(', ')}
          </span>
        )}
      </span>
    </li>
  );
}

function Look({ request }: { readonly request: GateRequestView }): JSX.Element | null {
  const { deciding = [], content = [], notices = [] } = request;
  if (deciding.length + content.length + notices.length === 0) return null;
  return (
    <GateBlock title="Look at">
      <ul class="proofs">
        {deciding.map((file) => (
          <Proof
            key={file.path}
            tone="attention"
            word="decides"
            text={`${file.path} was ${file.status === 'A' ? 'added' : file.status === 'D' ? 'deleted' : 'edited'}`}
            evidence={`${file.kind.replaceAll('_', ' ')}, ${changeCount(file)}`}
          />
        ))}
        {content.map(({ path, line, kind, text }) => (
          <Proof
            key={`${path}${line ?? ''}${text}`}
            tone="attention"
            word={kind.replaceAll('_', ' ')}
            text={`${path}${line === null ? '' : `:${line}`}: ${kind.replaceAll('_', ' ')}`}
            evidence={text}
          />
        ))}
        {notices.map((text) => (
          <Proof key={text} tone="neutral" word="notice" text={text} />
        ))}
      </ul>
    </GateBlock>
  );
}

function Proof({
  tone,
  word,
  text,
  evidence = null,
}: {
  readonly tone: Tone;
  readonly word: string;
  readonly text: string;
  readonly evidence?: string | null;
}): JSX.Element {
  return (
    <li>
      <Mark verdict={{ tone, word }} />
      <span>
        {text}
        {evidence === null ? null : (
          <span class="proof-evidence">
            {' '}
            <EvidenceText text={evidence} />
          </span>
        )}
      </span>
    </li>
  );
}

function changeCount({ insertions, deletions }: FileView): string {
  return insertions === null ? 'binary' : `+${insertions} −${deletions ?? 0}`;
}
