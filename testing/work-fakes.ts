import type { JournalEntry, ReviewRecord, WorkEvent } from '../src/contracts/work/work-event.ts';
import type { Pipeline, Revision, Spec } from '../src/contracts/work/work-item.ts';
import type { DiskSpace } from '../src/ports/work/disk-space.ts';
import type { RoleRunner, RoleState } from '../src/ports/work/role-runner.ts';
import type { SpecFolder } from '../src/ports/work/spec-folder.ts';
import type { WorkJournal } from '../src/ports/work/work-journal.ts';
import type {
  ItemFields,
  ProviderItem,
  ProviderRequest,
  ProviderWrite,
  ProviderWritten,
  RequestAnswer,
  RevisionRequest,
  WorkProvider,
} from '../src/ports/work/work-provider.ts';
import type { RoleEnd, RoleRequest } from '../src/work/engine/role.ts';
import { categoryOf, formatLabels } from '../src/work/items/labels.ts';

/** A journal in memory. Everything that uses the same one sees the same entries, and one at a time appends. */
export function createMemoryJournal(now: () => string): WorkJournal & { readonly entries: JournalEntry[] } {
  const entries: JournalEntry[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const append = async (events: readonly WorkEvent[]) => {
    const added = events.map((event, index) => ({ seq: entries.length + index + 1, at: now(), event }));
    // Through JSON, as a journal on a disk would have it.
    const stored = JSON.parse(JSON.stringify(added)) as JournalEntry[];
    entries.push(...stored);
    return stored;
  };
  return {
    entries,
    read: async (afterSeq) => entries.slice(afterSeq),
    withLock: (work) => {
      const turn = last.then(async () => {
        let over = false;
        try {
          return await work(async (events) => {
            if (over) throw new Error('the journal can be appended to only while it is locked');
            return append(events);
          });
        } finally {
          over = true;
        }
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    withSender: (_target, _signal, send) => send(),
    close: async () => undefined,
  };
}

/** A disk that is never full. */
export const AMPLE_DISK: DiskSpace = { findFullFolder: async () => null };

export interface MemoryProvider extends WorkProvider {
  /** What the checks of a revision come to; success where nothing is said. */
  checks: (revision: Revision) => Pipeline;
  /** How often something was really done, by key. */
  readonly done: Map<string, number>;
  /** A person asks for something at the provider. */
  readonly ask: (request: ProviderRequest) => void;
  /** The answers to what people asked for, by key. */
  readonly answered: Map<string, RequestAnswer>;
  /** Somebody changes an item without the engine. */
  readonly meddle: (id: string, change: (item: ProviderItem) => ProviderItem) => void;
}

const SUCCESS: Pipeline = { status: 'success', url: null, reason: null };

/** Items, revisions and reviews in memory: idempotent by key, all of a write or nothing. */
export function createMemoryProvider(): MemoryProvider {
  const items = new Map<string, ProviderItem>();
  const revisions = new Map<string, Revision>();
  const reviews = new Map<string, ReviewRecord>();
  const answers = new Map<string, { readonly content: string; readonly answer: unknown }>();
  const done = new Map<string, number>();
  const labels = new Set<string>();
  const requests = new Map<string, ProviderRequest>();
  const answered = new Map<string, RequestAnswer>();

  /** What changed nothing is not remembered. */
  const once = async <T>(key: string, request: unknown, act: () => T): Promise<T> => {
    const content = inOrder(request);
    const known = answers.get(key);
    if (known !== undefined) {
      if (known.content !== content)
        throw new Error(`the key ${JSON.stringify(key)} was used before, for another request`);
      return structuredClone(known.answer) as T;
    }
    const answer = act();
    if (isRefusal(answer)) return answer;
    answers.set(key, { content, answer });
    done.set(key, (done.get(key) ?? 0) + 1);
    return structuredClone(answer);
  };

  const provider: MemoryProvider = {
    checks: () => SUCCESS,
    done,
    meddle: (id, change) => {
      items.set(id, change(known(items, id)));
    },
    read: async () =>
      structuredClone({
        items: [...items.values()],
        revisions: [...revisions.values()],
        reviews: [...reviews.values()],
        requests: [...requests.values()],
      }),
    ask: (request) => {
      requests.set(request.key, request);
    },
    answered,
    answer: async (key, answer) => {
      if (requests.delete(key)) answered.set(key, answer);
    },
    write: (key, writes) => once(key, writes, () => writeAll({ items, revisions, reviews }, writes)),
    makeRevision: (key, request) => {
      // Who comes back after a failure comes back later, and wants the same.
      const { at: _, ...content } = request;
      return once(key, content, () => {
        if (request.patch === '') return { ok: false, reason: 'the patch is empty' };
        if (request.patch.includes('CONFLICT')) return { ok: false, reason: 'the patch does not apply' };
        const revision = makeRevision(request);
        revisions.set(revision.id, revision);
        const owner = known(items, request.itemId);
        items.set(request.itemId, { ...owner, item: { ...owner.item, linkedRevision: revision.id } });
        return { ok: true, revision };
      });
    },
    merge: (key, request) =>
      once(key, request, () =>
        revisions.get(request.revisionId)?.headSHA === request.headSHA
          ? { ok: true, into: 'main', commit: `merged-${request.headSHA}` }
          : { ok: false, reason: 'the revision has moved', help: 'have it reviewed again' },
      ),
    settle: async (signal) => {
      if (signal.aborted) return;
      for (const revision of revisions.values())
        if (revision.pipeline.status === 'pending')
          revisions.set(revision.id, { ...revision, pipeline: provider.checks(revision) });
    },
    setUpLabels: async (wanted) => {
      const made = wanted.map(({ name }) => name).filter((name) => !labels.has(name));
      for (const name of made) labels.add(name);
      return made;
    },
    close: async () => undefined,
  };
  return provider;
}

interface Shelves {
  readonly items: Map<string, ProviderItem>;
  readonly revisions: Map<string, Revision>;
  readonly reviews: Map<string, ReviewRecord>;
}

function known(items: ReadonlyMap<string, ProviderItem>, id: string): ProviderItem {
  const found = items.get(id);
  if (found === undefined) throw new Error(`there is no work item ${id}`);
  return found;
}

function writeAll(shelves: Shelves, writes: readonly ProviderWrite[]): readonly ProviderWritten[] {
  const trial: Shelves = {
    items: new Map(shelves.items),
    revisions: new Map(shelves.revisions),
    reviews: new Map(shelves.reviews),
  };
  const ids = new Map<string, string>();
  const written = writes.map((write) => writeOne(trial, ids, write));
  for (const [id, item] of trial.items) shelves.items.set(id, item);
  for (const [id, revision] of trial.revisions) shelves.revisions.set(id, revision);
  for (const [id, review] of trial.reviews) shelves.reviews.set(id, review);
  return written;
}

function writeOne(shelves: Shelves, ids: Map<string, string>, write: ProviderWrite): ProviderWritten {
  const { items } = shelves;
  const put = (item: ProviderItem): ProviderWritten => {
    const other = item.labels.filter((label) => categoryOf(label) === null);
    const labelled = { ...item, labels: formatLabels({ ...item.item, other }) };
    items.set(item.item.id, labelled);
    return { kind: 'item', ...labelled };
  };
  switch (write.kind) {
    case 'create_item': {
      const id = String(items.size + 1);
      ids.set(write.ref, id);
      const { title, body, type, priority, complexity } = write.fields;
      const item = { id, title, type, priority, complexity, blockedBy: [], createdAt: write.at };
      const labels = [...write.fields.otherLabels];
      return put({ item: { ...item, status: 'pending', linkedRevision: null }, body, labels });
    }
    case 'link_item': {
      const found = known(items, ids.get(write.item) ?? write.item);
      const blockedBy = write.blockedBy.map((blocker) => known(items, ids.get(blocker) ?? blocker).item.id);
      return put({ ...found, item: { ...found.item, blockedBy } });
    }
    case 'update_item': {
      const found = known(items, write.id);
      const { body, otherLabels, ...fields } = write.fields;
      const item = { ...found.item, ...fields };
      return put({ item, body: body ?? found.body, labels: otherLabels ?? found.labels });
    }
    case 'set_status': {
      const found = known(items, write.id);
      return put({ ...found, item: { ...found.item, status: write.status } });
    }
    case 'keep_summary':
      known(items, write.id);
      return { kind: 'nothing' };
    case 'post_review': {
      const revision = shelves.revisions.get(write.revisionId);
      if (revision === undefined) throw new Error(`there is no revision ${write.revisionId}`);
      const review: ReviewRecord = {
        id: `review-${revision.id}`,
        revisionID: revision.id,
        headSHA: revision.headSHA,
        review: write.review,
      };
      shelves.reviews.set(review.id, review);
      shelves.revisions.set(revision.id, { ...revision, reviewID: review.id });
      return { kind: 'review', review };
    }
  }
}

function isRefusal(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok === false;
}

/** The same text for the same content, whatever the order of its keys. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

function makeRevision(request: RevisionRequest): Revision {
  const { itemId, title, body, author, at, base, patch, stackedOn } = request;
  return {
    id: `r${itemId}`,
    title,
    url: null,
    headSHA: `sha(${base}+${patch}@${at})`,
    headRef: `conductor/item/${itemId}`,
    author,
    body,
    isDraft: false,
    workItemID: itemId,
    pipeline: { status: 'pending', url: null, reason: null },
    reviewID: null,
    ...(stackedOn === undefined ? {} : { stackedOn: [...stackedOn], baseSHA: base }),
  };
}

/** Type, priority, complexity and the rest, from labels that are in order. */
export function readPlainLabels(
  labels: readonly string[],
): Pick<ItemFields, 'type' | 'priority' | 'complexity' | 'otherLabels'> {
  const value = (category: string) =>
    labels.find((label) => label.startsWith(`${category}:`))?.slice(category.length + 1);
  return {
    type: value('task') === 'refinement' ? 'refinement' : 'implement',
    priority: (value('priority') ?? 'medium') as ItemFields['priority'],
    complexity: (value('complexity') ?? null) as ItemFields['complexity'],
    otherLabels: labels.filter((label) => !/^(?:task|priority|complexity|status):/.test(label)),
  };
}

/** Plays a role: what it is given decides what comes back. */
export type RoleScript = (request: RoleRequest, runId: string, signal: AbortSignal) => Promise<RoleEnd>;

export interface ScriptedRunner extends RoleRunner {
  /** What is known of each run, as on a disk. */
  readonly runs: Map<string, RoleState>;
  readonly requests: { readonly runId: string; readonly request: RoleRequest }[];
  readonly cancelled: string[];
}

/** Runs of scripts. A run whose process died, by way of a throwing `onAccepted` or script, is lost. */
export function createScriptedRunner(script: RoleScript, newRunId: () => string): ScriptedRunner {
  const runs = new Map<string, RoleState>();
  const requests: ScriptedRunner['requests'] = [];
  const cancelled: string[] = [];
  return {
    runs,
    requests,
    cancelled,
    run: async (request, onAccepted, signal) => {
      const runId = newRunId();
      runs.set(runId, { kind: 'driven' });
      try {
        await onAccepted(runId);
        requests.push({ runId, request });
        const end = await script(request, runId, signal);
        runs.set(runId, { kind: 'ended', end });
      } catch (error) {
        runs.set(runId, { kind: 'lost', reason: error instanceof Error ? error.message : String(error) });
        throw error;
      }
      return runs.get(runId) ?? { kind: 'lost', reason: 'it is gone' };
    },
    readState: async (runId) => runs.get(runId) ?? { kind: 'lost', reason: 'nobody knows it' },
    resume: async (runId) => runs.get(runId) ?? { kind: 'lost', reason: 'nobody knows it' },
    cancel: async (runId) => {
      cancelled.push(runId);
    },
  };
}

/** Specs by path and content; the content is its own name. */
export function createMemorySpecs(): SpecFolder & {
  readonly files: Map<string, { readonly text: string; readonly status: Spec['frontmatterStatus'] }>;
} {
  const files = new Map<string, { readonly text: string; readonly status: Spec['frontmatterStatus'] }>();
  return {
    files,
    read: async () => ({
      specs: [...files].map(([filePath, { text, status }]) => ({
        filePath,
        blobSHA: text,
        frontmatterStatus: status,
      })),
      problems: [],
    }),
    text: async (blobSHA) => blobSHA,
    diff: async (from, to) => `-${from}\n+${to}`,
  };
}
