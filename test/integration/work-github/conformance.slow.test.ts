import { expect, it } from 'vitest';
import type { WorkProvider } from '../../../src/ports/work/work-provider.ts';
import { PROVIDER_CASES } from '../../../testing/work-provider-conformance.ts';
import { headOf, patchOf } from '../work-local-fixture.ts';
import { FULL_NAME, openWorkScene, type WorkScene } from './scene.ts';

/** What people see on GitHub must be what the provider says, once everything is written. */
async function expectProjected({ double }: WorkScene, provider: WorkProvider): Promise<void> {
  const { issues, pulls, reviews } = double.findRepository(FULL_NAME);
  const seen = () => double.requests.filter(({ isWrite }) => isWrite).length;
  // Each read writes a part of what is missing.
  for (let before = -1; before !== seen(); ) {
    before = seen();
    await provider.read();
  }
  const state = await provider.read();
  const shown = [...issues.values()].filter(({ number }) => !pulls.has(number));
  const open = shown.filter((issue) => issue.state === 'open');
  // A merged pull request closes its issue, before a command closes the item.
  const merged = new Set(
    [...pulls.values()].flatMap(({ mergedAt, headSha }) => (mergedAt === null ? [] : [headSha])),
  );
  const isMerged = (id: string) =>
    state.revisions.some(({ workItemID, headSHA }) => workItemID === id && merged.has(headSHA));
  const alive = state.items.filter(({ item }) => item.status !== 'closed' && !isMerged(item.id));
  expect(open).toHaveLength(alive.length);
  for (const { item } of alive) {
    const own = shown.filter(({ body }) => body?.includes(`/${item.id} -->`));
    expect(own, `issues of item ${item.id}`).toHaveLength(1);
    const labels = own[0]?.labels.filter((label) => /^(task|status|priority|complexity):/.test(label));
    expect(labels?.toSorted()).toEqual(
      [
        `task:${item.type}`,
        `status:${item.status}`,
        `priority:${item.priority}`,
        ...(item.complexity === null ? [] : [`complexity:${item.complexity}`]),
      ].toSorted(),
    );
  }
  expect([...pulls.values()].map(({ headSha }) => headSha).toSorted()).toEqual(
    state.revisions.map(({ headSHA }) => headSHA).toSorted(),
  );
  expect(reviews).toHaveLength(state.reviews.length);
}

it.each(PROVIDER_CASES)('the provider on GitHub $name', async ({ run }) => {
  const scene = await openWorkScene();
  const { repo } = scene;
  const kept = run({
    provider: await scene.open(),
    reopen: () => scene.open(),
    patchOf: (text) => patchOf(repo, `${text}\n`),
    brokenPatch: async () => {
      const { patch } = await patchOf(repo, 'other\n');
      return { base: await headOf(repo), patch: patch.replace('-start', '-strat') };
    },
  });
  await expect(kept).resolves.toBeUndefined();
  await expectProjected(scene, await scene.open());
});
