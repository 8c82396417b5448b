import * as z from 'zod';
import { cancelRecordedRun } from '../../../app/drive/cancel-run.ts';
import { drawRun } from '../../../app/page/graph.ts';
import { countByDay, listRunsPage } from '../../../app/page/list-page.ts';
import { composeEvents, composeRunPage } from '../../../app/page/run-page.ts';
import { rewindRun } from '../../../app/page/run-state.ts';
import { expectOpened, type ServedRepository } from '../../../app/page/served-repository.ts';
import { defaultSince, reportRuns } from '../../../app/report.ts';
import { STATE_FILTERS } from '../../../app/runs/listed-state.ts';
import type { OpenRun } from '../../../app/runs/open-run.ts';
import { computeRunStats } from '../../../app/runs/run-stats.ts';
import { parseSince } from '../../../app/since.ts';
import { findUntrustedParts, listParts, TRUST_CONFIGURATION, type TrustRequest } from '../../../app/trust.ts';
import { MAX_COMMENT_LENGTH } from '../../../contracts/http/gate-documents.ts';
import { shortIdsOf } from '../../../overview/short-ids.ts';
import { readRecordedPlan } from '../../../runtime/record/recorded-run.ts';
import { getInRepo, getOfRun, postOfRun, queryCount, type Route, RouteError } from '../route.ts';

const MAX_EVENTS = 1_000;
const MAX_RUNS = 500;
const MAX_DAYS = 366;

/** What ran, and what came of it. */
export const RUN_ROUTES: readonly Route[] = [
  getInRepo('/report', async ({ query, server }, repo) => {
    const opened = expectOpened(await repo.services.openReport(repo.root));
    const now = server.now();
    const memory = await repo.services.reportMemory();
    const from = readSince(query, now) ?? defaultSince(await memory.lastPrinted(repo.root), now);
    const scope = { kind: 'since' as const, since: from.toISOString() };
    return { ...(await reportRuns([{ ...opened, repoOption: null }], scope, now)) };
  }),
  getInRepo('/stats', async ({ query, server }, { records }) => ({
    ...(await computeRunStats(records, { by: null, since: readSince(query, server.now()) })),
  })),
  getInRepo('/attendant', async ({ server }, { id }) => ({ problems: server.attendant.problems(id) })),
  getInRepo('/runs', async ({ query, server }, repo) => {
    const state = query.get('state');
    if (state !== null && !STATE_FILTERS.includes(state))
      throw new RouteError(400, 'query', `state is none of ${STATE_FILTERS.join(', ')}`);
    return listRunsPage(repo.records.store, server.reader.catalog(repo), {
      state,
      workflow: query.get('workflow'),
      agent: query.get('agent'),
      text: query.get('text') ?? '',
      before: query.get('before'),
      limit: Math.max(1, queryCount(query, 'limit', 50, MAX_RUNS)),
    });
  }),
  getInRepo('/days', async ({ query, server }, repo) => ({
    ...(await countByDay(
      server.reader.catalog(repo),
      server.now(),
      Math.max(1, queryCount(query, 'days', 14, MAX_DAYS)),
    )),
  })),
  getOfRun('', async (_, run) => composeRunPage(run, await shortIdOf(run), null)),
  getOfRun('/at/:seq', async ({ params }, run) => {
    if (!/^\d{1,9}$/.test(params.seq ?? '')) throw new RouteError(400, 'query', 'the event is not a number');
    return composeRunPage(run, await shortIdOf(run), Number(params.seq));
  }),
  getOfRun('/graph', async ({ query }, run) => {
    const seq = query.has('at') ? queryCount(query, 'at', 0, Number.MAX_SAFE_INTEGER) : null;
    const then = seq === null ? run : rewindRun(run, seq);
    const recorded = await readRecordedPlan(run.record.directory, run.view);
    if (!recorded.ok || then === null)
      throw new RouteError(404, 'no_graph', recorded.ok ? 'the run had not started' : recorded.message);
    return { ...drawRun(recorded.plan, then.view) };
  }),
  getOfRun('/events', async ({ query }, run) => ({
    ...composeEvents(
      run,
      queryCount(query, 'from', 0, Number.MAX_SAFE_INTEGER),
      queryCount(query, 'limit', MAX_EVENTS, MAX_EVENTS),
    ),
  })),
  postOfRun(
    '/cancel',
    z.strictObject({ comment: z.string().max(MAX_COMMENT_LENGTH).nullable().default(null) }),
    async ({ body, session }, run, repo) => {
      const cancelled = await cancelRecordedRun(
        {
          records: { ...run.records, userName: async () => session.name },
          ensureTrust: (workflows) => expectTrusted(repo, { workflows }),
          openRun: async () => expectOpened(await repo.services.openProject(repo.root)).deps,
        },
        run,
        body.comment,
      );
      if (!cancelled.ok)
        throw new RouteError(409, 'not_cancelled', cancelled.obstacle.message, cancelled.obstacle.help);
      const { by, note } = cancelled;
      return { run_id: run.view.runId, cancelled: true, by, reason: body.comment, note };
    },
  ),
];

function readSince(query: URLSearchParams, now: Date): Date | null {
  const text = query.get('since');
  if (text === null) return null;
  const since = parseSince(text, now);
  if (since === null)
    throw new RouteError(400, 'query', 'since is no time', 'write 12h, yesterday or a date');
  return since;
}

async function shortIdOf({ records, view }: OpenRun): Promise<string> {
  return shortIdsOf(await records.store.match(''))(view.runId);
}

/** Trust is a decision for the owner's terminal: a page can't give it. */
export async function expectTrusted(
  { services, root }: ServedRepository,
  wanted: Partial<TrustRequest>,
): Promise<void> {
  const trust = expectOpened(await services.openTrust(root, { ...TRUST_CONFIGURATION, ...wanted }));
  const missing = findUntrustedParts(trust);
  if (missing.length === 0) return;
  throw new RouteError(
    409,
    'not_trusted',
    `${trust.repository} is not trusted with ${listParts(missing)}`,
    'run conductor trust in a terminal',
  );
}
