import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DefaultBranch } from '../../../ports/work/revisions.ts';
import { commitAt } from './commits.ts';
import { type Git, printedValue } from './git-command.ts';

const USUAL_NAMES = ['main', 'master'];

/**
 * Finds the branch that finished work is merged into. If the configuration names one, no other branch counts. Otherwise
 * the first of these that exists locally wins: the default branch of `origin`, `init.defaultBranch`, `main`, `master`,
 * the branch that is checked out, the only branch of the repository.
 */
export async function findDefaultBranch(git: Git, named: string | null): Promise<DefaultBranch | null> {
  for (const name of named === null ? await listCandidates(git) : [named]) {
    const commit = await commitAt(git, `refs/heads/${name}`);
    if (commit !== null) return { name, commit };
  }
  return null;
}

/** Reads the default branch of each remote, as of the last fetch. Git always stores a symbolic ref as a file. */
export async function readRemoteDefaults(gitDir: string): Promise<readonly string[]> {
  const remotes = join(gitDir, 'refs/remotes');
  const names = await readdir(remotes).catch((): string[] => []);
  const targets = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(remotes, name, 'HEAD'), 'utf8').catch(() => '');
      return stripPrefix(text.trim(), `ref: refs/remotes/${name}/`);
    }),
  );
  return targets.filter((target) => target !== null);
}

async function listCandidates(git: Git): Promise<readonly string[]> {
  const remote = await readOutput(git, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD']);
  const configured = await readOutput(git, ['config', '--get', 'init.defaultBranch']);
  const current = await readOutput(git, ['symbolic-ref', '--quiet', 'HEAD']);
  const names = [
    stripPrefix(remote, 'refs/remotes/origin/'),
    configured,
    ...USUAL_NAMES,
    stripPrefix(current, 'refs/heads/'),
    await findOnlyBranch(git),
  ];
  return names.flatMap((name) => (name === null || isOwn(name) ? [] : [name]));
}

async function findOnlyBranch(git: Git): Promise<string | null> {
  const listed = await git(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads']);
  const names = listed.stdout.toString('utf8').split('\n');
  const [name, ...others] = names.filter((each) => each !== '' && !isOwn(each));
  return name === undefined || others.length > 0 ? null : name;
}

/** Branches of runs and items are merge sources, never merge targets. */
function isOwn(name: string): boolean {
  return name.startsWith('conductor/');
}

async function readOutput(git: Git, argv: readonly string[]): Promise<string | null> {
  const answer = await git(argv, { answers: [1, 128] });
  const value = answer.exitCode === 0 ? printedValue(answer) : '';
  return value === '' ? null : value;
}

function stripPrefix(ref: string | null, prefix: string): string | null {
  return ref?.startsWith(prefix) === true ? ref.slice(prefix.length) : null;
}
