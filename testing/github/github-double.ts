import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerApi } from './answer-api.ts';
import { answerGit, GIT_PATH } from './answer-git.ts';
import { createBareRepository } from './bare-repository.ts';
import { createFaultList, type Fault } from './faults.ts';
import { createLimiter, DEFAULT_LIMITS, type Limits } from './limits.ts';
import {
  createState,
  type DoubleState,
  findUser,
  nextId,
  type Permission,
  type Repository,
  type User,
} from './state.ts';
import { findRepository, type LoggedRequest, type World } from './world.ts';

/**
 * GitHub on loopback. Strict: it checks every request and every answer of its API against GitHub's own description, and a
 * call that the description does not have, or that this double does not know, is a violation.
 */
export interface GitHubDouble {
  /** Root of the API and of git over HTTP; the API is also below `/api/v3`, as on GitHub Enterprise. */
  readonly url: string;
  readonly state: DoubleState;
  /** Every request in the order it came, those of git included. */
  readonly requests: readonly LoggedRequest[];
  /** What did not fit the description. Empty, or the client or the double is wrong. */
  readonly violations: readonly string[];
  readonly now: () => number;
  /** Moves the clock of a double that was created with a fixed time. */
  readonly advance: (ms: number) => void;
  readonly addFault: (fault: Fault) => void;
  readonly clearFaults: () => void;
  readonly addUser: (user: NewUser) => User;
  readonly addRepository: (repository: NewRepository) => Promise<Repository>;
  /** Returns the secret. */
  readonly addToken: (token: NewToken) => string;
  readonly addApp: (app: NewApp) => { readonly installationId: number; readonly bot: User };
  /** The token that each user has from the start, with the scope `repo`. */
  readonly tokenOf: (login: string) => string;
  readonly findRepository: (fullName: string) => Repository;
  readonly renameRepository: (fullName: string, name: string) => void;
  /** Uses up requests of a user's rate limit. */
  readonly useRateLimit: (login: string, count: number) => void;
  readonly rateLimitOf: (login: string) => { readonly used: number; readonly remaining: number };
  /** One call as a user, through the API. Throws for an answer of 400 and above. */
  readonly as: (login: string, method: string, path: string, body?: unknown) => Promise<unknown>;
  /** Throws if there were violations. */
  readonly close: () => Promise<void>;
}

export interface NewUser {
  readonly login: string;
  readonly id?: number;
  readonly type?: User['type'];
}

export interface NewRepository {
  /** `owner/name`; the owner is an existing user. */
  readonly fullName: string;
  readonly isPrivate?: boolean;
  readonly defaultBranch?: string;
  readonly collaborators?: Readonly<Record<string, Permission>>;
  /** Path of a repository whose branches it starts with. */
  readonly from?: string;
}

export interface NewToken {
  readonly login: string;
  readonly secret?: string;
  /** Null for a fine-grained token. */
  readonly scopes?: readonly string[] | null;
  readonly expiresAt?: number;
}

export interface NewApp {
  readonly id: number;
  readonly slug: string;
  /** In PEM form. */
  readonly publicKey: string;
}

export interface GitHubDoubleOptions {
  readonly port?: number;
  /** A clock that only `advance` moves; the machine's clock without it. */
  readonly startAt?: number;
  readonly limits?: Partial<Limits>;
}

export async function createGitHubDouble(options: GitHubDoubleOptions = {}): Promise<GitHubDouble> {
  const state = createState();
  const root = await mkdtemp(join(tmpdir(), 'conductor-github-'));
  const faults = createFaultList();
  const limiter = createLimiter({ ...DEFAULT_LIMITS, ...options.limits });
  let fixed = options.startAt ?? null;
  const now = (): number => fixed ?? Date.now();
  const violations: string[] = [];
  const requests: LoggedRequest[] = [];

  const server = createServer((incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const git = GIT_PATH.exec(pathname);
    const answered =
      git === null
        ? answerApi(world, incoming, response)
        : answerGit(world, incoming, response, git, searchParams.toString());
    answered.catch((error: unknown) => {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      violations.push(`${incoming.method} ${incoming.url}: the double failed: ${reason}`);
      response.destroy();
    });
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world: World = {
    state,
    origin,
    requests,
    violations,
    faults,
    limiter,
    now,
    writesUnderWay: 0,
  };

  const userNamed = (login: string): User => {
    const user = findUser(state, login);
    if (user === undefined) throw new Error(`the double has no user ${login}`);
    return user;
  };
  const repositoryNamed = (fullName: string): Repository => {
    const repository = findRepository(state, fullName);
    if (repository === null) throw new Error(`the double has no repository ${fullName}`);
    return repository;
  };
  const tokenOf = (login: string): string => `ghp_${userNamed(login).id}_of_${userNamed(login).login}`;
  const addUser = ({ login, id, type }: NewUser): User => {
    if (findUser(state, login) !== undefined) throw new Error(`the double has a user ${login} already`);
    const user: User = { id: id ?? nextId(state), login, type: type ?? 'User' };
    state.users.set(user.id, user);
    state.tokens.set(tokenOf(login), { userId: user.id, scopes: ['repo'], expiresAt: null, appId: null });
    return user;
  };

  return {
    url: origin,
    state,
    requests,
    violations,
    now,
    advance: (ms) => {
      if (fixed === null) throw new Error('the double uses the clock of the machine');
      fixed += ms;
    },
    addFault: faults.add,
    clearFaults: faults.clear,
    addUser,
    addRepository: async ({ fullName, isPrivate = false, defaultBranch = 'main', collaborators, from }) => {
      const [owner = '', name = ''] = fullName.split('/');
      const id = nextId(state);
      const bare = await createBareRepository(root, `${id}.git`, defaultBranch);
      if (from !== undefined) await bare.git('fetch', '--quiet', from, '+refs/heads/*:refs/heads/*');
      const roles = Object.entries(collaborators ?? {}).map(
        ([login, permission]) => [userNamed(login).id, permission] as const,
      );
      const repository: Repository = {
        id,
        ownerId: userNamed(owner).id,
        name,
        formerNames: new Set(),
        isPrivate,
        defaultBranch,
        collaborators: new Map(roles),
        labels: new Map(),
        issues: new Map(),
        pulls: new Map(),
        comments: [],
        reviews: [],
        reviewComments: [],
        events: [],
        statuses: [],
        checkRuns: [],
        bare,
        createdAt: now(),
      };
      state.repositories.set(id, repository);
      return repository;
    },
    addToken: ({
      login,
      secret = `ghp_${randomUUID().replaceAll('-', '')}`,
      scopes = ['repo'],
      expiresAt,
    }) => {
      state.tokens.set(secret, {
        userId: userNamed(login).id,
        scopes,
        expiresAt: expiresAt ?? null,
        appId: null,
      });
      return secret;
    },
    addApp: ({ id, slug, publicKey }) => {
      const bot = addUser({ login: `${slug}[bot]`, type: 'Bot' });
      const installationId = nextId(state);
      state.apps.set(id, { id, slug, publicKey, botId: bot.id, installationId });
      return { installationId, bot };
    },
    tokenOf,
    findRepository: repositoryNamed,
    renameRepository: (fullName, name) => {
      const repository = repositoryNamed(fullName);
      repository.formerNames.add(fullName.toLowerCase());
      repository.name = name;
    },
    useRateLimit: (login, count) => limiter.use(`user:${userNamed(login).id}`, now(), count),
    rateLimitOf: (login) => limiter.read(`user:${userNamed(login).id}`, now()),
    as: async (login, method, path, body) => {
      const response = await fetch(`${origin}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${tokenOf(login)}`,
          'user-agent': 'conductor-tests',
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? null : JSON.parse(text);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await rm(root, { recursive: true, force: true });
      if (violations.length > 0)
        throw new Error(`GitHub's description is violated:\n${violations.join('\n')}`);
    },
  };
}
