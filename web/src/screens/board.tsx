import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { BoardDocument, BoardItem } from '../../../src/contracts/http/work-page.ts';
import { useDocument } from '../api/document-cache.ts';
import { repoPath, withQuery } from '../api/paths.ts';
import { formatRoute, type Route } from '../state/routes.ts';
import { useTitle } from '../state/title.ts';
import { countOf } from '../text/numbers.ts';
import { plainWaiting } from '../text/verdict.ts';
import { Commands } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { Icon } from '../ui/icon.tsx';
import { Dependencies } from './board/dependencies.tsx';
import '../styles/board.css';

/** All items that a board shows at once; a longer board has the rest behind a button. */
const LIMIT = 300;

const STATUS_WORDS: Readonly<Record<BoardItem['status'], string>> = {
  pending: 'Pending',
  ready: 'Ready',
  'in-progress': 'In progress',
  review: 'Review',
  approved: 'Approved',
  'needs-refinement': 'Needs refinement',
  blocked: 'Blocked',
  closed: 'Closed',
};

/** Which item waits for what? */
export function Board({ route }: { readonly route: Extract<Route, { screen: 'board' }> }): JSX.Element {
  const [limit, setLimit] = useState(LIMIT);
  const board = useDocument<BoardDocument>(withQuery(`${repoPath(route.repo)}/items`, { limit }));
  useTitle(null, 'items');
  return (
    <>
      <h1>Items</h1>
      <DocumentView of={board} what="the items" lines={8}>
        {(data) => (
          <>
            <BoardView repo={route.repo} board={data} />
            {data.items.length >= data.total ? null : (
              <button type="button" class="button" onClick={() => setLimit(limit + LIMIT)}>
                {`Show more of ${countOf(data.total, 'item')}`}
              </button>
            )}
          </>
        )}
      </DocumentView>
      <Commands commands={['conductor work list']} />
    </>
  );
}

function BoardView({ repo, board }: { readonly repo: string; readonly board: BoardDocument }): JSX.Element {
  const [view, setView] = useState<'columns' | 'graph'>('columns');
  if (board.total === 0)
    return (
      <p class="empty">
        No work items. <code>conductor work plan</code> makes them from approved specs.
      </p>
    );
  const columns = board.statuses.filter(({ items }) => items > 0);
  return (
    <>
      {board.planning_stopped === null ? null : (
        <p class="notice tone-attention-edge">Planning has stopped: {board.planning_stopped}</p>
      )}
      <fieldset class="segments board-views">
        <legend class="sr-only">View</legend>
        <button
          type="button"
          class="segment"
          aria-pressed={view === 'columns'}
          onClick={() => setView('columns')}
        >
          By status
        </button>
        <button
          type="button"
          class="segment"
          aria-pressed={view === 'graph'}
          onClick={() => setView('graph')}
        >
          Dependencies
        </button>
      </fieldset>
      {view === 'graph' ? (
        <Dependencies repo={repo} board={board} />
      ) : (
        <div class="board">
          {columns.map(({ status, items }) => (
            <section key={status} class="column" aria-label={STATUS_WORDS[status]}>
              <h2 class="column-head">
                {STATUS_WORDS[status]} <span class="muted number">{items}</span>
              </h2>
              <ul>
                {board.items
                  .filter((item) => item.status === status)
                  .map((item) => (
                    <ItemCard key={item.id} repo={repo} item={item} />
                  ))}
              </ul>
            </section>
          ))}
        </div>
      )}
    </>
  );
}

function ItemCard({ repo, item }: { readonly repo: string; readonly item: BoardItem }): JSX.Element {
  return (
    <li class={`card stack-${Math.min(item.depth, 4)}`}>
      <a class="card-link" data-row href={formatRoute({ screen: 'item', repo, item: item.id })}>
        <span class="card-title">
          <span class="muted number">{item.id}</span> {item.title}
        </span>
        {item.waiting === null ? (
          item.run === null ? null : (
            <span class="card-why muted">{item.run.role} is working on it</span>
          )
        ) : (
          <span class={`card-why ${item.waiting_reason?.needs_user === true ? 'tone-needs' : 'muted'}`}>
            {item.waiting_reason?.needs_user === true ? <Icon name="dot" /> : null}
            {plainWaiting(item)}
          </span>
        )}
        {item.priority === 'medium' ? null : <span class="card-why muted">{item.priority} priority</span>}
      </a>
    </li>
  );
}
