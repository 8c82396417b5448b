import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Identity, identify } from './access.ts';
import { serveGit } from './git-http.ts';
import { followBranches } from './handlers/pulls.ts';
import { fullNameOf, hasAtLeast, permissionOf } from './state.ts';
import { applyFault, findRenamed, findRepository, logRequest, type World } from './world.ts';

/** Owner, name and the part that git adds. */
export const GIT_PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?(\/(?:info\/refs|git-upload-pack|git-receive-pack))$/;

const CHALLENGE = { 'www-authenticate': 'Basic realm="GitHub"' };

/** One request of git. A push moves the heads of pull requests before it is answered. */
export async function answerGit(
  world: World,
  incoming: IncomingMessage,
  response: ServerResponse,
  [, owner = '', name = '', action = '']: RegExpExecArray,
  query: string,
): Promise<void> {
  const { state, now } = world;
  const isWrite = action === '/git-receive-pack';
  const isPush = isWrite || query.includes('service=git-receive-pack');
  const suffix = `${action}${query === '' ? '' : `?${query}`}`;
  const entry = logRequest(world, {
    method: incoming.method ?? 'GET',
    path: `/${owner}/${name}${suffix}`,
    operation: 'git',
    isWrite,
    body: undefined,
  });
  const fault = world.faults.take(entry);
  if (fault?.when === 'before') {
    entry.status = await applyFault(fault, response);
    return;
  }
  const end = (status: number, headers: Readonly<Record<string, string>> = {}): void => {
    entry.status = status;
    response.writeHead(status, headers).end();
  };
  let identity: Identity;
  try {
    identity = identify(state, incoming.headers.authorization, entry.at);
  } catch {
    return end(401, CHALLENGE);
  }
  const repository = findRepository(state, `${owner}/${name}`);
  if (repository === null) {
    const renamed = findRenamed(state, `${owner}/${name}`);
    if (renamed === null) return end(404);
    return end(301, { location: `${world.origin}/${fullNameOf(state, renamed)}.git${suffix}` });
  }
  entry.login = identity.user?.login ?? null;
  const permission = permissionOf(repository, identity.user?.id ?? null);
  const scopes = identity.token?.scopes ?? null;
  const hasScope = scopes === null || scopes.includes('repo') || scopes.includes('public_repo');
  if (identity.user === null && (isPush || repository.isPrivate)) return end(401, CHALLENGE);
  if (!hasAtLeast(permission, 'read')) return end(404);
  if (isPush && !(hasAtLeast(permission, 'write') && hasScope)) return end(403);
  const answer = await serveGit(incoming, {
    projectRoot: repository.bare.projectRoot,
    path: `/${repository.bare.folder}${action}`,
    query,
    user: entry.login ?? 'anonymous',
  });
  if (isWrite)
    await followBranches({ state, now: now() }, repository, identity.user?.id ?? repository.ownerId);
  entry.isHandled = true;
  if (fault !== null) {
    entry.status = await applyFault(fault, response);
    return;
  }
  entry.status = answer.status;
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
