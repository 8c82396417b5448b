import type { Spec } from '../../../contracts/work/work-item.ts';
import { isAllowedBy } from '../../../policy/globs.ts';
import type { SpecFolder, SpecProblem, SpecReading } from '../../../ports/work/spec-folder.ts';
import { decodeUtf8 } from '../../../text/utf8.ts';
import { readSpecFrontMatter } from '../../../work/items/spec-front-matter.ts';
import { findDefaultBranch } from '../git/default-branch.ts';
import { createGit, type Git } from '../git/git-command.ts';
import { readObjects } from '../git/read-objects.ts';

export interface SpecFilesDeps {
  /** The top of the user's checkout. */
  readonly repoRoot: string;
  /** Which Markdown files are specs, relative to the repository. */
  readonly globs: readonly string[];
  /** The name of the default branch, if it is configured. */
  readonly branch?: string | null;
}

const OBJECT_ID = /^[0-9a-f]{40,64}$/;
const README = /(?:^|\/)README\.md$/i;

/** Reads specs as they are committed on the default branch: an uncommitted draft in a checkout is not planned. */
export function createSpecFiles({ repoRoot, globs, branch: named }: SpecFilesDeps): SpecFolder {
  const git = createGit({ cwd: repoRoot });
  return {
    read: async () => {
      const branch = await findDefaultBranch(git, named ?? null);
      return branch === null ? { specs: [], problems: [] } : readSpecs(git, branch.commit, globs);
    },
    text: async (blobSHA) => {
      if (!OBJECT_ID.test(blobSHA)) return null;
      const found = await git(['cat-file', 'blob', blobSHA], { answers: [1, 128] });
      return found.exitCode === 0 ? found.stdout.toString('utf8') : null;
    },
    diff: async (fromBlobSHA, toBlobSHA) => {
      for (const id of [fromBlobSHA, toBlobSHA])
        if (!OBJECT_ID.test(id)) throw new Error(`${JSON.stringify(id)} is not a blob id`);
      const argv = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--unified=3', '--text'];
      return (await git([...argv, fromBlobSHA, toBlobSHA])).stdout.toString('utf8');
    },
  };
}

interface SpecFile {
  readonly filePath: string;
  readonly blobSHA: string;
}

async function readSpecs(git: Git, commit: string, globs: readonly string[]): Promise<SpecReading> {
  const files = (await listFiles(git, commit)).filter(
    ({ filePath }) => filePath.endsWith('.md') && isAllowedBy(globs, filePath),
  );
  const contents = await readObjects(
    git,
    files.map(({ blobSHA }) => blobSHA),
  );
  const specs: Spec[] = [];
  const problems: SpecProblem[] = [];
  for (const [index, { filePath, blobSHA }] of files.entries()) {
    const read = readSpec(filePath, contents[index]?.content ?? Buffer.alloc(0));
    if (read === null) continue;
    if ('status' in read) specs.push({ filePath, blobSHA, frontmatterStatus: read.status });
    else problems.push(read);
  }
  return { specs, problems };
}

/** Null for a README, which need not be a spec. */
function readSpec(
  filePath: string,
  content: Buffer,
): { readonly status: Spec['frontmatterStatus'] } | SpecProblem | null {
  const text = decodeUtf8(content);
  if (text === null) return { filePath, line: null, message: 'the file is not UTF-8' };
  const read = readSpecFrontMatter(text);
  switch (read.kind) {
    case 'status':
      return { status: read.status };
    case 'problem':
      return { filePath, line: read.line, message: read.message };
    case 'none':
      return README.test(filePath)
        ? null
        : { filePath, line: 1, message: 'front matter with a `status` is missing' };
  }
}

/** Only files: a link or a submodule is not a spec. */
async function listFiles(git: Git, commit: string): Promise<SpecFile[]> {
  const listed = await git(['ls-tree', '-r', '-z', '--full-tree', commit]);
  return listed.stdout
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const [, blobSHA, filePath] = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return blobSHA === undefined || filePath === undefined ? [] : [{ filePath, blobSHA }];
    });
}
