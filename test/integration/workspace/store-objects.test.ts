import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeRepository } from '../../../src/adapters/workspace/repository/run-repository.ts';
import {
  writeCommit,
  writeFileTree,
  writeObject,
} from '../../../src/adapters/workspace/repository/store-objects.ts';
import { repoAt, startRunIn, temporaryFolder } from './fixture.ts';

/** Git sorts folders as if their names ended in a slash, so these are in none of the usual orders. */
const PATHS = [
  'a-b',
  'a/x',
  'a.txt',
  'a0',
  'A',
  'z/y/x',
  'caf\u00c3\u00a9',
  'odd\u00ff',
  ' lead',
  'line\nfeed',
];

describe.each(['sha1', 'sha256'])('objects of a %s store', (objectFormat) => {
  const start = async () => {
    const repo = repoAt(join(await temporaryFolder(), 'repo'));
    await mkdir(repo.root);
    await repo.git('init', '--quiet', '--initial-branch=main', `--object-format=${objectFormat}`);
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid'];
    await repo.git(...identity, 'commit', '--quiet', '--allow-empty', '--message=start');
    const run = await startRunIn(repo);
    return { ...run, repository: describeRepository(run.run, undefined) };
  };

  it('have the ids that git gives them', async () => {
    const { repository, store, run } = await start();
    const blob = await writeObject(repository, 'blob', Buffer.from('ignored\n'));
    const tree = await writeFileTree(
      repository,
      PATHS.map((path) => ({ path, mode: path === 'a0' ? '100755' : '100644', blob })),
    );
    const parents = [run.baseSha, run.baseSha];
    const commit = await writeCommit(repository, { tree, parents, message: 'conductor: kept\n' });
    expect((await store('cat-file', 'blob', blob)).toString()).toBe('ignored\n');
    await store('read-tree', '--reset', tree);
    expect((await store('write-tree')).trim()).toBe(tree);
    const listed = await store('ls-tree', '-r', '-z', '--name-only', tree);
    expect(listed.split('\0').filter((name) => name !== '')).toHaveLength(PATHS.length);
    expect((await store('log', '--format=%an %ae %P %T %B', '-1', commit)).trim()).toBe(
      `conductor conductor@localhost ${run.baseSha} ${tree} conductor: kept`,
    );
    expect(await store('fsck', '--strict', '--no-dangling', commit)).toBe('');
  });

  it('without a date are the same for the same content', async () => {
    const { repository } = await start();
    const tree = await writeFileTree(repository, []);
    const request = { tree, parents: [], message: 'same\n', undated: true };
    expect(await writeCommit(repository, request)).toBe(await writeCommit(repository, request));
  });
});
