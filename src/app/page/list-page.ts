import type { Spend } from '../../contracts/cli/cli-report-document.ts';
import { DAY_MS } from '../../contracts/duration.ts';
import type { DaysDocument } from '../../contracts/http/run-page.ts';
import { KIND_BY_OUTCOME } from '../../overview/stats-periods.ts';
import type { RunStore } from '../../ports/run-store.ts';
import { runsDocument } from '../runs/list-runs.ts';
import { isInState } from '../runs/listed-state.ts';
import type { CatalogRow, RunCatalog } from './run-catalog.ts';

export interface RunsQuery {
  /** A state or an outcome; null for all runs. */
  readonly state: string | null;
  readonly workflow: string | null;
  readonly agent: string | null;
  /** Words that must all occur; empty for all runs. */
  readonly text: string;
  readonly limit: number;
  /** The last run of the page before; null for the first page. */
  readonly before: string | null;
}

/** A page of the runs that match, newest first: the document of `runs --json`, and where the next page starts. */
export async function listRunsPage(store: RunStore, catalog: RunCatalog, query: RunsQuery) {
  const matching = await findMatching(store, catalog, query);
  const { before, limit } = query;
  const rest = before === null ? matching : matching.filter((runId) => runId < before);
  const shown = rest.slice(0, limit);
  const listed = await store.list(shown);
  const spend = new Map(
    (await catalog.rows(shown)).flatMap(({ runId, spend: spent }): [string, Spend][] =>
      spent === null ? [] : [[runId, spent]],
    ),
  );
  const hidden = rest.length - shown.length;
  return {
    schema_version: 1 as const,
    ...runsDocument({ all: [], shown: listed, hidden }, spend),
    next: hidden === 0 ? null : (shown.at(-1) ?? null),
    total: matching.length,
  };
}

/** Without a filter, no run needs to be read. */
async function findMatching(
  store: RunStore,
  catalog: RunCatalog,
  query: RunsQuery,
): Promise<readonly string[]> {
  const runIds = await catalog.ids();
  const { state, workflow, agent, text } = query;
  if (state === null && workflow === null && agent === null && text.trim() === '') return runIds;
  const rows = (await catalog.rows(runIds)).filter((row) => matches(row, query));
  const found = state === null ? rows : await filterByState(store, rows, state);
  return found.map(({ runId }) => runId);
}

function matches({ workflowId, agents, text }: CatalogRow, query: RunsQuery): boolean {
  const words = query.text.toLowerCase().split(/\s+/);
  return (
    (query.workflow === null || workflowId === query.workflow) &&
    (query.agent === null || agents.includes(query.agent)) &&
    words.every((word) => text.includes(word))
  );
}

/** Of ended runs the catalog knows the state; whether a process drives one of the others, only its folder says. */
async function filterByState(
  store: RunStore,
  rows: readonly CatalogRow[],
  state: string,
): Promise<readonly CatalogRow[]> {
  const open = rows.filter(({ outcome }) => outcome === null).map(({ runId }) => runId);
  const found = new Set(
    (await store.list(open)).filter((run) => isInState(run, state)).map(({ runId }) => runId),
  );
  return rows.filter(({ runId, outcome, lifecycle }) =>
    outcome === null ? found.has(runId) : outcome === state || lifecycle === state,
  );
}

/** The runs of the last days by the day of their start, for small plots. */
export async function countByDay(catalog: RunCatalog, now: Date, days: number): Promise<DaysDocument> {
  const today = Math.floor(now.getTime() / DAY_MS);
  const first = today - days + 1;
  const counted = Array.from({ length: days }, (_, at) => ({
    day: new Date((first + at) * DAY_MS).toISOString().slice(0, 10),
    runs: 0,
    success: 0,
    unverified: 0,
    stopped: 0,
    failed: 0,
    cancelled: 0,
    running: 0,
    cost_usd: 0,
    cost_unknown: 0,
    agent_ms: 0,
  }));
  for (const { startedAt, outcome, spend } of await readSince(catalog, first * DAY_MS)) {
    const day = startedAt === null ? undefined : counted[Math.floor(Date.parse(startedAt) / DAY_MS) - first];
    if (day === undefined) continue;
    day.runs += 1;
    if (outcome === null) day.running += 1;
    else if (outcome === 'cancelled') day.cancelled += 1;
    else day[KIND_BY_OUTCOME[outcome]] += 1;
    day.cost_usd = Number((day.cost_usd + (spend?.cost_usd ?? 0)).toFixed(9));
    day.cost_unknown += spend?.unknown.cost_usd ?? 0;
    day.agent_ms += spend?.agent_ms ?? 0;
  }
  return { days: counted };
}

const BATCH_SIZE = 64;

/** Runs are in the order of their start, so that older ones need not be read. */
async function readSince(catalog: RunCatalog, sinceMs: number): Promise<readonly CatalogRow[]> {
  const runIds = await catalog.ids();
  const found: CatalogRow[] = [];
  for (let start = 0; start < runIds.length; start += BATCH_SIZE) {
    const rows = await catalog.rows(runIds.slice(start, start + BATCH_SIZE));
    found.push(...rows);
    const oldest = rows.at(-1)?.startedAt ?? null;
    if (oldest !== null && Date.parse(oldest) < sinceMs) break;
  }
  return found;
}
