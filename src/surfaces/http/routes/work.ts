import { expectOpened, type ServedRepository } from '../../../app/page/served-repository.ts';
import { actOnItem, type ItemAction } from '../../../app/page/work-actions.ts';
import { composeBoard, composeItem } from '../../../app/page/work-board.ts';
import type { OpenWork } from '../../../app/work/opened-work.ts';
import { itemHistory } from '../../../app/work/show-item.ts';
import { mergeBodySchema, scopeBodySchema, transitionBodySchema } from '../../../contracts/http/work-page.ts';
import { WORK_STATUSES } from '../../../contracts/work/work-item.ts';
import {
  getInRepo,
  postInRepo,
  queryCount,
  type Route,
  RouteError,
  type SessionRequest,
  sendJson,
} from '../route.ts';
import { expectTrusted } from './runs.ts';

const MAX_ITEMS = 2_000;

/** The board, and what a user does with an item: the same as with `conductor work`. */
export const WORK_ROUTES: readonly Route[] = [
  getInRepo('/items', async ({ query }, repo) => {
    const wanted = query.get('status');
    const status = WORK_STATUSES.find((each) => each === wanted) ?? null;
    if (wanted !== null && status === null)
      throw new RouteError(400, 'query', `status is none of ${WORK_STATUSES.join(', ')}`);
    return withWork(repo, async ({ engine }) => ({
      ...composeBoard(await engine.snapshot(), {
        status,
        text: query.get('text') ?? '',
        offset: queryCount(query, 'offset', 0, Number.MAX_SAFE_INTEGER),
        limit: queryCount(query, 'limit', 500, MAX_ITEMS),
      }),
    }));
  }),
  getInRepo('/items/:item', async ({ params }, repo) =>
    withWork(repo, async ({ engine, history }) => {
      const snapshot = await engine.snapshot();
      const known = snapshot.state.items.get(params.item ?? '');
      if (known === undefined) throw noItem();
      return { ...composeItem(snapshot, known, itemHistory(await history(), known.item)) };
    }),
  ),
  postInRepo('/items/:item/transition', transitionBodySchema, async (request, repo) =>
    act(request, repo, { kind: 'transition', ...request.body }),
  ),
  postInRepo('/items/:item/merge', mergeBodySchema, async (request, repo) =>
    act(request, repo, { kind: 'merge', withBlockers: request.body.with_blockers }),
  ),
  postInRepo('/items/:item/scope', scopeBodySchema, async (request, repo) =>
    act(request, repo, { kind: 'scope', paths: request.body.add, reason: request.body.reason }),
  ),
];

async function act(
  { params, session, address }: SessionRequest<unknown>,
  repo: ServedRepository,
  action: ItemAction,
): Promise<Response> {
  await expectTrusted(repo, { allWorkflows: true, work: true });
  return withWork(repo, async (work) => {
    const { origin, runMark } = await work.answerer();
    const answerer = { runMark, origin: { ...origin, terminal: null, session: session.name, address } };
    const done = await actOnItem(work, params.item ?? '', action, { name: session.name, answerer });
    if (done === null) throw noItem();
    const error = { code: 'refused', message: done.message ?? '', help: done.help };
    return sendJson({ schema_version: 1, ...done, ...(done.ok ? {} : { error }) }, done.ok ? 200 : 409);
  });
}

function noItem(): RouteError {
  return new RouteError(404, 'no_item', 'there is no such work item');
}

async function withWork<T>(repo: ServedRepository, use: (work: OpenWork) => Promise<T>): Promise<T> {
  const work = expectOpened(await repo.services.openWork(repo.root, { jobs: null }));
  try {
    return await use(work);
  } finally {
    await work.close();
  }
}
