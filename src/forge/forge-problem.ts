import { ExpectedFailure } from '../contracts/expected-failure.ts';

/** Why a forge did not do what it was asked: data, so that a caller can park, report or give up. */
export type ForgeProblem =
  | { readonly kind: 'no_token'; readonly host: string; readonly sources: readonly string[] }
  | { readonly kind: 'token_refused'; readonly host: string; readonly source: string }
  | {
      readonly kind: 'missing_scope';
      readonly host: string;
      readonly source: string;
      readonly accepted: readonly string[];
    }
  | { readonly kind: 'forbidden'; readonly what: string; readonly reason: string }
  | { readonly kind: 'not_found'; readonly what: string }
  /** The remote doesn't exist, or its address names no repository on a forge. */
  | { readonly kind: 'no_repository'; readonly remote: string; readonly isMissing: boolean }
  /** The name of the repository leads to another repository than the one that was recorded. */
  | { readonly kind: 'other_repository'; readonly name: string }
  /** Another account or process moved or removed the branch. */
  | { readonly kind: 'branch_moved'; readonly branch: string; readonly reason: string }
  /** The forge asks to wait. Nothing is sent to it before `until`, an ISO time. */
  | { readonly kind: 'parked'; readonly reason: ParkReason; readonly until: string }
  /** It can't be known whether a write took effect; it is looked up before it is repeated. */
  | { readonly kind: 'unreachable'; readonly host: string; readonly reason: string }
  /** The forge understood the request and refused it, for example because the thing exists already. */
  | { readonly kind: 'conflict'; readonly what: string; readonly reason: string }
  | { readonly kind: 'refused'; readonly what: string; readonly status: number; readonly reason: string };

/** `reserve`: the rest of the rate limit is kept for people. */
export type ParkReason = 'rate_limit' | 'secondary_limit' | 'reserve';

/** Thrown by everything that talks to a forge. */
export class ForgeError extends ExpectedFailure {
  override readonly name = 'ForgeError';
  readonly problem: ForgeProblem;
  readonly text: ForgeProblemText;

  constructor(problem: ForgeProblem) {
    const text = describeForgeProblem(problem);
    super(text.help === null ? text.message : `${text.message}: ${text.help}`);
    this.problem = problem;
    this.text = text;
  }
}

export interface ForgeProblemText {
  readonly message: string;
  readonly help: string | null;
}

function describeForgeProblem(problem: ForgeProblem): ForgeProblemText {
  switch (problem.kind) {
    case 'no_token':
      return {
        message: `there is no token for ${problem.host}`,
        help: `set ${problem.sources.join(' or ')}, or run \`gh auth login\``,
      };
    case 'token_refused':
      return {
        message: `${problem.host} refused the token of ${problem.source}: it is expired, revoked or wrong`,
        help: 'create a new token and set it there',
      };
    case 'missing_scope':
      return {
        message: `the token of ${problem.source} lacks a scope that ${problem.host} asks for`,
        help: `give it ${problem.accepted.join(' or ')}`,
      };
    case 'forbidden':
      return {
        message: `${problem.what} is forbidden for this token (${problem.reason})`,
        help: 'use a token of a user or app with write access to the repository',
      };
    case 'not_found':
      return {
        message: `${problem.what} does not exist, or the token can't see it`,
        help: 'check the name, and the repositories that the token covers',
      };
    case 'no_repository':
      return {
        message: problem.isMissing
          ? `there is no remote "${problem.remote}", so the repository on GitHub is not known`
          : `the address of the remote "${problem.remote}" names no repository on GitHub`,
        help: `set it with \`git remote ${problem.isMissing ? 'add' : 'set-url'}\`, or name the repository with \`forge.repository\` in your own configuration`,
      };
    case 'other_repository':
      return {
        message: `${problem.name} is now another repository than the one that was recorded`,
        help: 'correct the address of the remote with `git remote set-url`',
      };
    case 'branch_moved':
      return {
        message: `the branch ${problem.branch} on the forge is not as conductor left it (${problem.reason})`,
        help: 'look at it, then delete the branch on the forge or restore it, and run the same command again',
      };
    case 'parked':
      return {
        message: `${PARKED[problem.reason]}; waiting until ${problem.until}`,
        help: null,
      };
    case 'unreachable':
      return {
        message: `${problem.host} could not be reached (${problem.reason})`,
        help: 'run the same command again; what took effect is found and not repeated',
      };
    case 'conflict':
      return { message: `${problem.what} was refused: ${problem.reason}`, help: null };
    case 'refused':
      return {
        message: `${problem.what} was refused with HTTP ${problem.status}: ${problem.reason}`,
        help: null,
      };
  }
}

const PARKED: Readonly<Record<ParkReason, string>> = {
  rate_limit: 'the rate limit of the forge is used up',
  secondary_limit: 'the forge asks to slow down',
  reserve: 'the rest of the rate limit of the forge is kept for people',
};

export function isForgeProblem<Kind extends ForgeProblem['kind']>(
  error: unknown,
  ...kinds: readonly Kind[]
): error is ForgeError & { readonly problem: Extract<ForgeProblem, { kind: Kind }> } {
  return error instanceof ForgeError && kinds.some((kind) => kind === error.problem.kind);
}
