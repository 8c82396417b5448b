import { createGit, printedValue } from './git-command.ts';

/** The address of a remote, with the user's rewrites of addresses applied; null if there is no such remote. */
export async function readRemoteAddress(repoRoot: string, remote: string): Promise<string | null> {
  const git = createGit({ cwd: repoRoot });
  const found = await git(['remote', 'get-url', '--', remote], { answers: [2, 128] });
  return found.exitCode === 0 ? printedValue(found) : null;
}
