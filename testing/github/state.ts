import type { BareRepository } from './bare-repository.ts';

/** What the double remembers. Users and repositories are named by id, as on GitHub: logins and names can change. */
export interface DoubleState {
  readonly users: Map<number, User>;
  readonly tokens: Map<string, Token>;
  readonly apps: Map<number, App>;
  readonly repositories: Map<number, Repository>;
  nextId: number;
}

export interface User {
  readonly id: number;
  login: string;
  readonly type: 'User' | 'Bot' | 'Organization';
}

export interface Token {
  readonly userId: number;
  /** Of a classic token; null for one that has no scopes, such as an installation's. */
  readonly scopes: readonly string[] | null;
  readonly expiresAt: number | null;
  /** The app whose installation the token is for. */
  readonly appId: number | null;
}

export interface App {
  readonly id: number;
  readonly slug: string;
  readonly publicKey: string;
  readonly botId: number;
  readonly installationId: number;
}

export type Permission = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';

export interface Repository {
  readonly id: number;
  readonly ownerId: number;
  name: string;
  /** Full names it had before, in lower case. */
  readonly formerNames: Set<string>;
  readonly isPrivate: boolean;
  readonly defaultBranch: string;
  readonly collaborators: Map<number, Permission>;
  readonly labels: Map<string, Label>;
  /** Issues and pull requests share numbers. */
  readonly issues: Map<number, Issue>;
  readonly pulls: Map<number, Pull>;
  readonly comments: Comment[];
  readonly reviews: Review[];
  readonly reviewComments: ReviewComment[];
  readonly events: IssueEvent[];
  readonly statuses: Status[];
  readonly checkRuns: CheckRun[];
  readonly bare: BareRepository;
  readonly createdAt: number;
}

export interface Label {
  readonly id: number;
  name: string;
  color: string;
  description: string | null;
}

export interface Issue {
  readonly id: number;
  readonly number: number;
  title: string;
  body: string | null;
  readonly authorId: number;
  state: 'open' | 'closed';
  stateReason: 'completed' | 'reopened' | 'not_planned' | 'duplicate' | null;
  /** Names as the repository spells them, in the order they were added. */
  labels: string[];
  readonly createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  /** The last change of the body. */
  editedAt: number | null;
  editorId: number | null;
}

/** The part of a pull request that an issue does not have; title, body, state and labels are the issue's. */
export interface Pull {
  readonly id: number;
  readonly number: number;
  headRef: string;
  headSha: string;
  baseRef: string;
  baseSha: string;
  isDraft: boolean;
  mergedAt: number | null;
  mergedById: number | null;
  mergeSha: string | null;
}

export interface Comment {
  readonly id: number;
  readonly number: number;
  readonly authorId: number;
  body: string;
  readonly createdAt: number;
  updatedAt: number;
}

export interface Review {
  readonly id: number;
  readonly number: number;
  readonly authorId: number;
  body: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  commitId: string;
  submittedAt: number | null;
}

export interface ReviewComment {
  readonly id: number;
  readonly number: number;
  readonly reviewId: number | null;
  readonly authorId: number;
  readonly path: string;
  readonly line: number;
  readonly startLine: number | null;
  readonly side: 'LEFT' | 'RIGHT';
  readonly diffHunk: string;
  readonly commitId: string;
  readonly inReplyTo: number | null;
  body: string;
  readonly createdAt: number;
  updatedAt: number;
}

export interface IssueEvent {
  readonly id: number;
  readonly number: number;
  readonly event: string;
  readonly actorId: number;
  readonly createdAt: number;
  readonly label: Label | null;
  readonly rename: { readonly from: string; readonly to: string } | null;
  readonly commitId: string | null;
}

export interface Status {
  readonly id: number;
  readonly sha: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly context: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creatorId: number;
  readonly createdAt: number;
}

export interface CheckRun {
  readonly id: number;
  readonly headSha: string;
  readonly name: string;
  readonly appId: number;
  status: string;
  conclusion: string | null;
  externalId: string | null;
  detailsUrl: string | null;
  output: { readonly title: string | null; readonly summary: string | null; readonly text: string | null };
  readonly startedAt: number;
  completedAt: number | null;
}

export function createState(): DoubleState {
  return {
    users: new Map(),
    tokens: new Map(),
    apps: new Map(),
    repositories: new Map(),
    nextId: 1000,
  };
}

export function nextId(state: DoubleState): number {
  state.nextId += 1;
  return state.nextId;
}

export function userOf(state: DoubleState, id: number): User {
  const user = state.users.get(id);
  if (user === undefined) throw new Error(`no user has the id ${id}`);
  return user;
}

export function findUser(state: DoubleState, login: string): User | undefined {
  const wanted = login.toLowerCase();
  return [...state.users.values()].find((user) => user.login.toLowerCase() === wanted);
}

export function fullNameOf(state: DoubleState, repository: Repository): string {
  return `${userOf(state, repository.ownerId).login}/${repository.name}`;
}

export function permissionOf(repository: Repository, userId: number | null): Permission {
  if (userId === null) return repository.isPrivate ? 'none' : 'read';
  if (userId === repository.ownerId) return 'admin';
  return repository.collaborators.get(userId) ?? (repository.isPrivate ? 'none' : 'read');
}

const ORDER: readonly Permission[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

export function hasAtLeast(permission: Permission, wanted: Permission): boolean {
  return ORDER.indexOf(permission) >= ORDER.indexOf(wanted);
}

export function issueOf(repository: Repository, number: number): Issue {
  const issue = repository.issues.get(number);
  if (issue === undefined) throw new Error(`no issue has the number ${number}`);
  return issue;
}

export function nextNumber(repository: Repository): number {
  return repository.issues.size + 1;
}
