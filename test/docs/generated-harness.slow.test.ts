import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createCli } from '../../testing/cli.ts';
import { makeRepo } from '../../testing/git-repo.ts';
import { blockOf, readPage } from './markdown.ts';

const page = await readPage('docs/guide/workflows/generated-harness.md');
const text = (info: string) => blockOf(page, info).text;
const home = await realpath(await mkdtemp(join(tmpdir(), 'conductor-docs-')));
const repo = await makeRepo({
  files: {
    '.tnh/config.yaml': text('yaml config'),
    '.tnh/workflows/generative-eval.yaml': text('yaml workflow'),
    'cli.mjs': text('js cli.mjs'),
    'goldens/help.txt': text('text goldens/help.txt'),
    'tools/agent.mjs': text('js tools/agent.mjs'),
  },
});
afterAll(async () => {
  await repo.cleanup();
  await rm(home, { recursive: true, force: true });
});

describe('the page about a generated harness', () => {
  it('goes from a failed case through a fix to an approved golden, as recorded', async () => {
    const cli = createCli({ cwd: repo.root, home });
    const run = await cli.run(['run', 'generative-eval', '--input', 'task=Add --version']);
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining('goldens')]);
    const id = run.stdout.trim();
    const shown = await cli.run(['show', id]);
    expect(shown.stdout).toContain(text('text path').trim());
    expect((await cli.run(['goldens', id])).stdout).toContain('goldens/help.txt');
    const approved = await cli.run(['approve', id, '--resume']);
    expect([approved.code, approved.stderr]).toEqual([0, expect.stringContaining('success')]);
    const branch = `conductor/run/generative-eval/${id}`;
    expect(await repo.git('diff', '--name-only', `${branch}~1`, branch)).toBe('cli.mjs\ngoldens/help.txt\n');
    expect(await repo.git('show', `${branch}:goldens/help.txt`)).toBe('Usage: shop [--help] [--version]\n');
  });
});
