import assert from 'node:assert/strict';
import type {
  ItemFields,
  MergeRequest,
  ProviderState,
  ProviderWrite,
  ProviderWritten,
  RevisionRequest,
  WorkProvider,
} from '../src/ports/work/work-provider.ts';

/** A provider with nothing in it, and what its repository has to give. */
export interface ProviderWorld {
  readonly provider: WorkProvider;
  /** The same things, as another process sees them. */
  readonly reopen: () => Promise<WorkProvider>;
  /** A commit, and a patch that applies to it and puts this text into `file.txt`. */
  readonly patchOf: (text: string) => Promise<{ readonly base: string; readonly patch: string }>;
  /** A patch that does not apply to the commit. */
  readonly brokenPatch: () => Promise<{ readonly base: string; readonly patch: string }>;
}

export interface ProviderCase {
  readonly name: string;
  readonly run: (world: ProviderWorld) => Promise<void>;
}

const AT = '2026-01-02T03:04:05.000Z';
const HARD = `"quotes" 'single' \`ticks\` -- ; DROP TABLE items; \u0000 NUL \u2028 \ud83d\ude00 \ufeff \r\n\t\\`;

const FIELDS: ItemFields = {
  title: 'A title',
  body: 'A body',
  type: 'implement',
  priority: 'medium',
  complexity: 'low',
  otherLabels: [],
};

function create(ref: string, fields: Partial<ItemFields> = {}): ProviderWrite {
  return { kind: 'create_item', ref, at: AT, fields: { ...FIELDS, ...fields } };
}

function idOf(written: ProviderWritten | undefined): string {
  assert.equal(written?.kind, 'item');
  return written.item.id;
}

async function make(provider: WorkProvider, ...titles: readonly string[]): Promise<string[]> {
  const writes = titles.map((title) => create(title, { title }));
  return (await provider.write(`make ${titles.join(' ')}`, writes)).map(idOf);
}

async function itemOf(provider: WorkProvider, id: string): Promise<ProviderState['items'][number]> {
  const found = (await provider.read()).items.find(({ item }) => item.id === id);
  assert.ok(found !== undefined, `${id} is not there`);
  return found;
}

async function requestFor(world: ProviderWorld, itemId: string, text: string): Promise<RevisionRequest> {
  const patch = await world.patchOf(text);
  const words = { title: `Revision ${text}`, message: `Make ${text}`, body: HARD, author: 'implementor' };
  return { itemId, ...patch, ...words, at: AT };
}

/** An item with a revision of this text. */
async function revised(world: ProviderWorld, text: string) {
  const [id = ''] = await make(world.provider, text);
  const made = await world.provider.makeRevision(`rev ${text}`, await requestFor(world, id, text));
  assert.ok(made.ok, 'the patch was refused');
  return { id, revision: made.revision };
}

function mergeOf(itemId: string, revisionId: string, headSHA: string): MergeRequest {
  return { itemId, revisionId, headSHA, message: `Merge ${itemId}`, by: 'A Person', at: AT };
}

const ITEMS: readonly ProviderCase[] = [
  {
    name: 'has nothing before the first write',
    run: async ({ provider }) => {
      assert.deepEqual(await provider.read(), { items: [], revisions: [], reviews: [], requests: [] });
    },
  },
  {
    name: 'creates items that are pending, in the order of the write, each with an id of its own',
    run: async ({ provider }) => {
      const ids = await make(provider, 'one', 'two', 'three');
      assert.equal(new Set(ids).size, 3);
      const { items } = await provider.read();
      assert.deepEqual(
        items.map(({ item }) => [item.id, item.title, item.status, item.createdAt, item.linkedRevision]),
        ['one', 'two', 'three'].map((title, at) => [ids[at], title, 'pending', AT, null]),
      );
    },
  },
  {
    name: 'answers a write with what a read then shows',
    run: async ({ provider }) => {
      const [written] = await provider.write('w', [create('a', { otherLabels: ['area:docs'] })]);
      const { items } = await provider.read();
      assert.deepEqual(written, { kind: 'item', ...items[0] });
    },
  },
  {
    name: 'links items by names of the same write, also later ones, and by ids',
    run: async ({ provider }) => {
      const [old = ''] = await make(provider, 'old');
      const written = await provider.write('links', [
        create('a'),
        create('b'),
        { kind: 'link_item', item: 'a', blockedBy: ['b', old] },
        { kind: 'link_item', item: old, blockedBy: ['b'] },
      ]);
      const [a, b] = [idOf(written[0]), idOf(written[1])];
      assert.deepEqual((await itemOf(provider, a)).item.blockedBy, [b, old]);
      assert.deepEqual((await itemOf(provider, old)).item.blockedBy, [b]);
      await provider.write('again', [{ kind: 'link_item', item: a, blockedBy: [old] }]);
      assert.deepEqual((await itemOf(provider, a)).item.blockedBy, [old]);
    },
  },
  {
    name: 'updates the fields that are given and no other',
    run: async ({ provider }) => {
      const [id = ''] = await make(provider, 'one');
      await provider.write('u', [{ kind: 'update_item', id, fields: { body: 'new', priority: 'high' } }]);
      const { item, body } = await itemOf(provider, id);
      assert.deepEqual(
        [item.title, body, item.priority, item.complexity],
        ['one', 'new', 'high', FIELDS.complexity],
      );
    },
  },
  {
    name: 'has exactly one label of each category, and that of the status follows the status',
    run: async ({ provider }) => {
      const [id = ''] = await make(provider, 'one');
      for (const status of ['ready', 'in-progress', 'needs-refinement', 'closed'] as const) {
        await provider.write(`s ${status}`, [{ kind: 'set_status', id, status }]);
        const { labels, item } = await itemOf(provider, id);
        const ofStatus = labels.filter((label) => label.startsWith('status:'));
        assert.deepEqual(ofStatus, status === 'closed' ? [] : [`status:${status}`]);
        assert.equal(item.status, status);
        for (const category of ['task:', 'priority:', 'complexity:'])
          assert.equal(labels.filter((label) => label.startsWith(category)).length, 1);
      }
    },
  },
  {
    name: 'has no label of complexity for a refinement',
    run: async ({ provider }) => {
      const [written] = await provider.write('w', [create('a', { type: 'refinement', complexity: null })]);
      const { labels } = await itemOf(provider, idOf(written));
      assert.deepEqual(labels, ['task:refinement', 'status:pending', 'priority:medium']);
    },
  },
  {
    name: 'keeps a summary, also twice',
    run: async ({ provider }) => {
      const [id = ''] = await make(provider, 'one');
      const keep: ProviderWrite = { kind: 'keep_summary', id, runId: 'run', summary: HARD };
      assert.deepEqual(await provider.write('k1', [keep]), [{ kind: 'nothing' }]);
      assert.deepEqual(await provider.write('k2', [keep]), [{ kind: 'nothing' }]);
    },
  },
  {
    name: 'gives every text back as it was',
    run: async ({ provider, reopen }) => {
      const body = `${HARD}${'x'.repeat(1024 * 1024)}${HARD}`;
      const [written] = await provider.write(HARD, [
        create(HARD, { title: HARD, body, otherLabels: [HARD] }),
      ]);
      for (const each of [provider, await reopen()]) {
        const found = await itemOf(each, idOf(written));
        assert.equal(found.item.title, HARD);
        assert.ok(found.body === body, 'the body came back changed');
        assert.ok(found.labels.includes(HARD));
      }
    },
  },
  {
    name: 'takes 500 items with links in one write',
    run: async ({ provider }) => {
      const refs = Array.from({ length: 500 }, (_, at) => `t${at}`);
      const links = refs
        .slice(1)
        .map((ref, at): ProviderWrite => ({ kind: 'link_item', item: ref, blockedBy: [`t${at}`] }));
      const written = await provider.write('500', [
        ...refs.map((ref) => create(ref, { title: ref })),
        ...links,
      ]);
      assert.equal(written.length, 999);
      const { items } = await provider.read();
      assert.deepEqual(items[499]?.item.blockedBy, [items[498]?.item.id]);
    },
  },
];

const REQUESTS: readonly ProviderCase[] = [
  {
    name: 'takes the answer to a request that it does not have, and changes nothing',
    run: async ({ provider }) => {
      await make(provider, 'one');
      const before = await provider.read();
      assert.deepEqual(before.requests, []);
      await provider.answer('no such request', { ok: false, reason: 'no', help: null });
      await provider.answer('no such request', { ok: true });
      assert.deepEqual(await provider.read(), before);
    },
  },
];

const KEYS: readonly ProviderCase[] = [
  {
    name: 'answers a key that it has seen as it did then, and changes nothing',
    run: async ({ provider, reopen }) => {
      const first = await provider.write('k', [create('a')]);
      await provider.write('s', [{ kind: 'set_status', id: idOf(first[0]), status: 'ready' }]);
      const before = await provider.read();
      assert.deepEqual(await provider.write('k', [create('a')]), first);
      assert.deepEqual(await (await reopen()).write('k', [create('a')]), first);
      assert.deepEqual(await provider.read(), before);
    },
  },
  {
    name: 'knows the same content in another order of its keys',
    run: async ({ provider }) => {
      const first = await provider.write('k', [create('a')]);
      const turned = Object.fromEntries(Object.entries(FIELDS).toReversed()) as unknown as ItemFields;
      const again = await provider.write('k', [{ fields: turned, at: AT, ref: 'a', kind: 'create_item' }]);
      assert.deepEqual(again, first);
    },
  },
  {
    name: 'refuses a key that was used for something else, and changes nothing',
    run: async ({ provider }) => {
      await provider.write('k', [create('a')]);
      const before = await provider.read();
      await assert.rejects(provider.write('k', [create('b')]), /the key "k" was used before/);
      assert.deepEqual(await provider.read(), before);
    },
  },
  {
    name: 'does all of a write or nothing, and can then have its key again',
    run: async ({ provider }) => {
      const [id = ''] = await make(provider, 'one');
      const before = await provider.read();
      const close: ProviderWrite = { kind: 'set_status', id, status: 'closed' };
      const wrong: readonly ProviderWrite[] = [
        { kind: 'set_status', id: 'no such item', status: 'ready' },
        { kind: 'set_status', id: `${id}\u0000`, status: 'ready' },
        { kind: 'link_item', item: id, blockedBy: ['no such item'] },
        { kind: 'update_item', id: 'no such item', fields: {} },
        { kind: 'keep_summary', id: 'no such item', runId: 'r', summary: '' },
        {
          kind: 'post_review',
          revisionId: 'none',
          review: { verdict: 'approve', summary: '', comments: [] },
        },
      ];
      for (const write of wrong) {
        await assert.rejects(provider.write('k', [create('a'), close, write]), /there is no/);
        assert.deepEqual(await provider.read(), before);
      }
      assert.equal((await provider.write('k', [create('a'), close])).length, 2);
    },
  },
];

const REVISIONS: readonly ProviderCase[] = [
  {
    name: 'makes a revision whose checks are still to be run, and links it to its item',
    run: async (world) => {
      const { id, revision } = await revised(world, 'one');
      assert.deepEqual(revision.pipeline, { status: 'pending', url: null, reason: null });
      assert.deepEqual(
        [revision.workItemID, revision.reviewID, revision.body, revision.author],
        [id, null, HARD, 'implementor'],
      );
      assert.equal((await itemOf(world.provider, id)).item.linkedRevision, revision.id);
      assert.deepEqual((await world.provider.read()).revisions, [revision]);
    },
  },
  {
    name: 'makes a revision once under one key',
    run: async (world) => {
      const { id, revision } = await revised(world, 'one');
      const request = await requestFor(world, id, 'one');
      assert.deepEqual(await world.provider.makeRevision('rev one', request), { ok: true, revision });
      const later = { ...request, at: '2027-01-02T03:04:05.000Z' };
      assert.deepEqual(await world.provider.makeRevision('rev one', later), { ok: true, revision });
      const other = { ...request, title: 'Another' };
      await assert.rejects(world.provider.makeRevision('rev one', other), /was used before/);
    },
  },
  {
    name: 'replaces the revision of an item by a later one, whose checks are to be run again',
    run: async (world) => {
      const { id, revision } = await revised(world, 'one');
      await world.provider.settle(new AbortController().signal);
      const made = await world.provider.makeRevision('rev two', await requestFor(world, id, 'two'));
      assert.ok(made.ok);
      assert.equal(made.revision.id, revision.id);
      assert.notEqual(made.revision.headSHA, revision.headSHA);
      assert.equal(made.revision.pipeline.status, 'pending');
      assert.deepEqual((await world.provider.read()).revisions, [made.revision]);
    },
  },
  {
    name: 'refuses a patch that is empty or does not apply, and makes nothing',
    run: async (world) => {
      const [id = ''] = await make(world.provider, 'one');
      const request = await requestFor(world, id, 'one');
      for (const wrong of [{ patch: '' }, await world.brokenPatch()]) {
        const made = await world.provider.makeRevision('rev', { ...request, ...wrong });
        assert.equal(made.ok, false);
      }
      assert.deepEqual((await world.provider.read()).revisions, []);
      assert.equal((await itemOf(world.provider, id)).item.linkedRevision, null);
    },
  },
  {
    name: 'shows a review on its revision, and a later one in its place',
    run: async (world) => {
      const { revision } = await revised(world, 'one');
      const post = async (key: string, summary: string) => {
        const review = { verdict: 'approve' as const, summary, comments: [] };
        const [written] = await world.provider.write(key, [
          { kind: 'post_review', revisionId: revision.id, review },
        ]);
        assert.equal(written?.kind, 'review');
        return written.review;
      };
      const first = await post('p1', HARD);
      const second = await post('p2', 'second');
      assert.deepEqual(second, { ...first, review: { ...first.review, summary: 'second' } });
      assert.equal(first.headSHA, revision.headSHA);
      const state = await world.provider.read();
      assert.deepEqual(state.reviews, [second]);
      assert.equal(state.revisions[0]?.reviewID, second.id);
    },
  },
  {
    name: 'has the checks of revisions run when it is asked to, and leaves them where it is stopped',
    run: async (world) => {
      await revised(world, 'one');
      await revised(world, 'two');
      const statuses = async () =>
        (await world.provider.read()).revisions.map(({ pipeline }) => pipeline.status);
      await world.provider.settle(AbortSignal.abort());
      assert.deepEqual(await statuses(), ['pending', 'pending']);
      await world.provider.settle(new AbortController().signal);
      assert.ok(!(await statuses()).includes('pending'));
    },
  },
  {
    name: 'merges a revision once, and gives the same answer again',
    run: async (world) => {
      const { id, revision } = await revised(world, 'one');
      const request = mergeOf(id, revision.id, revision.headSHA);
      const merged = await world.provider.merge('m', request);
      assert.ok(merged.ok, 'it was not merged');
      assert.deepEqual(await world.provider.merge('m', request), merged);
      assert.deepEqual(await world.provider.merge('another key', request), merged);
    },
  },
  {
    name: 'does not merge a revision that has moved since it was approved',
    run: async (world) => {
      const { id, revision } = await revised(world, 'one');
      await world.provider.makeRevision('rev two', await requestFor(world, id, 'two'));
      const merged = await world.provider.merge('m', mergeOf(id, revision.id, revision.headSHA));
      assert.equal(merged.ok, false);
    },
  },
  {
    name: 'makes the labels that are missing, and touches no other',
    run: async ({ provider }) => {
      const label = (name: string) => ({ name, description: `About ${name}`, color: 'ededed' });
      assert.deepEqual(await provider.setUpLabels([label('a'), label('b')]), ['a', 'b']);
      assert.deepEqual(await provider.setUpLabels([label('b'), label('c')]), ['c']);
      assert.deepEqual(await provider.setUpLabels([label('a'), label('b'), label('c')]), []);
    },
  },
  {
    name: 'still has everything when it is opened again',
    run: async (world) => {
      const { id } = await revised(world, 'one');
      await world.provider.write('s', [{ kind: 'set_status', id, status: 'review' }]);
      const before = await world.provider.read();
      await world.provider.close();
      assert.deepEqual(await (await world.reopen()).read(), before);
    },
  },
];

/** What every provider of work items keeps to. */
export const PROVIDER_CASES: readonly ProviderCase[] = [...ITEMS, ...REQUESTS, ...KEYS, ...REVISIONS];
