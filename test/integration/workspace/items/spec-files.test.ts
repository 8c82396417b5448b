import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSpecFiles } from '../../../../src/adapters/workspace/items/spec-files.ts';
import { workRepo } from '../../work-local-fixture.ts';

const GLOBS = ['docs/specs/**/*.md'];
const APPROVED = '---\nstatus: approved\n---\n\n# A\n';

describe('specs', () => {
  it('are the Markdown files that the globs name, as the default branch has them', async () => {
    const repo = await workRepo({
      files: {
        'docs/specs/a.md': APPROVED,
        'docs/specs/deep/ü b.md': '---\nstatus: draft\n---\n',
        'docs/specs/README.md': '# Specs\n',
        'docs/specs/a.txt': APPROVED,
        'docs/other.md': APPROVED,
      },
    });
    await repo.git('checkout', '--quiet', '-b', 'topic');
    await repo.write('docs/specs/a.md', '---\nstatus: draft\n---\n');
    await repo.write('docs/specs/later.md', APPROVED);
    await repo.git('add', '--all');
    await repo.git('commit', '--quiet', '--message=later');
    const blob = async (path: string) => (await repo.git('rev-parse', `main:${path}`)).trim();
    expect(await createSpecFiles({ repoRoot: repo.root, globs: GLOBS }).read()).toEqual({
      specs: [
        {
          filePath: 'docs/specs/a.md',
          blobSHA: await blob('docs/specs/a.md'),
          frontmatterStatus: 'approved',
        },
        {
          filePath: 'docs/specs/deep/ü b.md',
          blobSHA: await blob('docs/specs/deep/ü b.md'),
          frontmatterStatus: 'draft',
        },
      ],
      problems: [],
    });
  });

  it("that can't be used are reported with the place and the reason", async () => {
    const repo = await workRepo({
      files: {
        'docs/specs/bare.md': '# Bare\n',
        'docs/specs/bytes.md': new Uint8Array([45, 45, 45, 10, 255, 254]),
        'docs/specs/empty.md': '',
        'docs/specs/wrong/readme.md': '---\nstatus: aproved\n---\n',
      },
    });
    await symlink('bare.md', join(repo.root, 'docs/specs/link.md'));
    await repo.git('add', '--all');
    await repo.git('commit', '--quiet', '--message=link');
    expect(await createSpecFiles({ repoRoot: repo.root, globs: GLOBS }).read()).toEqual({
      specs: [],
      problems: [
        {
          filePath: 'docs/specs/bare.md',
          line: 1,
          message: 'front matter with a `status` is missing',
        },
        { filePath: 'docs/specs/bytes.md', line: null, message: 'the file is not UTF-8' },
        {
          filePath: 'docs/specs/empty.md',
          line: 1,
          message: 'front matter with a `status` is missing',
        },
        {
          filePath: 'docs/specs/wrong/readme.md',
          line: 2,
          message: 'the `status` `aproved` is unknown: did you mean `approved`?',
        },
      ],
    });
  });

  it('are none in a repository without a commit', async () => {
    const repo = await workRepo({ files: { 'docs/specs/a.md': APPROVED }, commit: false });
    expect(await createSpecFiles({ repoRoot: repo.root, globs: GLOBS }).read()).toEqual({
      specs: [],
      problems: [],
    });
  });

  it('are read and compared by what git calls their content', async () => {
    const repo = await workRepo({ files: { 'docs/specs/a.md': APPROVED } });
    const specs = createSpecFiles({ repoRoot: repo.root, globs: GLOBS });
    const before = (await specs.read()).specs[0]?.blobSHA ?? '';
    await repo.write('docs/specs/a.md', `${APPROVED}\nMore.\n`);
    await repo.git('commit', '--quiet', '--all', '--message=more');
    const after = (await specs.read()).specs[0]?.blobSHA ?? '';
    expect(await specs.text(before)).toBe(APPROVED);
    expect(await specs.text('f'.repeat(40))).toBeNull();
    expect(await specs.text('main')).toBeNull();
    expect(await specs.diff(before, after)).toMatch(/^@@ -3,3 \+3,5 @@.*\n(?:.*\n)*\+More\.\n$/m);
    expect(await specs.diff(before, before)).toBe('');
    await expect(specs.diff('--output=x', after)).rejects.toThrow('is not a blob id');
  });
});
