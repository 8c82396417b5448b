import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RestoreTarget } from '../../src/ports/workspace.ts';
import { makeRepo, readCheckout } from '../../testing/git-repo.ts';
import { createRun, listFiles, requestFor, workspacesOf } from './git-workspace-fixture.ts';

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

/** What stands in the way of a path goes: a file where a folder has to be, a folder where a file has to be. */
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

it('a restored worktree is the snapshot, byte for byte and mode for mode, whatever was edited', async () => {
  await fc.assert(
    fc.asyncProperty(edits, edits, edits, fc.boolean(), async (base, first, second, commits) => {
      const repo = await makeRepo({ files: { '.tnh/.gitignore': '*\n', '.gitignore': 'ignored\n' } });
      try {
        await apply(repo.root, base);
        await repo.git('add', '--all');
        await repo.git('commit', '--quiet', '--allow-empty', '--message=base');
        const checkout = await readCheckout(repo.root);
        const workspaces = workspacesOf(repo);
        const run = await createRun(workspaces, await requestFor(repo, 'r1'));
        const atBase = await listFiles(run.worktreePath);
        await apply(run.worktreePath, first);
        const atSnapshot = await listFiles(run.worktreePath);
        const { commit, tree } = await workspaces.snapshot(run, 'one');
        await apply(run.worktreePath, second);
        if (commits) await workspaces.commit(run, 'work');
        const atEnd = await listFiles(run.worktreePath);

        const visit = async (target: RestoreTarget) => {
          const restored = await workspaces.restore(run, target, 'visit');
          return { restored, files: await listFiles(run.worktreePath) };
        };
        const back = await visit({ kind: 'snapshot', commit });
        expect(back.files).toEqual(atSnapshot);
        expect(back.restored.after.tree).toBe(tree);
        expect((await visit({ kind: 'base' })).files).toEqual(atBase);
        const undone = await visit({ kind: 'snapshot', commit: back.restored.before.commit });
        expect(undone.files).toEqual(atEnd);
        expect(await readCheckout(repo.root)).toEqual(checkout);
      } finally {
        await repo.cleanup();
      }
    }),
    { numRuns: 25 },
  );
}, 300_000);
