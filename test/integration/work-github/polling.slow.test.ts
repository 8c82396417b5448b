import { expect, it } from 'vitest';
import type { ProviderWrite } from '../../../src/ports/work/work-provider.ts';
import { LABELS } from '../../../src/work/items/labels.ts';
import { patchOf, revisionRequest } from '../work-local-fixture.ts';
import { FULL_NAME, openWorkScene } from './scene.ts';

const HOUR_MS = 3_600_000;
const LOOK_MS = 30_000;

it('500 issues and 100 open pull requests cost at most a tenth of the rate limit in an hour of polling', async () => {
  const scene = await openWorkScene({ limits: { perHour: 100_000, writesPerMinute: 1_000 } });
  const { double, repo } = scene;
  scene.setChecks('none');
  const { bare } = double.findRepository(FULL_NAME);
  const writer = await scene.open(HOUR_MS, {
    baseBranch: async () => 'main',
    // The push itself is not what is measured.
    push: async ({ branch, commit }) => {
      await bare.git('fetch', '--quiet', repo.root, `+refs/heads/${branch}:refs/heads/${branch}`);
      expect(await bare.resolve(`refs/heads/${branch}`)).toBe(commit);
    },
    followRemote: async (commit) => ({ ok: true, into: 'main', commit }),
  });
  await writer.setUpLabels(LABELS);
  const create = Array.from(
    { length: 500 },
    (_, at): ProviderWrite => ({
      kind: 'create_item',
      ref: `t${at}`,
      at: '2026-01-01T00:00:00.000Z',
      fields: {
        title: `Item ${at}`,
        body: 'Do it.',
        type: 'implement',
        priority: 'medium',
        complexity: 'low',
        otherLabels: [],
      },
    }),
  );
  await writer.write('plan', create);
  const patch = await patchOf(repo, 'changed\n');
  for (let item = 1; item <= 100; item += 1) {
    await writer.makeRevision(`r${item}`, {
      ...revisionRequest(String(item), patch),
      // A commit of its own.
      message: `Item ${item}`,
    });
    await writer.write(`s${item}`, [{ kind: 'set_status', id: String(item), status: 'review' }]);
  }
  const found = double.findRepository(FULL_NAME);
  for (let before = -1; before !== double.requests.filter(({ isWrite }) => isWrite).length; ) {
    before = double.requests.filter(({ isWrite }) => isWrite).length;
    await writer.read();
  }
  expect([found.issues.size, found.pulls.size]).toEqual([600, 100]);

  // A process that starts now knows nothing of what earlier ones were answered.
  const provider = await scene.open(LOOK_MS);
  double.advance(HOUR_MS);
  const { used: before } = double.rateLimitOf('conductor-bot');
  const asked = double.requests.length;
  const end = double.now() + HOUR_MS;
  for (; double.now() < end; double.advance(LOOK_MS)) await provider.read();
  const used = double.rateLimitOf('conductor-bot').used - before;
  // Issues and pull requests were asked for again and again, and nearly all of it was not modified.
  expect(double.requests.length - asked).toBeGreaterThan(200);
  expect(used).toBeLessThanOrEqual(500);
}, 300_000);
