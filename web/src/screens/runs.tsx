import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useDocument } from '../api/document-cache.ts';
import type { ListedRun, RunsDocument } from '../api/documents.ts';
import { getJson } from '../api/http.ts';
import { repoPath, withQuery } from '../api/paths.ts';
import { connection } from '../api/stream.ts';
import { background } from '../state/background.ts';
import { navigate } from '../state/navigation.ts';
import { formatRoute, gateRoute, type Route, type RunFilter, runRoute } from '../state/routes.ts';
import { useStore } from '../state/store.ts';
import { useTitle } from '../state/title.ts';
import { countOf, formatCost } from '../text/numbers.ts';
import { formatClock, formatDuration } from '../text/time.ts';
import { verdictOfRun } from '../text/verdict.ts';
import { Ago } from '../ui/clock.tsx';
import { Commands } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { Mark } from '../ui/mark.tsx';
import { VirtualRows } from '../ui/virtual-rows.tsx';
import '../styles/runs.css';

type RunsRoute = Extract<Route, { screen: 'runs' }>;

const PAGE = 100;

const STATES = [
  { value: null, text: 'All' },
  { value: 'waiting', text: 'Needs you' },
  { value: 'running', text: 'Running' },
  { value: 'completed', text: 'Completed' },
  { value: 'failed', text: 'Failed' },
  { value: 'interrupted', text: 'Interrupted' },
] as const;

/** Every run, newest first. */
export function Runs({ route }: { readonly route: RunsRoute }): JSX.Element {
  const { repo, state, workflow, agent, text } = route;
  const filter = { state, workflow, agent, text };
  const first = useDocument<RunsDocument>(withQuery(`${repoPath(repo)}/runs`, { ...filter, limit: PAGE }));
  useTitle(null, 'runs');
  const set = (changed: Partial<RunFilter>): void => navigate({ ...route, ...changed }, 'replace');
  return (
    <>
      <h1>Runs</h1>
      <Filters route={route} onChange={set} />
      <DocumentView of={first} what="the runs" lines={10}>
        {(data) => <RunList key={formatRoute(route)} route={route} first={data} />}
      </DocumentView>
      <Commands commands={['conductor runs']} />
    </>
  );
}

function Filters({
  route,
  onChange,
}: {
  readonly route: RunsRoute;
  readonly onChange: (changed: Partial<RunFilter>) => void;
}): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  const search = (value: string): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange({ text: value.trim() || null }), 200);
  };
  return (
    <search aria-label="Filter runs" class="filters">
      <fieldset class="segments">
        <legend class="sr-only">State</legend>
        {STATES.map(({ value, text }) => (
          <button
            key={text}
            type="button"
            class="segment"
            aria-pressed={route.state === value}
            onClick={() => onChange({ state: value })}
          >
            {text}
          </button>
        ))}
      </fieldset>
      <div class="filter-fields">
        <Field label="Workflow" value={route.workflow} onChange={(workflow) => onChange({ workflow })} />
        <Field label="Agent" value={route.agent} onChange={(agent) => onChange({ agent })} />
        <label class="filter-text">
          <span class="sr-only">Text in the title or the id</span>
          <input
            ref={field}
            type="search"
            placeholder="Title or id"
            defaultValue={route.text ?? ''}
            onInput={(event) => search(event.currentTarget.value)}
          />
        </label>
      </div>
    </search>
  );
}

function Field({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}): JSX.Element {
  return (
    <label>
      <span class="sr-only">{label}</span>
      <input
        type="text"
        placeholder={label}
        defaultValue={value ?? ''}
        onChange={(event) => onChange(event.currentTarget.value.trim() || null)}
      />
    </label>
  );
}

/** The first page is live; later ones are fetched as they are reached. */
function RunList({ route, first }: { readonly route: RunsRoute; readonly first: RunsDocument }): JSX.Element {
  const [later, setLater] = useState<readonly RunsDocument[]>([]);
  const isFetching = useRef(false);
  const link = useStore(connection);
  // A new run moves the boundaries of all pages.
  const boundary = first.next;
  useEffect(() => setLater([]), [boundary]);
  const runs = [first, ...later].flatMap((page) => page.runs);
  const next = (later.at(-1) ?? first).next;
  const fetchNext = async (): Promise<void> => {
    if (next === null || isFetching.current) return;
    isFetching.current = true;
    const { repo, state, workflow, agent, text } = route;
    const query = { state, workflow, agent, text, limit: PAGE, before: next };
    try {
      const page = await getJson<RunsDocument>(withQuery(`${repoPath(repo)}/runs`, query));
      setLater((pages) => [...pages, page]);
    } finally {
      isFetching.current = false;
    }
  };
  if (runs.length === 0)
    return (
      <p class="empty">
        {route.state === null && route.text === null && route.workflow === null && route.agent === null ? (
          <>
            No runs yet. Start one: <code>conductor run implement --input task=&#39;…&#39;</code>
          </>
        ) : (
          'No run matches.'
        )}
      </p>
    );
  return (
    <>
      <p class="muted run-count" role="status">
        {countOf(first.total, 'run')}
      </p>
      <VirtualRows
        className="run-rows"
        label="Runs"
        count={runs.length}
        estimate={() => 58}
        keyOf={(index) => runs[index]?.run_id ?? index}
        onRange={(_, last) => {
          if (last >= runs.length - 20) background(fetchNext());
        }}
        row={(index) => {
          const run = runs[index];
          return run === undefined ? null : (
            <RunRow repo={route.repo} run={run} asOf={link.state === 'lost' ? link.heardAt : null} />
          );
        }}
      />
    </>
  );
}

function RunRow({
  repo,
  run,
  asOf,
}: {
  readonly repo: string;
  readonly run: ListedRun;
  readonly asOf: Date | null;
}): JSX.Element {
  const { status, spend, state } = run;
  const verdict = verdictOfRun(state, status?.outcome ?? null);
  const isOpen = state === 'waiting';
  const isMoving = verdict.tone === 'running';
  const seconds = status?.elapsed_seconds ?? null;
  return (
    <div class="run-row">
      <Mark verdict={verdict} silent />
      <a
        class="run-title"
        data-row
        href={formatRoute(isOpen ? gateRoute(repo, run.run_id) : runRoute(repo, run.run_id))}
      >
        {run.title ?? status?.workflow_id ?? run.run_id}
      </a>
      <span class={`run-state tone-${verdict.tone}`}>
        {verdict.word}
        {isMoving && status?.current_step_id != null ? `: ${status.current_step_id}` : ''}
        {isMoving && asOf !== null ? ` as of ${formatClock(asOf)}` : ''}
      </span>
      <span class="run-workflow muted">{status?.workflow_id ?? ''}</span>
      <span class="run-figures muted number">
        {seconds === null ? '' : formatDuration(seconds * 1_000)}
        {spend === null ? '' : ` · ${formatCost(spend.cost_usd, spend.unknown.cost_usd)}`}
      </span>
      <span class="run-when muted">{status === null ? '' : <Ago at={status.started_at} />}</span>
    </div>
  );
}
