import { dirname, join } from 'node:path';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { Pipeline, Revision } from '../../contracts/work/work-item.ts';
import type { Revisions } from '../../ports/work/revisions.ts';
import type {
  MergeRequest,
  MergeResult,
  ProviderState,
  ProviderWritten,
  RevisionRequest,
  RevisionResult,
  WorkProvider,
} from '../../ports/work/work-provider.ts';
import type { Tables, WorkDatabase } from './database.ts';
import { applyWrites } from './item-writes.ts';
import { createProcessLock } from './process-lock.ts';
import { digestRequest, findStoredAnswer, type KeyedRequest, storeAnswer } from './seen-keys.ts';
import { findItem, findPending, findRevision, headKey, readState, setPipeline } from './tables.ts';

/** Another process may be running the checks of many revisions. */
const SETTLE_TIMEOUT_MS = 6 * 60 * 60 * 1000;

const NOTHING: ProviderState = { items: [], revisions: [], reviews: [], requests: [] };

export interface LocalProviderDeps {
  readonly database: WorkDatabase;
  readonly revisions: Revisions;
  /** Runs the checks of a revision; null if the signal stopped them. */
  readonly check: (revision: Revision, signal: AbortSignal) => Promise<Pipeline | null>;
}

/** Stores items, revisions and reviews in a database of the repository, and revisions also as branches. */
export function createLocalProvider(deps: LocalProviderDeps): WorkProvider {
  const { database } = deps;
  const checks = createProcessLock(join(dirname(database.path), 'checks.lock'));
  return {
    read: async () => (await database.read(readState)) ?? NOTHING,
    write: (key, writes) => {
      const keyed = digestRequest(key, 'write', writes);
      return applyOnce<readonly ProviderWritten[]>(database, keyed, (tables) => applyWrites(tables, writes));
    },
    makeRevision: (key, request) => {
      // A retry comes at a later time, but with the same content.
      const { at: _, ...content } = request;
      return makeRevision(deps, digestRequest(key, 'make_revision', content), request);
    },
    merge: (key, request) => merge(deps, digestRequest(key, 'merge', request), request),
    settle: async (signal) => {
      const pending = await database.read((tables) => findPending(tables, new Set()));
      if (pending === null || signal.aborted) return;
      try {
        await checks.hold(() => runChecks(deps, signal), { timeoutMs: SETTLE_TIMEOUT_MS, signal });
      } catch (error) {
        // Cancelled while waiting for the lock, so there is nothing left to do.
        if (!signal.aborted) throw error;
      }
    },
    setUpLabels: (labels) =>
      database.write((tables) =>
        labels.flatMap(({ name, description, color }) => {
          const made = tables.run(
            'INSERT OR IGNORE INTO labels (name, description, color) VALUES (?, ?, ?)',
            name,
            description,
            color,
          );
          return made === 0 ? [] : [name];
        }),
      ),
    // No person changes this database by hand, so there are no requests.
    answer: async () => undefined,
    close: database.close,
  };
}

/**
 * Stores the change and its answer in one transaction, so that a repeated request is answered without a
 * second change.
 */
function applyOnce<Answer>(
  database: WorkDatabase,
  keyed: KeyedRequest,
  change: (tables: Tables) => Answer,
): Promise<Answer> {
  return database.write((tables) => {
    const known = findStoredAnswer(tables, keyed);
    // The answer was stored for the same key and content, so it has this type.
    if (known !== undefined) return known as Answer;
    const answer = change(tables);
    storeAnswer(tables, keyed, answer);
    return answer;
  });
}

/** The answer to a repeated request. Look for it before git changes anything: what succeeded once may be impossible now. */
async function findAnswer<Answer>(database: WorkDatabase, keyed: KeyedRequest): Promise<Answer | undefined> {
  const known = await database.read((tables) => findStoredAnswer(tables, keyed));
  return (known ?? undefined) as Answer | undefined;
}

/** Creates the branch first: after a crash, the same request finds it and continues. */
async function makeRevision(
  { database, revisions }: LocalProviderDeps,
  keyed: KeyedRequest,
  request: RevisionRequest,
): Promise<RevisionResult> {
  const known = await findAnswer<RevisionResult>(database, keyed);
  if (known !== undefined) return known;
  const { itemId, title, body, author, stackedOn } = request;
  const stacked = stackedOn === undefined ? {} : { stackedOn, baseSHA: request.base };
  const item = await database.read((tables) => findItem(tables, itemId));
  if (item === null) throw new ExpectedFailure(`there is no work item ${JSON.stringify(itemId)}`);
  const made = await revisions.make(request);
  if (!made.ok) return made;
  return applyOnce<RevisionResult>(database, keyed, (tables) => {
    const id = `r${itemId}`;
    tables.run(
      `INSERT INTO revisions (id, item_id, head_sha, head_ref, fields, pipeline) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET head_sha = excluded.head_sha, head_ref = excluded.head_ref,
         fields = excluded.fields, pipeline = excluded.pipeline`,
      id,
      itemId,
      made.headSHA,
      made.headRef,
      JSON.stringify({ title, author, body, ...stacked }),
      JSON.stringify({ status: 'pending', url: null, reason: null } satisfies Pipeline),
    );
    const revision = findRevision(tables, id);
    if (revision === null) throw new Error(`the revision ${id} was not stored`);
    return { ok: true, revision };
  });
}

async function merge(
  { database, revisions }: LocalProviderDeps,
  keyed: KeyedRequest,
  request: MergeRequest,
): Promise<MergeResult> {
  const known = await findAnswer<MergeResult>(database, keyed);
  if (known !== undefined) return known;
  const { itemId, revisionId } = request;
  const revision = await database.read((tables) => findRevision(tables, revisionId));
  if (revision?.workItemID !== itemId)
    throw new ExpectedFailure(
      `there is no revision ${JSON.stringify(revisionId)} of work item ${JSON.stringify(itemId)}`,
    );
  const merged = await revisions.merge(request);
  return merged.ok ? applyOnce<MergeResult>(database, keyed, () => merged) : merged;
}

/**
 * Runs checks until every pending revision was tried. A revision that can't be checked stays pending and does not stop
 * the others; the first such failure is thrown at the end.
 */
async function runChecks({ database, check }: LocalProviderDeps, signal: AbortSignal): Promise<void> {
  const tried = new Set<string>();
  const failures: unknown[] = [];
  while (!signal.aborted) {
    const revision = await database.read((tables) => findPending(tables, tried));
    if (revision === null) break;
    tried.add(headKey(revision));
    try {
      const pipeline = await check(revision, signal);
      if (pipeline !== null) await database.write((tables) => setPipeline(tables, revision, pipeline));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
