import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PathPart, RunPage } from '../../../src/contracts/http/run-page.ts';
import { type Loaded, useDocument, useLast } from '../api/document-cache.ts';
import { runPath } from '../api/paths.ts';
import { connection } from '../api/stream.ts';
import { formatRoute, gateRoute, type Route } from '../state/routes.ts';
import { useStore } from '../state/store.ts';
import { useTitle } from '../state/title.ts';
import { formatCost } from '../text/numbers.ts';
import { formatClock, formatDuration } from '../text/time.ts';
import { plainReason, verdictOfRun } from '../text/verdict.ts';
import { Ago, Elapsed } from '../ui/clock.tsx';
import { Commands } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { VerdictText } from '../ui/mark.tsx';
import { WebLink } from '../ui/web-link.tsx';
import { CancelButton } from './run/cancel-button.tsx';
import { Evidence } from './run/evidence.tsx';
import { LiveOutput } from './run/live-output.tsx';
import { RunGraph } from './run/run-graph.tsx';
import { chooseStep, Steps } from './run/steps.tsx';
import { TimeSlider } from './run/time-slider.tsx';
import '../styles/run.css';

type RunRoute = Extract<Route, { screen: 'run' }>;

/** What did this run do, and what shows it? */
export function Run({ route }: { readonly route: RunRoute }): JSX.Element {
  const path = runPath(route.repo, route.run);
  const now = useDocument<RunPage>(path);
  const then = useDocument<RunPage>(route.at === null ? null : `${path}/at/${route.at}`);
  useTitle(now.data?.title ?? null, 'run');
  return (
    <DocumentView of={now} what="the run" lines={9}>
      {(current) => <RunView route={route} current={current} then={route.at === null ? null : then} />}
    </DocumentView>
  );
}

function RunView({
  route,
  current,
  then,
}: {
  readonly route: RunRoute;
  readonly current: RunPage;
  /** The run after the event that the slider is at; null for now. */
  readonly then: Loaded<RunPage> | null;
}): JSX.Element {
  const shown = useLast(then === null ? current : then.data) ?? current;
  const step = chooseStep(shown, route.step);
  return (
    <>
      <RunHead route={route} run={shown} isPast={then !== null} />
      <RunPath path={shown.path} route={route} />
      {then?.error == null ? null : (
        <p class="notice tone-danger-edge" role="alert">
          {then.error.message}
        </p>
      )}
      <TimeSlider route={route} current={current} shown={shown} />
      {shown.awaiting === null ? null : (
        <p class="notice tone-needs-edge gate-notice">
          <span>
            Waiting at gate <strong>{shown.awaiting.gate}</strong>: {plainReason(shown.awaiting.reason)}
          </span>
          <a class="button is-accent" href={formatRoute(gateRoute(route.repo, route.run))}>
            Review
          </a>
        </p>
      )}
      <Remarks run={shown} />
      <div class="run-columns">
        <div class="run-left">
          <Steps route={route} run={shown} selected={step?.key ?? null} />
          {then === null ? <LiveOutput repo={route.repo} run={shown} /> : null}
        </div>
        <div class="run-right">
          {step === null ? (
            <p class="empty">No step has started.</p>
          ) : (
            <Evidence route={route} run={shown} step={step} />
          )}
        </div>
      </div>
      <RunGraph route={route} asOf={then === null ? null : route.at} />
      <Commands commands={then === null ? current.commands : [`conductor show ${current.short_id}`]} />
    </>
  );
}

function RunHead({
  route,
  run,
  isPast,
}: {
  readonly route: RunRoute;
  readonly run: RunPage;
  readonly isPast: boolean;
}): JSX.Element {
  const link = useStore(connection);
  const isEnded = run.outcome !== null;
  const isInterrupted = run.state === 'interrupted';
  const state = run.awaiting !== null ? 'waiting' : run.parked !== null ? 'parked' : run.state;
  const verdict = verdictOfRun(state, run.outcome);
  const asOf =
    !isEnded && link.state === 'lost' && link.heardAt !== null ? ` as of ${formatClock(link.heardAt)}` : '';
  return (
    <header class="run-head">
      <div>
        <h1>{run.title ?? run.workflow_id}</h1>
        <div class="facts">
          <VerdictText verdict={verdict} text={`${verdict.word}${asOf}`} />
          {run.reason === null ? null : <span>{plainReason(run.reason)}</span>}
          <a href={formatRoute({ screen: 'workflow', repo: route.repo, workflow: run.workflow_id })}>
            {run.workflow_id}
          </a>
          <span>
            started <Ago at={run.started_at} isPoint />
          </span>
          <span class="number">
            {run.ended_at !== null ? (
              formatDuration(Math.max(0, Date.parse(run.ended_at) - Date.parse(run.started_at)))
            ) : isPast || asOf !== '' || isInterrupted ? (
              formatDuration(Math.max(0, Date.parse(run.as_of) - Date.parse(run.started_at)))
            ) : (
              <Elapsed since={run.started_at} />
            )}
          </span>
          <span class="number">{formatCost(run.spend.cost_usd, run.spend.unknown.cost_usd)}</span>
          {run.branch === null ? null : <span class="mono run-branch">{run.branch}</span>}
          {run.pull_request_url === null ? null : <WebLink url={run.pull_request_url} text="pull request" />}
        </div>
      </div>
      {isEnded || isPast ? null : <CancelButton repo={route.repo} run={route.run} />}
    </header>
  );
}

/** A longer path is folded in the middle: how it began and how it ended say most. */
const MAX_PATH = 14;
const PATH_START = 3;
const PATH_END = 8;

function RunPath({ path, route }: { readonly path: RunPage['path']; readonly route: RunRoute }): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const isFolded = path.length > MAX_PATH && !isWhole;
  const draw = (parts: RunPage['path']): JSX.Element[] =>
    parts.map((part, index) => <PathPiece key={index} part={part} route={route} />);
  return (
    <nav class="run-path" aria-label="Path of the run">
      {isFolded ? (
        <>
          {draw(path.slice(0, PATH_START))}
          <button type="button" class="button-text" onClick={() => setWhole(true)}>
            {`${path.length - PATH_START - PATH_END} more`}
          </button>
          {draw(path.slice(-PATH_END))}
        </>
      ) : (
        draw(path)
      )}
    </nav>
  );
}

function PathPiece({ part, route }: { readonly part: PathPart; readonly route: RunRoute }): JSX.Element {
  const tone = part.tone === 'current' ? 'running' : part.tone;
  if (part.kind !== 'step' || part.key === null)
    return <span class={`path-${part.kind} tone-${tone}`}>{part.text}</span>;
  return (
    <a
      class={`path-step${part.tone === 'current' ? ' is-current' : ''}`}
      aria-current={part.tone === 'current' ? 'step' : undefined}
      href={formatRoute({ ...route, step: part.key, tab: null, file: null, line: null })}
    >
      {part.text}
    </a>
  );
}

function Remarks({ run }: { readonly run: RunPage }): JSX.Element | null {
  const { findings, notes, violations, notices, answers } = run;
  if (findings.length + notes.length + violations.length + notices.length + answers.length === 0) return null;
  return (
    <ul class="remarks">
      {violations.map(({ seq, class: kind, message }) => (
        <li key={seq}>
          <VerdictText verdict={{ tone: 'danger', word: kind.replaceAll('_', ' ') }} /> {message}
        </li>
      ))}
      {findings.map((text) => (
        <li key={text}>
          <VerdictText verdict={{ tone: 'attention', word: 'finding' }} /> {text}
        </li>
      ))}
      {notes.map((text) => (
        <li key={text}>
          <VerdictText verdict={{ tone: 'neutral', word: 'note' }} /> {text}
        </li>
      ))}
      {notices.map(({ seq, message }) => (
        <li key={seq}>
          <VerdictText verdict={{ tone: 'neutral', word: 'notice' }} /> {message}
        </li>
      ))}
      {answers.map(({ step_id, attempt, answer, by, comment, answered_at, from }) => (
        <li key={`${step_id}${attempt}`}>
          <VerdictText
            verdict={
              answer === 'gate_approved'
                ? { tone: 'success', word: 'approved' }
                : { tone: 'attention', word: 'rejected' }
            }
          />{' '}
          {step_id} by {by ?? 'a person'} <Ago at={answered_at} isPoint />
          {from === null ? null : <span class="muted"> ({describeOrigin(from)})</span>}
          {comment === null ? null : <span class="quote">{comment}</span>}
        </li>
      ))}
    </ul>
  );
}

function describeOrigin({ user, session, address }: NonNullable<RunPage['answers'][number]['from']>): string {
  if (session == null) return `user ${user}, on the command line`;
  return `session ${session}${address == null ? '' : ` from ${address}`}`;
}
