import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { indexPrompts, readPrompts } from '../../../src/adapters/prompts/prompt-files.ts';
import { createTemplateReader } from '../../../src/adapters/prompts/template.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function catalogs(files: Readonly<Record<string, string>>): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'conductor-prompts-'));
  made.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return ['near', 'far', 'nowhere'].map((name) => join(root, name));
}

const prompt = (id: string, version: number, body = 'Do it.') =>
  `---\nprompt_id: ${id}\nversion: ${version}\nrole: task\nsummary: s\nowner: o\nstatus: current\n---\n${body}\n`;

describe('the folders of prompts', () => {
  it('are looked through in order, and the nearer prompt of a reference wins', () => {
    const folders = catalogs({
      'near/task.a.v1.md': prompt('task.a', 1, 'near'),
      'far/task.a.v1.md': prompt('task.a', 1, 'far'),
      'far/task.a.v2.md': prompt('task.a', 2, 'far'),
    });
    const { byRef, broken } = readPrompts(folders);
    expect([...byRef].map(([ref, { body }]) => [ref, body])).toEqual([
      ['task.a.v1', 'near'],
      ['task.a.v2', 'far'],
    ]);
    expect(broken).toEqual([]);
    expect(indexPrompts(folders).get('task.a.v1')?.body).toBe('near');
  });

  it('hold a file that is named for another prompt to be broken, and never give it', () => {
    const folders = catalogs({ 'near/task.a.v2.md': prompt('task.a', 1) });
    const { byRef, broken } = readPrompts(folders);
    expect([...byRef.keys()]).toEqual([]);
    expect(broken.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code))).toEqual(['PR107']);
    const index = indexPrompts(folders);
    expect([...index.keys()]).toEqual(['task.a.v2']);
    expect([index.get('task.a.v2'), index.get('task.a.v1')]).toEqual([undefined, undefined]);
  });

  it.each<[string, string, string[], string | null]>([
    ['what it declares and what the runtime has', '{{ ticket }} {{ task }} {{ diff }}', [], null],
    ['what the step gives', 'Fix {{ colour }}', ['colour'], null],
    ['what nobody gives', 'Fix\n it {{ colour }}', [], 'near/task.a.v1.md:LINE:8'],
    ['a tag that is not closed', 'Fix\n{% if ticket %}', [], 'near/task.a.v1.md:LINE:1'],
    ['a file', 'Fix\n{% include "x" %}', [], 'near/task.a.v1.md:LINE:1'],
  ])('know the place where a text uses %s', (_, body, given, place) => {
    const text = prompt('task.a', 1, body).replace('role: task', 'role: task\ninputs: [{ name: ticket }]');
    const folders = catalogs({ 'near/task.a.v1.md': text });
    const found = indexPrompts(folders, createTemplateReader()).get('task.a.v1')?.problem?.(given) ?? null;
    const line = text.split('\n').indexOf(body.split('\n').at(-1) ?? '') + 1;
    const expected = place?.replace('LINE', String(line)) ?? null;
    expect(found === null ? null : found.place.split('/').slice(-2).join('/')).toBe(expected);
  });

  it('may contain other files, which are no prompts', () => {
    const folders = catalogs({ 'near/README.md': '# Ours\n', 'near/task.a.md': prompt('task.a', 1) });
    expect([...indexPrompts(folders).keys()]).toEqual([]);
    expect(readPrompts(folders).broken).toEqual([]);
  });
});
