import { headerValues, type RequestHead } from './request-head.ts';

/** A session in a cookie: the id finds it, the secret proves it. */
export interface SessionToken {
  readonly id: string;
  readonly secret: string;
}

const TOKEN = /^([0-9a-f]{16})\.([A-Za-z0-9_-]{43})$/;
/** Sessions end by themselves after this time. */
export const SESSION_DAYS = 30;
const DAY_SECONDS = 86_400;

/** With TLS, the prefix lets no other host and no insecure page set the cookie. */
function cookieName(isTls: boolean): string {
  return isTls ? '__Host-conductor' : 'conductor';
}

export function setCookie({ id, secret }: SessionToken, isTls: boolean): string {
  return `${cookieName(isTls)}=${id}.${secret}; Path=/; Max-Age=${SESSION_DAYS * DAY_SECONDS}; HttpOnly; SameSite=Strict${isTls ? '; Secure' : ''}`;
}

export function clearCookie(isTls: boolean): string {
  return `${cookieName(isTls)}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict${isTls ? '; Secure' : ''}`;
}

/** Null if the cookie is missing, malformed, or there twice: then another page has added one. */
export function readCookie(head: Pick<RequestHead, 'rawHeaders'>, isTls: boolean): SessionToken | null {
  const name = cookieName(isTls);
  const values = headerValues(head, 'cookie')
    .flatMap((header) => header.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value, ...more] = values;
  if (value === undefined || more.length > 0) return null;
  const [, id, secret] = TOKEN.exec(value) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}
