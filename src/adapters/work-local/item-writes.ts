import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { AgentReview } from '../../contracts/work/work-results.ts';
import type { ItemFields, ProviderWrite, ProviderWritten } from '../../ports/work/work-provider.ts';
import type { Tables } from './database.ts';
import { findItem, findRevision, parseReview, readItem, type StoredItem } from './tables.ts';

/** Applies the writes in order. Throws if one fails, which rolls the transaction back. */
export function applyWrites(tables: Tables, writes: readonly ProviderWrite[]): ProviderWritten[] {
  const idByRef = new Map<string, string>();
  return writes.map((write) => applyWrite(tables, write, idByRef));
}

function applyWrite(tables: Tables, write: ProviderWrite, idByRef: Map<string, string>): ProviderWritten {
  switch (write.kind) {
    case 'create_item': {
      if (idByRef.has(write.ref)) throw new ExpectedFailure(`two new items have the ref ${write.ref}`);
      const item = createItem(tables, write.fields, write.at);
      idByRef.set(write.ref, item.id);
      return showItem(tables, item);
    }
    case 'link_item': {
      const item = requireItem(tables, idByRef.get(write.item) ?? write.item);
      const blockers = write.blockedBy.map(
        (blocker) => requireItem(tables, idByRef.get(blocker) ?? blocker).id,
      );
      tables.run('DELETE FROM links WHERE item_id = ?', item.id);
      for (const [position, blocker] of [...new Set(blockers)].entries())
        tables.run(
          'INSERT INTO links (item_id, position, blocker_id) VALUES (?, ?, ?)',
          item.id,
          position,
          blocker,
        );
      return showItem(tables, item);
    }
    case 'update_item': {
      const item = requireItem(tables, write.id);
      return showItem(tables, storeItem(tables, { ...item, fields: { ...item.fields, ...write.fields } }));
    }
    case 'set_status':
      return showItem(tables, storeItem(tables, { ...requireItem(tables, write.id), status: write.status }));
    case 'keep_summary': {
      const { id } = requireItem(tables, write.id);
      tables.run(
        'INSERT OR REPLACE INTO summaries (item_id, run_id, summary) VALUES (?, ?, ?)',
        id,
        write.runId,
        JSON.stringify(write.summary),
      );
      return { kind: 'nothing' };
    }
    case 'post_review':
      return postReview(tables, write.revisionId, write.review);
  }
}

/** Numbers are short to type; as strings they are ids like those of any other provider. */
function createItem(tables: Tables, fields: ItemFields, at: string): StoredItem {
  const [row] = tables.all('SELECT COALESCE(MAX(number), 0) + 1 AS number FROM items');
  const number = Number(row?.number);
  const item: StoredItem = { id: String(number), status: 'pending', fields, createdAt: at };
  tables.run(
    'INSERT INTO items (number, id, status, fields, created_at) VALUES (?, ?, ?, ?, ?)',
    number,
    item.id,
    item.status,
    JSON.stringify(item.fields),
    item.createdAt,
  );
  return item;
}

function storeItem(tables: Tables, item: StoredItem): StoredItem {
  tables.run(
    'UPDATE items SET status = ?, fields = ? WHERE id = ?',
    item.status,
    JSON.stringify(item.fields),
    item.id,
  );
  return item;
}

function postReview(tables: Tables, revisionId: string, review: AgentReview): ProviderWritten {
  const revision = findRevision(tables, revisionId);
  if (revision === null) throw new ExpectedFailure(`there is no revision ${JSON.stringify(revisionId)}`);
  const row = {
    id: revision.reviewID ?? `${revision.id}.review`,
    revision_id: revision.id,
    head_sha: revision.headSHA,
    review: JSON.stringify(review),
  };
  tables.run(
    `INSERT INTO reviews (id, revision_id, head_sha, review) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET head_sha = excluded.head_sha, review = excluded.review`,
    row.id,
    row.revision_id,
    row.head_sha,
    row.review,
  );
  return { kind: 'review', review: parseReview(row) };
}

function requireItem(tables: Tables, id: string): StoredItem {
  const item = findItem(tables, id);
  if (item === null) throw new ExpectedFailure(`there is no work item ${JSON.stringify(id)}`);
  return item;
}

function showItem(tables: Tables, item: StoredItem): ProviderWritten {
  return { kind: 'item', ...readItem(tables, item) };
}
