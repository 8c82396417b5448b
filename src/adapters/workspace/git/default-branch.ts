import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DefaultBranch } from '../../../ports/revisions.ts';
import { type Git, printedValue } from './git-command.ts';
import { commitAt } from './revision.ts';

const USUAL_NAMES = ['main', 'master'];

/**
 * The branch that finished work goes to: the one that the configuration names and no other, else what the remote calls its
 * default, else what git gives new repositories, else a usual name, else the branch that is checked out, else the only one
 * there is. One that is not here as a branch does not count.
 */
export async function findDefaultBranch(git: Git, named: string | null): Promise<DefaultBranch | null> {
  for (const name of named === null ? await candidates(git) : [named]) {
    const commit = await commitAt(git, `refs/heads/${name}`);
    if (commit !== null) return { name, commit };
  }
  return null;
}

/** The default branches of the repository's remotes, as the last fetch saw them. A symbolic ref is always a file. */
export async function readRemoteDefaults(gitDir: string): Promise<readonly string[]> {
  const remotes = join(gitDir, 'refs/remotes');
  const names = await readdir(remotes).catch((): string[] => []);
  const targets = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(remotes, name, 'HEAD'), 'utf8').catch(() => '');
      return withoutPrefix(text.trim(), `ref: refs/remotes/${name}/`);
    }),
  );
  return targets.filter((target) => target !== null);
}

async function candidates(git: Git): Promise<readonly string[]> {
  const remote = await printedBy(git, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD']);
  const configured = await printedBy(git, ['config', '--get', 'init.defaultBranch']);
  const current = await printedBy(git, ['symbolic-ref', '--quiet', 'HEAD']);
  const names = [
    withoutPrefix(remote, 'refs/remotes/origin/'),
    configured,
    ...USUAL_NAMES,
    withoutPrefix(current, 'refs/heads/'),
    await onlyBranch(git),
  ];
  return names.flatMap((name) => (name === null || isOwn(name) ? [] : [name]));
}

async function onlyBranch(git: Git): Promise<string | null> {
  const listed = await git(['for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads']);
  const names = listed.stdout.toString('utf8').split('\n');
  const [name, ...others] = names.filter((each) => each !== '' && !isOwn(each));
  return name === undefined || others.length > 0 ? null : name;
}

/** The branches of runs and items are what is merged, never what is merged into. */
function isOwn(name: string): boolean {
  return name.startsWith('conductor/');
}

async function printedBy(git: Git, argv: readonly string[]): Promise<string | null> {
  const answer = await git(argv, { answers: [1, 128] });
  const value = answer.exitCode === 0 ? printedValue(answer) : '';
  return value === '' ? null : value;
}

function withoutPrefix(ref: string | null, prefix: string): string | null {
  return ref?.startsWith(prefix) === true ? ref.slice(prefix.length) : null;
}
