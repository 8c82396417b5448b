import type { ComponentChildren, JSX } from 'preact';
import type {
  ReportLine,
  ReportNews,
  ReportQuestion,
} from '../../../src/contracts/cli/cli-report-document.ts';
import type { DaysDocument } from '../../../src/contracts/http/run-page.ts';
import { useDocument } from '../api/document-cache.ts';
import type { ReportDocument } from '../api/documents.ts';
import { repoPath, withQuery } from '../api/paths.ts';
import { formatRoute, gateRoute, type Route, runRoute } from '../state/routes.ts';
import { useTitle } from '../state/title.ts';
import { countOf, formatCost, formatCount } from '../text/numbers.ts';
import { formatDuration, formatSince } from '../text/time.ts';
import { plainReason, type Verdict, verdictOfRun } from '../text/verdict.ts';
import { ChangeCount } from '../ui/change-count.tsx';
import { Ago, Elapsed, useMinutes } from '../ui/clock.tsx';
import { Commands } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { Mark } from '../ui/mark.tsx';
import { Section } from '../ui/section.tsx';
import { WebLink } from '../ui/web-link.tsx';
import { Spent } from './home-spent.tsx';
import '../styles/home.css';

/** The report of a repository: what waits for the user, and how the other runs ended. */
export function Home({ route }: { readonly route: Extract<Route, { screen: 'home' }> }): JSX.Element {
  const { repo } = route;
  const report = useDocument<ReportDocument>(`${repoPath(repo)}/report`);
  const days = useDocument<DaysDocument>(withQuery(`${repoPath(repo)}/days`, { days: 14 }));
  useTitle(null, 'home');
  return (
    <DocumentView of={report} what="the report" lines={9}>
      {(data) => <ReportView repo={repo} report={data} days={days.data} />}
    </DocumentView>
  );
}

function ReportView({
  repo,
  report,
  days,
}: {
  readonly repo: string;
  readonly report: ReportDocument;
  readonly days: DaysDocument | null;
}): JSX.Element {
  const now = useMinutes();
  const section = (id: string): ReportDocument['sections'][number] | undefined =>
    report.sections.find((each) => each.id === id);
  const needs = section('needs_you');
  const running = section('running')?.runs ?? [];
  const ended = ['claimed_not_shown', 'failed', 'done'].flatMap((id) => section(id)?.runs ?? []);
  const waiting = (needs?.runs.length ?? 0) + (needs?.questions.length ?? 0);
  const since = report.since === null ? 'Named runs' : `Since ${formatSince(new Date(report.since), now)}`;
  return (
    <div class="home">
      <Section title="Needs you" count={waiting} level={1}>
        {waiting === 0 ? (
          <p class="empty">Nothing. No run waits at a gate, and no item has a question.</p>
        ) : (
          <ul class="lines">
            {needs?.runs.map((line) => (
              <NeedsLine key={line.run_id} repo={repo} line={line} />
            ))}
            {needs?.questions.map((question) => (
              <QuestionLine key={question.item_id} repo={repo} question={question} />
            ))}
          </ul>
        )}
      </Section>
      {running.length === 0 ? null : (
        <Section title="Running" count={running.length}>
          <ul class="lines">
            {running.map((line) => (
              <RunningLine key={line.run_id} repo={repo} line={line} />
            ))}
          </ul>
        </Section>
      )}
      <Section title={since} count={ended.length}>
        {ended.length === 0 ? (
          <p class="empty">
            No run has ended. Start one: <code>conductor run implement --input task=&#39;…&#39;</code>
          </p>
        ) : (
          <ul class="lines">
            {ended.map((line) => (
              <EndedLine key={line.run_id} repo={repo} line={line} />
            ))}
          </ul>
        )}
      </Section>
      <News repo={repo} news={report.news} />
      <Spent spent={report.spent} days={days} />
      {report.unreadable.map(({ subject, problem }) => (
        <p key={subject} class="notice tone-danger-edge">
          {subject}: {problem}
        </p>
      ))}
      <Commands commands={['conductor report']} />
    </div>
  );
}

function titleOf({ title, workflow_id }: ReportLine): string {
  return title ?? workflow_id;
}

/** A row of three columns: the mark of the outcome, the text, and a value to compare between rows or a button. */
function Line({
  verdict,
  href,
  title,
  end,
  children,
}: {
  readonly verdict: Verdict;
  readonly href: string;
  readonly title: string;
  readonly end: JSX.Element | null;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <li class="line-item">
      <Mark verdict={verdict} />
      <div class="line-text">
        <a class="line-title" href={href} data-row>
          {title}
        </a>
        <div class="facts">{children}</div>
      </div>
      <div class="line-end">{end}</div>
    </li>
  );
}

function NeedsLine({ repo, line }: { readonly repo: string; readonly line: ReportLine }): JSX.Element {
  const { gate, parked } = line;
  const href = formatRoute(gate === null ? runRoute(repo, line.run_id) : gateRoute(repo, line.run_id));
  return (
    <Line
      verdict={{ tone: 'needs', word: 'needs you' }}
      href={href}
      title={titleOf(line)}
      end={
        <a class="button is-needs" href={href}>
          {gate === null ? 'Look' : 'Review'}
          <span class="sr-only"> {titleOf(line)}</span>
        </a>
      }
    >
      <span class="line-ask">
        {gate === null
          ? plainReason(parked?.reason ?? line.reason ?? 'waiting')
          : `approve at “${gate.step_id}”: ${plainReason(gate.reason)}`}
      </span>
      {gate === null ? null : (
        <span>
          waiting <Ago at={gate.requested_at} />
        </span>
      )}
      <Evidence line={line} />
    </Line>
  );
}

function QuestionLine({
  repo,
  question,
}: {
  readonly repo: string;
  readonly question: ReportQuestion;
}): JSX.Element {
  const href = formatRoute({ screen: 'item', repo, item: question.item_id });
  return (
    <Line
      verdict={{ tone: 'needs', word: 'question' }}
      href={href}
      title={`Item ${question.item_id}: ${question.title}`}
      end={
        <a class="button is-needs" href={href}>
          Answer
          <span class="sr-only"> {question.title}</span>
        </a>
      }
    >
      <span class="line-ask">{question.question}</span>
    </Line>
  );
}

function RunningLine({ repo, line }: { readonly repo: string; readonly line: ReportLine }): JSX.Element {
  return (
    <Line
      verdict={verdictOfRun(line.state, null)}
      href={formatRoute(runRoute(repo, line.run_id))}
      title={titleOf(line)}
      end={
        <span class="muted">
          <Elapsed since={line.started_at} />
        </span>
      }
    >
      <span>
        {line.parked === null
          ? `${line.state}${line.current_step_id === null ? '' : ` at step ${line.current_step_id}`}`
          : `parked at ${line.parked.step_id}: ${line.parked.reason}`}
      </span>
      <span>workflow {line.workflow_id}</span>
      <span class="number">{formatCost(line.spend.cost_usd, line.spend.unknown.cost_usd)}</span>
    </Line>
  );
}

function EndedLine({ repo, line }: { readonly repo: string; readonly line: ReportLine }): JSX.Element {
  const verdict = verdictOfRun(line.state, line.outcome);
  const cause = line.outcome === 'success' ? null : (line.first_cause ?? line.reason);
  const doubt = line.claims.contradicted_texts[0] ?? null;
  const ended = line.ended_at ?? line.updated_at;
  return (
    <Line
      verdict={verdict}
      href={formatRoute(runRoute(repo, line.run_id))}
      title={titleOf(line)}
      end={
        <span class="muted">
          <Ago at={ended} />
        </span>
      }
    >
      <span class={`tone-${verdict.tone}`}>
        {line.cancelled_by === null ? verdict.word : `cancelled by ${line.cancelled_by}`}
        {cause === null ? '' : `: ${plainReason(cause)}`}
      </span>
      {doubt === null ? null : <span class="tone-danger">{shortenList(doubt)}</span>}
      <span class="number">
        {formatDuration(Math.max(0, Date.parse(ended) - Date.parse(line.started_at)))}
      </span>
      <Evidence line={line} />
      {line.branch === null ? null : (
        <span class="mono branch" title={line.branch}>
          {line.branch}
        </span>
      )}
      {line.pull_request_url === null ? null : <WebLink url={line.pull_request_url} text="pull request" />}
    </Line>
  );
}

function Evidence({ line }: { readonly line: ReportLine }): JSX.Element {
  const { checks, change, flags, spend } = line;
  return (
    <>
      {checks === null ? null : <CheckCount checks={checks} />}
      {flags.length === 0 ? null : <span class="tone-attention">{flags.map(plain).join(', ')}</span>}
      {change === null ? null : <ChangeCount insertions={change.insertions} deletions={change.deletions} />}
      <span class="number">{formatCost(spend.cost_usd, spend.unknown.cost_usd)}</span>
    </>
  );
}

/** Skipped cases are neither passed nor failed, so failures are counted on their own. */
function CheckCount({ checks }: { readonly checks: NonNullable<ReportLine['checks']> }): JSX.Element {
  const { passed, total, failed = total - passed } = checks.cases ?? { ...checks, failed: undefined };
  if (failed > 0)
    return (
      <span class="number tone-danger">{`${formatCount(failed)} of ${countOf(total, 'check')} failed`}</span>
    );
  return <span class="number">{`${countOf(passed, 'check')} passed`}</span>;
}

/** The beginning of a list in one line: a contradicted claim names every case that fails. */
function shortenList(text: string): string {
  const parts = text.split('; ');
  return parts.length <= 2 ? text : `${parts[0] ?? ''} and ${formatCount(parts.length - 1)} more`;
}

function plain(flag: string): string {
  return flag.replaceAll('_', ' ');
}

function News({
  repo,
  news,
}: {
  readonly repo: string;
  readonly news: readonly ReportNews[];
}): JSX.Element | null {
  if (news.length === 0) return null;
  return (
    <Section title="New since last time">
      <ul class="lines">
        {news.map(({ run_id, newly_failing, fixed, outcome, before_outcome, base_sha }) => (
          <Line
            key={run_id}
            verdict={
              newly_failing.length > 0
                ? { tone: 'danger', word: 'newly failing' }
                : { tone: 'success', word: 'fixed' }
            }
            href={formatRoute(runRoute(repo, run_id))}
            title={
              newly_failing.length > 0
                ? `${countOf(newly_failing.length, 'check')} of the base newly ${newly_failing.length === 1 ? 'fails' : 'fail'}`
                : `${countOf(fixed.length, 'check')} of the base fixed`
            }
            end={null}
          >
            <span>{[...newly_failing, ...fixed].slice(0, 3).join(', ')}</span>
            <span>{`${before_outcome} → ${outcome}`}</span>
            <span class="mono">{base_sha.slice(0, 8)}</span>
          </Line>
        ))}
      </ul>
    </Section>
  );
}
