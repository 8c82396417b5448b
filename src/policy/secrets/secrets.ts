/** Replaces a secret in masked text. */
export const MASK = '[masked]';

/** Private keys are the longest secrets; a text without an end within this limit is not a key. */
export const LONGEST_KEY = 32_768;

/**
 * Patterns of known kinds of secrets. Each matches the secret alone or captures it in a group at its end, so that
 * the surrounding text (the name of a variable, the host of a URL) stays readable. Every repetition is bounded, so
 * that no input causes excessive backtracking. A quote may be preceded by backslashes, because many agents print
 * JSON with nested text.
 */
const SHAPES = {
  'aws access key id': /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])/g,
  'github token': /(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/g,
  'gitlab token': /(?<![A-Za-z0-9_])gl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_-]{20,255}/g,
  'slack token': /(?<![A-Za-z0-9_])(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,255}/g,
  'slack webhook': /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9_/-]{16,255}/g,
  'anthropic key': /(?<![A-Za-z0-9_-])sk-ant-[A-Za-z0-9_-]{16,512}/g,
  // A name such as sk-toggleable-content-label is a CSS class; a key contains digits.
  'openai key': /(?<![A-Za-z0-9_-])sk-(?=[A-Za-z_-]{0,64}\d)[A-Za-z0-9_-]{20,512}/g,
  'stripe key': /(?<![A-Za-z0-9_])(?:sk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{20,255}/g,
  'google key': /(?<![A-Za-z0-9_-])(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,512})/g,
  'npm token': /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{30,255}/g,
  'pypi token': /(?<![A-Za-z0-9_-])pypi-[A-Za-z0-9_-]{32,1024}/g,
  'hugging face token': /(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,255}/g,
  'sendgrid key': /(?<![A-Za-z0-9_])SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}/g,
  'json web token':
    /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,4096}/g,
  'password in an address': /(?<=[A-Za-z][A-Za-z0-9+.-]{1,31}:\/\/[^\s:/@"']{0,128}:)[^\s/@"']{1,256}(?=@)/g,
  'authorization header':
    /\b[Aa]uthorization\\{0,7}["']? ?[:=] ?\\{0,7}["']?(?:[Bb]earer|[Bb]asic|[Tt]oken) (?<secret>[A-Za-z0-9+/=._~-]{8,4096})/g,
  'variable with a secret name':
    /(?<![a-z])(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE)=\\{0,7}["']?(?<secret>[^\s"'`$<>;&|(){}\\]{8,4096})/g,
  // In code, the text after `password=` is usually a name. A secret contains digits and isn't a function call.
  'setting with a secret name':
    /(?:(?:api|access|secret|account)[_-]?key|(?:access|api|auth|refresh)[_-]?token|passw(?:or)?d) ?[:=] ?\\{0,7}["']?(?=[A-Za-z+/=_.~!#%^*-]{0,256}\d)(?<secret>[A-Za-z0-9+/=_.~!#%^*-]{12,4096})(?![A-Za-z0-9([])/gi,
  'field with a secret name':
    /(?<=["'_-])(?:api_?key|apiKey|access_?key|private_?key|token|secret|password|passphrase)\\{0,7}["'] ?: ?\\{0,7}["'](?<secret>[^\s"'`$<>{}\\]{8,4096})(?=\\{0,7}["'])/g,
} as const satisfies Readonly<Record<string, RegExp>>;

export const KEY_BEGINS = '-----BEGIN ';
const KEY_HEADER = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_END = /-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** Private keys span many lines. Each beginning extends to the next end, which is searched for only once. */
function findKeys(text: string): Span[] {
  const spans: Span[] = [];
  let next: Span = { start: -1, end: -1 };
  for (let at = text.indexOf(KEY_BEGINS); at >= 0; at = text.indexOf(KEY_BEGINS, at + KEY_BEGINS.length)) {
    KEY_HEADER.lastIndex = at;
    if (at < (spans.at(-1)?.end ?? 0) || !KEY_HEADER.test(text)) continue;
    if (next.start < at) {
      KEY_END.lastIndex = at;
      const match = KEY_END.exec(text);
      if (match === null) break;
      next = { start: match.index, end: match.index + match[0].length };
    }
    if (next.start - at <= LONGEST_KEY) spans.push({ start: at, end: next.end });
  }
  return spans;
}

/** A quick pre-check: every secret of a known kind contains one of these. */
const HINTS =
  /-----BEGIN|AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|gl(?:pat|ptt|dt|rt|cbt)-|xox|xapp-|slack|sk[-_]|rk_|whsec|AIza|ya29|npm_|pypi-|hf_|SG\.|eyJ|:\/\/|SECRET=|PASSPHRASE=|uthorization|(?:[Kk][Ee][Yy]|[Tt][Oo][Kk][Ee][Nn]|[Pp][Aa][Ss][Ss][Ww](?:[Oo][Rr])?[Dd])(?: ?[:=]|\\{0,7}["'])|secret\\{0,7}["']|passphrase\\{0,7}["']/;

/** Shorter values are words that occur in any text. */
const SHORTEST_VALUE = 6;

/** A token limit such as `MAX_TOKENS` is not a secret: another letter follows. */
const SECRET_NAME =
  /(?:TOKEN|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE)(?![A-Z])|(?:KEYS?|CREDENTIALS?)(?:_?\d+)?$|(?:^|_)(?:PASS|PAT|AUTH|COOKIE)$|_PWD$/i;

/** Matches `postgres://name:password@host`. */
const PASSWORD_IN_ADDRESS = SHAPES['password in an address'];

/**
 * Matches variables such as `ANTHROPIC_CUSTOM_HEADERS`, with one header per line; only headers that carry a login
 * count.
 */
const HEADERS_NAME = /HEADERS?$/i;
const LOGIN_HEADER =
  /^[ \t]*[\w-]{0,64}(?:auth|key|token|secret|cookie)[\w-]{0,64}[ \t]*[:=][ \t]*(?:(?:bearer|basic|token)[ \t]+)?(\S.*)$/gim;

/** The values of variables with secret names, logins in headers and passwords in URLs, longest first. */
export function secretValuesOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = Object.entries(env).flatMap(([name, value = '']) => [
    ...(SECRET_NAME.test(name) ? [value] : []),
    ...(HEADERS_NAME.test(name) ? Array.from(value.matchAll(LOGIN_HEADER), ([, login = '']) => login) : []),
    ...Array.from(value.matchAll(PASSWORD_IN_ADDRESS), ([password]) => password),
  ]);
  return longestFirst(values.map((value) => value.trim()).flatMap(listForms));
}

/** A value as it is, and as it is escaped in JSON. */
function listForms(value: string): string[] {
  return value.length < SHORTEST_VALUE ? [] : [value, JSON.stringify(value).slice(1, -1)];
}

export function longestFirst(values: readonly string[]): string[] {
  return [...new Set(values)].sort((left, right) => right.length - left.length);
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The positions of secrets in a text, in order and without overlaps. */
export function findSecrets(text: string, values: readonly string[]): Span[] {
  const spans: Span[] = [];
  for (const value of values)
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
      spans.push({ start: at, end: at + value.length });
  if (!HINTS.test(text)) return merge(spans);
  spans.push(...findKeys(text));
  for (const shape of Object.values(SHAPES))
    for (const match of text.matchAll(shape)) {
      const end = match.index + match[0].length;
      spans.push({ start: end - (match.groups?.secret ?? match[0]).length, end });
    }
  return merge(spans);
}

function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((left, right) => left.start - right.start)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { start: last.start, end: span.end };
  }
  return merged;
}

/** The text with every secret masked: those of a known kind, and the given values. Masking is idempotent. */
export function maskSecrets(text: string, values: readonly string[]): string {
  return replaceSpans(text, findSecrets(text, values));
}

export function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let masked = '';
  let from = 0;
  for (const { start, end } of spans) {
    masked += text.slice(from, start) + MASK;
    from = end;
  }
  return masked + text.slice(from);
}

/** Keys by which records are looked up: a secret value that happens to occur in one must not alter it. */
const STRUCTURAL_KEY =
  /(?:^|_)(?:id|path|ref|sha|sha256|tree|commit|digest|branch|blob|fingerprint|role)s?$|Path$/;

/** A JSON value with its strings masked. Ids, paths and digests stay unchanged. */
export function maskValue(value: unknown, values: readonly string[]): unknown {
  if (typeof value === 'string') return maskSecrets(value, values);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'string' && STRUCTURAL_KEY.test(key) ? item : maskValue(item, values),
    ]),
  );
}
