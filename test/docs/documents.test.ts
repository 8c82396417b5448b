import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createTemplateReader } from '../../src/adapters/prompts/template.ts';
import { checkConfig } from '../../src/workflow/config/config-document.ts';
import { checkPolicy } from '../../src/workflow/document/policy-document.ts';
import { checkPrompt } from '../../src/workflow/document/prompt-document.ts';
import { makeRepo } from '../../testing/git-repo.ts';
import { createCliInProcess } from '../e2e/in-process.ts';
import { blockOf, ROOT, readPage, readPages } from './markdown.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-docs-')));
const repo = await makeRepo({
  files: { '.tnh/config.yaml': blockOf(await readPage('docs/guide/agents/README.md'), 'yaml config').text },
});
const cli = createCliInProcess({ cwd: repo.root, home: folder });
afterAll(async () => {
  await repo.cleanup();
  await rm(folder, { recursive: true, force: true });
});

const reportSchema = z.object({
  files: z.array(z.object({ diagnostics: z.array(z.object({ severity: z.string(), message: z.string() })) })),
});

async function diagnose(path: string, cwd: string) {
  const { stdout } = await cli.run(['validate', path, '--json'], { cwd });
  return reportSchema.parse(JSON.parse(stdout)).files.flatMap(({ diagnostics }) => diagnostics);
}

const blocks = (await readPages()).flatMap((page) =>
  page.blocks.map((block) => ({ ...block, at: `${page.path}:${block.line}` })),
);

function blocksOf(info: string) {
  const found = blocks.filter((block) => block.info === info);
  if (found.length === 0) throw new Error(`no block \`${info}\` was found`);
  return found;
}

const encode = (text: string) => new TextEncoder().encode(text);

describe('the documents in the documentation', () => {
  it.each(blocksOf('yaml workflow'))('are workflows without errors: $at', async ({ text }) => {
    const path = join(repo.root, 'block.yaml');
    await writeFile(path, text);
    const errors = (await diagnose(path, repo.root)).filter(({ severity }) => severity === 'error');
    expect(errors).toEqual([]);
  });

  it.each(['README.md', 'docs/guide/workflows/generated-harness.md'])(
    'have no warning where they are the first to be copied: %s',
    async (page) => {
      const path = join(repo.root, 'first.yaml');
      await writeFile(path, blockOf(await readPage(page), 'yaml workflow').text);
      expect(await diagnose(path, repo.root)).toEqual([]);
    },
  );

  it('are drawn in the picture of the README; vitest -u draws it again', async () => {
    const path = join(repo.root, 'first.yaml');
    await writeFile(path, blockOf(await readPage('README.md'), 'yaml workflow').text);
    const { stdout } = await cli.run(['graph', path, '--format', 'svg']);
    await expect(stdout).toMatchFileSnapshot(join(ROOT, 'docs', 'pictures', 'workflow.svg'));
  });

  it.each(blocksOf('yaml config'))('are configurations: $at', ({ text }) => {
    expect(checkConfig({ name: 'config.yaml', bytes: encode(text) }).diagnostics).toEqual([]);
  });

  it.each(blocksOf('yaml policy'))('are policies: $at', ({ text }) => {
    expect(checkPolicy({ name: 'policy.yaml', bytes: encode(text) }).diagnostics).toEqual([]);
  });

  it.each(blocksOf('markdown prompt'))('are prompts: $at', ({ text }) => {
    const source = { name: 'prompt.md', bytes: encode(text) };
    expect(checkPrompt(source, null, createTemplateReader()).diagnostics).toEqual([]);
  });
});

describe('the example workflows', () => {
  it('are these', async () => {
    const names = await readdir(join(ROOT, 'examples', 'workflows'));
    expect(names.sort()).toEqual(['golden-harness.yaml', 'review-then-fix.yaml']);
  });

  it.each(['golden-harness.yaml', 'review-then-fix.yaml'])(
    'are valid without a configuration, and without a warning: %s',
    async (name) => {
      expect(await diagnose(join(ROOT, 'examples', 'workflows', name), folder)).toEqual([]);
    },
  );
});
