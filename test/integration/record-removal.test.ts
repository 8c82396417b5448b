import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderSize } from '../../src/adapters/upkeep/disk-usage.ts';
import { removeRecord } from '../../src/adapters/upkeep/record-removal.ts';
import { temporaryFolder } from './workspace/fixture.ts';

describe('removing a record', () => {
  const RUN = '01990000-0000-7000-8000-000000000000';

  async function makeRecord(at = `.tnh/run/${RUN}`) {
    const repoRoot = await temporaryFolder();
    const runsDir = join(repoRoot, '.tnh/run');
    const folder = join(repoRoot, at);
    for (const name of ['artifacts/fix', 'harness', 'logs'])
      await mkdir(join(folder, name), { recursive: true });
    await mkdir(runsDir, { recursive: true });
    const outside = join(repoRoot, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'precious.txt'), 'precious\n');
    await symlink(outside, join(folder, 'artifacts/fix/link'));
    const files = ['status.json', 'metadata.json', 'events.ndjson.torn-12', 'status.json.0123456789ab.tmp'];
    for (const name of [...files, 'lock.1.2.ab']) await writeFile(join(folder, name), 'x\n');
    await writeFile(join(folder, 'events.ndjson'), `{"seq":0,"run_id":"${RUN}"}\n`);
    return { place: { repoRoot, runsDir }, folder, outside };
  }

  it('removes all of it, and nothing that links lead to', async () => {
    const { place, folder, outside } = await makeRecord();
    expect(await removeRecord(place, RUN, { dryRun: true })).toMatchObject({ ok: true, removed: false });
    expect(existsSync(folder)).toBe(true);
    expect(await removeRecord(place, RUN, { dryRun: false })).toMatchObject({ ok: true, removed: true });
    expect(existsSync(folder)).toBe(false);
    expect(await readFile(join(outside, 'precious.txt'), 'utf8')).toBe('precious\n');
    expect(await removeRecord(place, RUN, { dryRun: false })).toMatchObject({ ok: true, removed: false });
  });

  it('finds one in another place through its link', async () => {
    const { place, folder } = await makeRecord(`evidence/${RUN}`);
    await symlink(`../../evidence/${RUN}`, join(place.runsDir, RUN));
    expect(await removeRecord(place, RUN, { dryRun: false })).toMatchObject({ ok: true, removed: true });
    expect(existsSync(folder)).toBe(false);
    expect(await readdir(place.runsDir)).toEqual([]);
  });

  it.each<[string, (folder: string) => Promise<unknown>, RegExp]>([
    [
      'contains a foreign file',
      (folder) => writeFile(join(folder, 'notes.md'), ''),
      /not part of the record: notes\.md/,
    ],
    [
      'contains a foreign folder',
      (folder) => mkdir(join(folder, 'backup')),
      /not part of the record: backup/,
    ],
    [
      'belongs to another run',
      (folder) => writeFile(join(folder, 'events.ndjson'), '{"run_id":"x"}\n'),
      /not the record/,
    ],
    ['has no events', (folder) => rm(join(folder, 'events.ndjson')), /not the record/],
  ])('leaves a folder alone that %s', async (_, prepare, reason) => {
    const { place, folder } = await makeRecord();
    await prepare(folder);
    const before = await readdir(folder);
    expect(await removeRecord(place, RUN, { dryRun: false })).toEqual({
      ok: false,
      reason: expect.stringMatching(reason),
    });
    expect(await readdir(folder)).toEqual(before);
  });

  it('leaves the target of a link alone if it is not a run of this repository', async () => {
    const { place } = await makeRecord();
    const foreign = join(await temporaryFolder(), RUN);
    await mkdir(foreign);
    await writeFile(join(foreign, 'events.ndjson'), `{"run_id":"${RUN}"}\n`);
    await rm(join(place.runsDir, RUN), { recursive: true });
    await symlink(foreign, join(place.runsDir, RUN));
    expect(await removeRecord(place, RUN, { dryRun: false })).toMatchObject({ ok: false });
    expect(await readdir(foreign)).toEqual(['events.ndjson']);
  });

  it('is measured without following links', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'a/b'), { recursive: true });
    await writeFile(join(folder, 'a/b/c'), '12345');
    await symlink('/usr', join(folder, 'a/usr'));
    expect(await folderSize(folder)).toBe(5 + '/usr'.length);
    expect(await folderSize(join(folder, 'missing'))).toBe(0);
  });
});
