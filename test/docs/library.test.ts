import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, readPage } from './markdown.ts';

const run = promisify(execFile);

const page = await readPage('docs/reference/library.md');

/** Each program of the page with the text below it. */
const examples = page.blocks.flatMap((block, index) => {
  if (!/^[jt]s\b/.test(block.info)) return [];
  const shown = page.blocks[index + 1];
  return [{ line: block.line, program: block.text, shown: shown?.info === 'text' ? shown.text : null }];
});

describe('the page about the library', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-library-')));
    await mkdir(join(folder, 'node_modules'));
    await mkdir(join(folder, 'tmp'));
    await symlink(ROOT, join(folder, 'node_modules', 'tnh-conductor'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('has an example for each thing it explains', () => {
    expect(examples.length).toBe(page.text.match(/^## /gm)?.length);
  });

  it.each(examples)('prints what it says: line $line', async ({ line, program, shown }) => {
    const path = join(folder, `line-${line}.mjs`);
    await writeFile(path, program);
    const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: join(folder, 'tmp'), NO_COLOR: '1' };
    const { stdout, stderr } = await run(process.execPath, [path], { cwd: folder, env });
    expect(stderr).toBe('');
    expect(stdout.trimEnd()).toBe(shown?.trimEnd());
    expect(await readdir(join(folder, 'tmp'))).toEqual([]);
  });
});
