import { resolve } from 'node:path';
import type { FoundRepository } from '../adapters/workspace/git/find-repository.ts';
import type { Obstacle } from '../runtime/obstacle.ts';

type Reason = Extract<FoundRepository, { ok: false }>['reason'];

/** Explains why no repository was found, and how to fix it. */
export function repositoryObstacle(reason: Reason, startDir: string): Obstacle {
  const folder = resolve(startDir);
  switch (reason) {
    case 'not_a_folder':
      return { message: `there is no folder ${folder}`, help: 'name a checkout with --repo DIR' };
    case 'not_a_repository':
      return {
        message: `${folder} is not inside a git repository`,
        help: 'change to a checkout, name one with --repo DIR, or make one with git init',
      };
    case 'bare':
      return {
        message: `${folder} is a bare repository`,
        help: 'clone it and run conductor in the checkout',
      };
    case 'foreign_owner':
      return {
        message: `git does not trust ${folder}, because it belongs to another user`,
        help: `if you do: git config --global --add safe.directory ${folder}`,
      };
    case 'git_missing':
      return { message: 'git was not found', help: 'install git and put it on the PATH' };
  }
}
