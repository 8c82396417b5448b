import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeWords, proseOf, ROOT, readPage, rowsOf, sectionOf } from './markdown.ts';

const page = await readPage('docs/architecture.md');
const onMap = rowsOf(sectionOf(page, '## The map')).flatMap(([folder]) => codeWords(folder ?? ''));

async function foldersOfSource(): Promise<string[]> {
  const entries = await readdir(join(ROOT, 'src'), { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return folders.map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

describe('the page about the architecture', () => {
  it('has every folder of src on its map', async () => {
    const folders = await foldersOfSource();
    expect(folders.length).toBeGreaterThan(20);
    expect(folders.filter((folder) => !onMap.includes(folder))).toEqual([]);
  });

  it('has no folder on its map twice', () => {
    expect(onMap.filter((folder, index) => onMap.indexOf(folder) !== index)).toEqual([]);
  });

  it('names only files and folders that exist', () => {
    const named = [...onMap, ...codeWords(proseOf(page)).filter((word) => word.startsWith('src/'))];
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
