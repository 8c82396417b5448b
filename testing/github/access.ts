import { createVerify } from 'node:crypto';
import { refused } from './call.ts';
import { type DoubleState, type Token, type User, userOf } from './state.ts';

/** Who a request comes from. */
export interface Identity {
  readonly user: User | null;
  readonly token: Token | null;
  /** Of the app that signed the request itself. */
  readonly appId: number | null;
  /** What the rate limit is counted by. */
  readonly account: string;
}

const ANONYMOUS: Identity = { user: null, token: null, appId: null, account: 'anonymous' };

/** Throws a refusal for a token that is unknown or expired. */
export function identify(state: DoubleState, header: string | undefined, now: number): Identity {
  if (header === undefined || header === '') return ANONYMOUS;
  const secret = secretOf(header);
  if (secret.split('.').length === 3) {
    const appId = verifyJwt(state, secret, now);
    return { user: null, token: null, appId, account: `app:${appId}` };
  }
  const token = state.tokens.get(secret);
  if (token === undefined || (token.expiresAt !== null && token.expiresAt <= now))
    throw refused(401, 'Bad credentials');
  const user = userOf(state, token.userId);
  return { user, token, appId: null, account: `user:${user.id}` };
}

/** `token X` and `Bearer X` on the API, `Basic` with the token as the password with git. */
function secretOf(header: string): string {
  const [scheme = '', value = ''] = header.split(' ');
  if (scheme.toLowerCase() !== 'basic') return value;
  return Buffer.from(value, 'base64').toString('utf8').split(':').slice(1).join(':');
}

function verifyJwt(state: DoubleState, jwt: string, now: number): number {
  const [head = '', payload = '', signature = ''] = jwt.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const { iss, exp } = claims as { iss: string | number; exp: number };
    const app = state.apps.get(Number(iss));
    const isSigned =
      app !== undefined &&
      createVerify('RSA-SHA256')
        .update(`${head}.${payload}`)
        .verify(app.publicKey, Buffer.from(signature, 'base64url'));
    if (isSigned && exp * 1000 > now) return app.id;
  } catch {
    // What can't be read is refused like what can't be verified.
  }
  throw refused(401, 'A JSON web token could not be decoded');
}

/** Refuses a classic token that has none of the scopes. */
export function checkScopes(token: Token | null, accepted: readonly string[]): void {
  if (token === null || token.scopes === null || accepted.length === 0) return;
  if (accepted.some((scope) => token.scopes?.includes(scope))) return;
  throw refused(403, 'Resource not accessible by personal access token', scopeHeaders(token, accepted));
}

export function scopeHeaders(
  token: Token | null,
  accepted: readonly string[],
): Readonly<Record<string, string>> {
  if (token?.scopes == null) return {};
  return {
    'x-oauth-scopes': token.scopes.join(', '),
    'x-accepted-oauth-scopes': accepted.join(', '),
  };
}
