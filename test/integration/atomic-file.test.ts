import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createOnce } from '../../src/adapters/run-store/durable-file.ts';
import { writeAtomically } from '../../src/node/atomic-file.ts';

/** Fails after the file was made, as a full disk does. */
function* failing(): Generator<string> {
  yield 'half';
  throw new Error('no space');
}

it('leaves nothing behind of a file that could not be written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'conductor-atomic-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const content = () => failing() as unknown as string;
  await expect(writeAtomically(join(folder, 'a'), content())).rejects.toThrow('no space');
  await expect(createOnce(join(folder, 'b'), content())).rejects.toThrow('no space');
  expect(await readdir(folder)).toEqual([]);
});
