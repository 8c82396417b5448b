import * as z from 'zod/mini';
import { type ReviewRecord, reviewRecordSchema } from '../../contracts/work/work-event.ts';
import {
  COMPLEXITIES,
  type Pipeline,
  PRIORITIES,
  pipelineSchema,
  type Revision,
  revisionSchema,
  WORK_STATUSES,
  WORK_TYPES,
  type WorkStatus,
} from '../../contracts/work/work-item.ts';
import { agentReviewSchema } from '../../contracts/work/work-results.ts';
import type { ItemFields, ProviderItem, ProviderState } from '../../ports/work/work-provider.ts';
import { formatLabels } from '../../work/items/labels.ts';
import type { Row, Tables } from './database.ts';

const fieldsSchema = z.object({
  title: z.string(),
  body: z.string(),
  type: z.enum(WORK_TYPES),
  priority: z.enum(PRIORITIES),
  complexity: z.nullable(z.enum(COMPLEXITIES)),
  otherLabels: z.array(z.string()),
});

const revisionFieldsSchema = z.pick(revisionSchema, {
  title: true,
  author: true,
  body: true,
  stackedOn: true,
  baseSHA: true,
});

/** An item as stored. */
export interface StoredItem {
  readonly id: string;
  readonly status: WorkStatus;
  readonly fields: ItemFields;
  readonly createdAt: string;
}

export function readState(tables: Tables): ProviderState {
  const blockers = new Map<string, string[]>();
  for (const row of tables.all('SELECT item_id, blocker_id FROM links ORDER BY item_id, position')) {
    const list = blockers.get(String(row.item_id)) ?? [];
    list.push(String(row.blocker_id));
    blockers.set(String(row.item_id), list);
  }
  const revisions = tables.all(REVISIONS).map(parseRevision);
  const revisionByItem = new Map(revisions.map(({ workItemID, id }) => [workItemID, id]));
  const items = tables.all('SELECT * FROM items ORDER BY number').map((row) => {
    const item = parseItem(row);
    return toProviderItem(item, blockers.get(item.id) ?? [], revisionByItem.get(item.id) ?? null);
  });
  const reviews = tables.all('SELECT * FROM reviews ORDER BY rowid').map(parseReview);
  return { items, revisions, reviews, requests: [] };
}

/** SQLite would truncate an id at its first NUL, and match another one. */
function isId(id: string): boolean {
  return !id.includes('\0');
}

export function findItem(tables: Tables, id: string): StoredItem | null {
  if (!isId(id)) return null;
  const [row] = tables.all('SELECT * FROM items WHERE id = ?', id);
  return row === undefined ? null : parseItem(row);
}

/** The item with its current links, as users see it. */
export function readItem(tables: Tables, item: StoredItem): ProviderItem {
  const blockers = tables
    .all('SELECT blocker_id FROM links WHERE item_id = ? ORDER BY position', item.id)
    .map((row) => String(row.blocker_id));
  const [revision] = tables.all('SELECT id FROM revisions WHERE item_id = ?', item.id);
  return toProviderItem(item, blockers, revision === undefined ? null : String(revision.id));
}

const REVISIONS = `
  SELECT revisions.*, reviews.id AS review_id FROM revisions
  LEFT JOIN reviews ON reviews.revision_id = revisions.id`;

export function findRevision(tables: Tables, id: string): Revision | null {
  if (!isId(id)) return null;
  const [row] = tables.all(`${REVISIONS} WHERE revisions.id = ?`, id);
  return row === undefined ? null : parseRevision(row);
}

/** Identifies a revision at one commit: its branch can move while its checks run. */
export function headKey({ id, headSHA }: Pick<Revision, 'id' | 'headSHA'>): string {
  return `${id} ${headSHA}`;
}

/** The oldest revision with pending checks whose `headKey` was not tried yet. */
export function findPending(tables: Tables, tried: ReadonlySet<string>): Revision | null {
  const pending = tables
    .all(`${REVISIONS} ORDER BY revisions.rowid`)
    .map(parseRevision)
    .find((revision) => revision.pipeline.status === 'pending' && !tried.has(headKey(revision)));
  return pending ?? null;
}

/** Does not update a revision whose head has moved: the checks belong to another commit. */
export function setPipeline(tables: Tables, revision: Revision, pipeline: Pipeline): void {
  tables.run(
    'UPDATE revisions SET pipeline = ? WHERE id = ? AND head_sha = ?',
    JSON.stringify(pipeline),
    revision.id,
    revision.headSHA,
  );
}

function parseItem(row: Row): StoredItem {
  return {
    id: String(row.id),
    status: z.enum(WORK_STATUSES).parse(row.status),
    fields: fieldsSchema.parse(JSON.parse(String(row.fields))),
    createdAt: String(row.created_at),
  };
}

function toProviderItem(
  { id, status, fields, createdAt }: StoredItem,
  blockedBy: readonly string[],
  linkedRevision: string | null,
): ProviderItem {
  const { title, body, type, priority, complexity, otherLabels } = fields;
  return {
    item: {
      id,
      title,
      status,
      type,
      priority,
      complexity,
      blockedBy: [...blockedBy],
      createdAt,
      linkedRevision,
    },
    body,
    labels: formatLabels({ type, status, priority, complexity, other: [...new Set(otherLabels)] }),
  };
}

function parseRevision(row: Row): Revision {
  const { title, author, body, stackedOn, baseSHA } = revisionFieldsSchema.parse(
    JSON.parse(String(row.fields)),
  );
  return {
    id: String(row.id),
    title,
    url: null,
    headSHA: String(row.head_sha),
    headRef: String(row.head_ref),
    author,
    body,
    isDraft: false,
    workItemID: String(row.item_id),
    pipeline: pipelineSchema.parse(JSON.parse(String(row.pipeline))),
    reviewID: typeof row.review_id === 'string' ? row.review_id : null,
    ...(stackedOn === undefined ? {} : { stackedOn }),
    ...(baseSHA === undefined ? {} : { baseSHA }),
  };
}

export function parseReview(row: Row): ReviewRecord {
  return reviewRecordSchema.parse({
    id: row.id,
    revisionID: row.revision_id,
    headSHA: row.head_sha,
    review: agentReviewSchema.parse(JSON.parse(String(row.review))),
  });
}
