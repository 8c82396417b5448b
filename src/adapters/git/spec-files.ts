import type { Spec } from '../../contracts/work-item.ts';
import { isAllowedBy } from '../../policy/globs.ts';
import type { SpecFolder, SpecProblem, SpecReading } from '../../ports/spec-folder.ts';
import { readSpecFrontMatter } from '../../work/spec-front-matter.ts';
import { findDefaultBranch } from './default-branch.ts';
import { createGit, type Git } from './git-command.ts';

export interface SpecFilesDeps {
  /** The top of the user's checkout. */
  readonly repoRoot: string;
  /** Which Markdown files are specs, relative to the repository. */
  readonly globs: readonly string[];
  /** The default branch by its name, where the configuration gives it. */
  readonly branch?: string | null;
}

const OBJECT_ID = /^[0-9a-f]{40,64}$/;
const README = /(?:^|\/)README\.md$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Specs as they are committed on the default branch: what somebody is still writing is not planned. */
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
        if (!OBJECT_ID.test(id)) throw new Error(`${JSON.stringify(id)} is no blob`);
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
  const contents = await readBlobs(git, files);
  const specs: Spec[] = [];
  const problems: SpecProblem[] = [];
  for (const [index, { filePath, blobSHA }] of files.entries()) {
    const read = readSpec(filePath, contents[index] ?? Buffer.alloc(0));
    if (read === null) continue;
    if ('status' in read) specs.push({ filePath, blobSHA, frontmatterStatus: read.status });
    else problems.push(read);
  }
  return { specs, problems };
}

/** Null for a file that is no spec and need not be one. */
function readSpec(
  filePath: string,
  content: Buffer,
): { readonly status: Spec['frontmatterStatus'] } | SpecProblem | null {
  const text = decode(content);
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
        : { filePath, line: 1, message: 'the file has no front matter that says its `status`' };
  }
}

/** Files alone: a link or a submodule is no spec. */
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

/** One process for all: `<id> blob <size>`, the bytes, and a line feed for each. */
async function readBlobs(git: Git, files: readonly SpecFile[]): Promise<Buffer[]> {
  if (files.length === 0) return [];
  const stdin = files.map(({ blobSHA }) => `${blobSHA}\n`).join('');
  const { stdout } = await git(['cat-file', '--batch'], { stdin });
  const blobs: Buffer[] = [];
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf('\n', at);
    const size = Number(stdout.subarray(at, end).toString('latin1').split(' ')[2]);
    blobs.push(stdout.subarray(end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
  return blobs;
}

function decode(content: Buffer): string | null {
  try {
    return utf8.decode(content);
  } catch {
    return null;
  }
}
