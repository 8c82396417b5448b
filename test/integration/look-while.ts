import { join } from 'node:path';
import { createGitSurroundings } from '../../src/adapters/git/observe.ts';
import type { OutsideChange } from '../../src/contracts/surroundings.ts';
import type { Observed, Settled } from '../../src/ports/surroundings.ts';
import type { Run } from './git-workspace-fixture.ts';

interface Look {
  readonly settled: Settled;
  readonly observed: Observed;
}

/** What is seen of something that is done while a step runs. */
export async function lookWhile(
  { repo, workspaces, run }: Run,
  act: () => Promise<unknown>,
  options: { readonly shutIn?: boolean; readonly home?: string } = {},
): Promise<Look> {
  const surroundings = createGitSurroundings({
    repoRoot: repo.root,
    worktreesDir: join(repo.root, '.tnh', 'worktrees'),
    runsDir: join(repo.root, '.tnh', 'run'),
    home: options.home,
  });
  const before = await workspaces.snapshot(run, 'a@1');
  const refsBefore = await workspaces.refs(run);
  const watch = await surroundings.watch({
    workspace: run,
    before,
    evidenceDir: join(repo.root, '.tnh', 'run', 'r1', 'artifacts', 'a'),
    shutIn: options.shutIn ?? false,
    forbids: (path) => path.endsWith('.log'),
  });
  await act();
  const settled = await watch.settle();
  const after = await workspaces.snapshot(run, 'a@1.after');
  const { files: changes } = await workspaces.diff(run, before.tree, after.tree);
  const refsAfter = await workspaces.refs(run);
  const observed = await watch.compare({ refsBefore, refsAfter, changes, excused: [], entry: 'a@1' });
  return { settled, observed };
}

export function told(changes: readonly OutsideChange[]): string[] {
  return changes.map(({ place, verb, subject, excuse }) =>
    [place, verb, subject, ...(excuse === null ? [] : ['excused'])].join(' '),
  );
}
