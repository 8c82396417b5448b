import type { Documents } from './documents.ts';
import {
  type DoubleState,
  type Issue,
  type IssueEvent,
  nextId,
  type Permission,
  type Pull,
  type Repository,
  type Token,
  type User,
} from './state.ts';

/** One request of a client whose form and rights have been checked. */
export interface Call {
  readonly state: DoubleState;
  readonly documents: Documents;
  readonly origin: string;
  readonly now: number;
  readonly user: User | null;
  readonly token: Token | null;
  /** Of the JSON Web Token that an app signs. */
  readonly appId: number | null;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Already checked against the schema of the operation. */
  readonly body: unknown;
  readonly makeToken: (token: Token) => string;
  readonly rateLimit: () => RateLimit;
}

export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly used: number;
  readonly reset: number;
}

/** A call in a repository, by a user who may make it. */
export interface RepositoryCall extends Call {
  readonly repository: Repository;
  readonly permission: Permission;
}

export type Answer =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** A list, of which the client gets one page. */
  | ListAnswer;

export interface ListAnswer {
  readonly items: readonly unknown[];
  readonly render: (item: never) => unknown;
  /** For lists inside a document. */
  readonly wrap?: (page: readonly unknown[], total: number) => unknown;
}

export interface Handler {
  /** What the token's owner must have in the repository; null for calls outside of one. */
  readonly needs: Permission | null;
  /** One of these scopes, if the token is a classic one. */
  readonly scopes: readonly string[];
  readonly answer: (call: RepositoryCall) => Answer | Promise<Answer>;
}

export class Refused extends Error {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: object, headers: Readonly<Record<string, string>> = {}) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

const DOCS = 'https://docs.example.invalid/rest';

export function notFound(): Refused {
  return new Refused(404, { message: 'Not Found', documentation_url: DOCS, status: '404' });
}

export function refused(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Refused {
  return new Refused(status, { message, documentation_url: DOCS, status: String(status) }, headers);
}

export function invalid(
  errors: readonly object[] | readonly string[],
  message = 'Validation Failed',
): Refused {
  return new Refused(422, { message, errors, documentation_url: DOCS, status: '422' });
}

export function read(answer: Handler['answer']): Handler {
  return { needs: 'read', scopes: [], answer };
}

export function write(
  needs: Permission,
  answer: Handler['answer'],
  scopes = ['repo', 'public_repo'],
): Handler {
  return { needs, scopes, answer };
}

export function list<T>(
  items: readonly T[],
  render: (item: T) => unknown,
  wrap?: ListAnswer['wrap'],
): ListAnswer {
  return { items, render, ...(wrap === undefined ? {} : { wrap }) };
}

export function findIssue({ repository, params }: RepositoryCall): Issue {
  const issue = repository.issues.get(Number(params.issue_number));
  if (issue === undefined) throw notFound();
  return issue;
}

export function findPull({ repository, params }: RepositoryCall): {
  readonly pull: Pull;
  readonly issue: Issue;
} {
  const number = Number(params.pull_number);
  const pull = repository.pulls.get(number);
  const issue = repository.issues.get(number);
  if (pull === undefined || issue === undefined) throw notFound();
  return { pull, issue };
}

/** The user of a call that needs one. */
export function actor(call: Call): User {
  if (call.user === null) throw refused(401, 'Requires authentication');
  return call.user;
}

export function recordEvent(
  call: { readonly state: DoubleState; readonly now: number },
  repository: Repository,
  event: Pick<IssueEvent, 'number' | 'event' | 'actorId'> & Partial<IssueEvent>,
): void {
  repository.events.push({
    id: nextId(call.state),
    createdAt: call.now,
    label: null,
    rename: null,
    commitId: null,
    ...event,
  });
}

/** Lists of issues and pull requests are sorted alike. */
export function sortByQuery<T>(
  items: readonly T[],
  query: URLSearchParams,
  issueOfItem: (item: T) => Issue,
  defaultDirection: 'asc' | 'desc' = 'desc',
): readonly T[] {
  const sort = query.get('sort') ?? 'created';
  const direction = query.get('direction') ?? defaultDirection;
  const key = (item: T): number => {
    const { createdAt, updatedAt } = issueOfItem(item);
    return sort === 'updated' ? updatedAt : createdAt;
  };
  const sorted = [...items].sort((a, b) => key(a) - key(b) || issueOfItem(a).number - issueOfItem(b).number);
  return direction === 'asc' ? sorted : sorted.reverse();
}

/** The time that a list starts at; null for all. */
export function sinceOf(query: URLSearchParams): number | null {
  const since = query.get('since');
  return since === null ? null : Date.parse(since);
}

const MAX_BODY = 65_536;
const MAX_TITLE = 256;

/** GitHub refuses texts that are longer, after the write was checked. */
export function checkTexts(resource: string, fields: { title?: unknown; body?: unknown }): void {
  if (typeof fields.title === 'string' && (fields.title.trim() === '' || fields.title.length > MAX_TITLE))
    throw invalid([
      { resource, field: 'title', code: fields.title.trim() === '' ? 'missing_field' : 'custom' },
    ]);
  if (typeof fields.body === 'string' && fields.body.length > MAX_BODY)
    throw invalid([
      {
        resource,
        field: 'body',
        code: 'custom',
        message: `body is too long (maximum is ${MAX_BODY} characters)`,
      },
    ]);
}
