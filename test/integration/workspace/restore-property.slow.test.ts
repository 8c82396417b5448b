import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RestoreTarget } from '../../../src/ports/workspace/workspace.ts';
import { gitAt, makeRepo } from '../../../testing/git-repo.ts';
import { numberOfRuns } from '../../unit/number-of-runs.ts';
import { createRun, listFiles, readUserSide, requestFor, workspacesOf } from './fixture.ts';

type Edit =
  | { readonly kind: 'file'; readonly path: string; readonly bytes: Uint8Array; readonly runnable: boolean }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string };

// Few names on few levels, so that files, links and folders of the same name keep taking each other's place.
// One of them is ignored by git.
const name = fc.constantFrom('a', 'b', 'C c', 'é\n', 'ignored');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 12 }),
  fc.constantFrom('1\n', '2\n', '3\n').map((text) => new TextEncoder().encode(text)),
);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('file'), path, bytes, runnable: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('link'), path, to: fc.constantFrom('a', '../b', '/') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove'), path }) },
);
const edits = fc.array(edit, { maxLength: 10 });

/** Removes what is in the way of a path: a file in the place of a folder, a folder in the place of a file. */
async function clearWay(root: string, target: string): Promise<void> {
  const parts = target.split('/');
  const present = await listFiles(root);
  for (let length = 1; length < parts.length; length += 1) {
    const above = parts.slice(0, length).join('/');
    if (above in present) await rm(join(root, above));
  }
  await rm(join(root, target), { recursive: true, force: true });
  await mkdir(dirname(join(root, target)), { recursive: true });
}

async function apply(root: string, list: readonly Edit[]): Promise<void> {
  for (const step of list) {
    await clearWay(root, step.path);
    const target = join(root, step.path);
    if (step.kind === 'link') await symlink(step.to, target);
    if (step.kind !== 'file') continue;
    await writeFile(target, step.bytes);
    await chmod(target, step.runnable ? 0o755 : 0o644);
  }
}

/** As an agent does. */
async function commitAll(root: string): Promise<void> {
  await gitAt(root, 'add', '--all');
  await gitAt(root, 'commit', '--quiet', '--allow-empty', '--message=work');
}

it('a restored checkout equals the snapshot, byte for byte and mode for mode, whatever was edited', async () => {
  await fc.assert(
    fc.asyncProperty(edits, edits, edits, fc.boolean(), async (base, first, second, commits) => {
      const repo = await makeRepo({ files: { '.gitignore': 'ignored\n' } });
      try {
        await apply(repo.root, base);
        await repo.git('add', '--all');
        await repo.git('commit', '--quiet', '--allow-empty', '--message=base');
        const checkout = await readUserSide(repo.root);
        const workspaces = await workspacesOf(repo);
        const run = await createRun(workspaces, await requestFor(repo, 'r1'));
        const atBase = await listFiles(run.checkoutPath);
        await apply(run.checkoutPath, first);
        const atSnapshot = await listFiles(run.checkoutPath);
        const { commit, tree } = await workspaces.snapshot(run, 'one');
        await apply(run.checkoutPath, second);
        if (commits) await commitAll(run.checkoutPath);
        const atEnd = await listFiles(run.checkoutPath);

        const visit = async (target: RestoreTarget) => {
          const restored = await workspaces.restore(run, target, 'visit');
          return { restored, files: await listFiles(run.checkoutPath) };
        };
        const back = await visit({ kind: 'snapshot', commit });
        expect(back.files).toEqual(atSnapshot);
        expect(back.restored.after.tree).toBe(tree);
        expect((await visit({ kind: 'base' })).files).toEqual(atBase);
        const undone = await visit({ kind: 'snapshot', commit: back.restored.before.commit });
        expect(undone.files).toEqual(atEnd);
        expect(await readUserSide(repo.root)).toEqual(checkout);
      } finally {
        await repo.cleanup();
      }
    }),
    { numRuns: numberOfRuns(10) },
  );
}, 300_000);
