import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { StepPage } from '../../../../src/contracts/http/evidence-page.ts';
import type { RunPage, StepLine } from '../../../../src/contracts/http/run-page.ts';
import { useDocument, useLast } from '../../api/document-cache.ts';
import { stepPath, withQuery } from '../../api/paths.ts';
import { DiffView } from '../../diff/diff-view.tsx';
import { navigate } from '../../state/navigation.ts';
import type { EvidenceTab, Route } from '../../state/routes.ts';
import { countOf } from '../../text/numbers.ts';
import { formatDuration } from '../../text/time.ts';
import { plainCause, plainReason } from '../../text/verdict.ts';
import { Ago } from '../../ui/clock.tsx';
import { DocumentView } from '../../ui/document-view.tsx';
import { Mark, VerdictText } from '../../ui/mark.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { Artifacts } from './artifacts.tsx';
import { Checks } from './checks.tsx';
import { Claims } from './claims.tsx';
import { Output } from './output.tsx';
import { Prompt } from './prompt.tsx';
import { verdictOfLine } from './steps.tsx';
import '../../styles/evidence.css';

type RunRoute = Extract<Route, { screen: 'run' }>;

/** The width below which styles put the evidence below the steps. */
const NARROW = '(width < 1000px)';

/** What a step did and what shows it. The tab stays when another step is chosen. */
export function Evidence({
  route,
  run,
  step,
}: {
  readonly route: RunRoute;
  readonly run: RunPage;
  readonly step: StepLine;
}): JSX.Element {
  const page = useDocument<StepPage>(withQuery(stepPath(route.repo, route.run, step.key), { at: route.at }));
  // While the slider moves, what was known of the step stays until the next state has come.
  const last = useLast(page.data);
  const shown = page.data === null && last?.key === step.key ? { ...page, data: last } : page;
  const section = useRef<HTMLElement>(null);
  const named = route.step === step.key ? step.key : null;
  useEffect(() => {
    // Where the evidence is below the steps, it would open out of view. A line of it scrolls by itself.
    if (named !== null && route.line === null && matchMedia(NARROW).matches)
      section.current?.scrollIntoView();
  }, [named]);
  return (
    <section ref={section} class="evidence" aria-label={`Evidence of ${step.key}`}>
      <header class="evidence-head">
        <h2>
          {step.step_id}
          {step.attempt > 1 ? <span class="muted"> attempt {step.attempt}</span> : null}
        </h2>
        <div class="facts">
          <VerdictText verdict={verdictOfLine(step)} />
          <span>{OPCODE_WORDS[step.opcode]}</span>
          <span>
            started <Ago at={step.started_at} isPoint />
          </span>
          {step.duration_ms === null ? null : <span class="number">{formatDuration(step.duration_ms)}</span>}
        </div>
      </header>
      <DocumentView of={shown} what="the step" lines={5}>
        {(data) => <StepEvidence route={route} run={run} step={step} page={data} />}
      </DocumentView>
    </section>
  );
}

const OPCODE_WORDS: Readonly<Record<StepLine['opcode'], string>> = {
  RUN_AGENT: 'agent',
  RUN_VALIDATION: 'checks',
  EVALUATE: 'evaluation',
  GATE: 'gate',
  ROLLBACK: 'rollback',
  STOP: 'end',
};

function StepEvidence({
  route,
  run,
  step,
  page,
}: {
  readonly route: RunRoute;
  readonly run: RunPage;
  readonly step: StepLine;
  readonly page: StepPage;
}): JSX.Element {
  const tabs = tabsOf(page);
  const fallback = defaultTab(page);
  const selected = tabs.find(({ id }) => id === route.tab)?.id ?? fallback;
  const panelId = 'evidence-panel';
  return (
    <>
      <Why page={page} />
      <Tabs
        label="Evidence"
        tabs={tabs}
        selected={selected}
        panelId={panelId}
        onSelect={(tab) => navigate({ ...route, step: step.key, tab, file: null, line: null }, 'replace')}
      />
      <div id={panelId} role="tabpanel" aria-labelledby={`${panelId}-${selected}`} class="panel">
        <Panel tab={selected} route={route} run={run} step={step} page={page} />
      </div>
    </>
  );
}

function Panel({
  tab,
  route,
  run,
  step,
  page,
}: {
  readonly tab: EvidenceTab;
  readonly route: RunRoute;
  readonly run: RunPage;
  readonly step: StepLine;
  readonly page: StepPage;
}): JSX.Element {
  // A running step's evidence grows with the run's events; that of one that has ended never changes.
  const version = step.state === 'ended' ? 'ended' : String(run.as_of_seq);
  const of = { repo: route.repo, run: route.run };
  switch (tab) {
    case 'changes':
      return (
        <DiffView
          {...of}
          at={page.opcode === 'RUN_AGENT' && step.state === 'ended' ? null : route.at}
          step={page.opcode === 'RUN_AGENT' ? step.key : null}
          version={version}
          place={route}
          placeUrl={(file, line) => ({ ...route, step: step.key, tab: 'changes', file, line })}
          draft={null}
        />
      );
    case 'checks':
      return <Checks {...of} step={page.checks?.step ?? step.key} version={version} />;
    case 'claims':
      return <Claims route={route} page={page} />;
    case 'output':
      return (
        <>
          {route.at === null || step.state === 'ended' ? null : (
            <p class="muted">Events don’t divide the output of a step: this is all of it.</p>
          )}
          <Output
            key={step.key}
            {...of}
            step={step.key}
            streams={page.output}
            line={route.line}
            version={version}
            route={route}
          />
        </>
      );
    case 'prompt':
      return <Prompt {...of} step={step.key} />;
    case 'artifacts':
      return <Artifacts {...of} page={page} />;
  }
}

function tabsOf(page: StepPage): Tab<EvidenceTab>[] {
  const { change, checks, claims, output, has_prompt, evidence } = page;
  const tabs: (Tab<EvidenceTab> & { readonly isThere: boolean })[] = [
    {
      id: 'changes',
      label: 'Changes',
      isThere: true,
      ...(change === null ? {} : { note: String(change.files) }),
    },
    {
      id: 'checks',
      label: 'Checks',
      isThere: checks !== null,
      ...(checks === null
        ? {}
        : { note: `${checks.cases?.passed ?? checks.passed}/${checks.cases?.total ?? checks.total}` }),
    },
    {
      id: 'claims',
      label: 'Claims',
      isThere: claims.length > 0 || page.final_response !== null,
      ...(claims.length === 0 ? {} : { note: String(claims.length) }),
    },
    { id: 'output', label: 'Output', isThere: output.length > 0 },
    { id: 'prompt', label: 'Prompt', isThere: has_prompt },
    { id: 'artifacts', label: 'Artifacts', isThere: true, note: String(evidence.length) },
  ];
  return tabs
    .filter(({ isThere }) => isThere)
    .map(({ id, label, note }) => ({ id, label, ...(note === undefined ? {} : { note }) }));
}

function defaultTab({ opcode, output, ended_at }: StepPage): EvidenceTab {
  if (ended_at === null && output.length > 0) return 'output';
  if (opcode === 'RUN_VALIDATION') return 'checks';
  return opcode === 'EVALUATE' ? 'claims' : 'changes';
}

const SHOWN_BLOCKERS = 3;

function Blockers({ blockers }: Pick<NonNullable<StepPage['why']>, 'blockers'>): JSX.Element {
  const draw = (list: typeof blockers): JSX.Element[] =>
    list.map(({ code, summary }) => (
      <p key={code + summary} class="blocker">
        <Mark verdict={{ tone: 'attention', word: 'blocker' }} />
        <span>{summary}</span>
      </p>
    ));
  const rest = blockers.slice(SHOWN_BLOCKERS);
  return (
    <>
      {draw(blockers.slice(0, SHOWN_BLOCKERS))}
      {rest.length === 0 ? null : (
        <details class="more">
          <summary>{countOf(rest.length, 'more blocker')}</summary>
          {draw(rest)}
        </details>
      )}
    </>
  );
}

/** Verdict, reason, and what would change it. */
function Why({ page }: { readonly page: StepPage }): JSX.Element | null {
  const { why, reason, summary, checks, policy } = page;
  const failed = checks?.failed ?? [];
  const violations = policy?.violations ?? [];
  if (why === null && reason === null && summary === null && violations.length === 0) return null;
  return (
    <div class="why">
      {why === null ? (
        <p>{plainReason(reason ?? summary ?? '')}</p>
      ) : (
        <>
          <p>{plainCause(why.reason)}</p>
          <p class="muted">Would be different after: {why.change}</p>
          <Blockers blockers={why.blockers} />
          {why.risk_flags.length === 0 ? null : (
            <p class="tone-attention">{why.risk_flags.map((flag) => flag.replaceAll('_', ' ')).join(', ')}</p>
          )}
        </>
      )}
      {failed.length === 0 || why !== null ? null : (
        <p class="tone-danger">{`Failed: ${failed.slice(0, 5).join(', ')}${failed.length > 5 ? ` and ${countOf(failed.length - 5, 'more', 'more')}` : ''}`}</p>
      )}
      {violations.map(({ class: kind, message }) => (
        <p key={message}>
          <VerdictText verdict={{ tone: 'danger', word: kind.replaceAll('_', ' ') }} /> {message}
        </p>
      ))}
    </div>
  );
}
