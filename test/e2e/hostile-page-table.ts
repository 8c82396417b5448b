/** A request that must be refused. `PORT` and `COOKIE` stand for the server's port and a good session. */
export interface RefusalRow {
  readonly what: string;
  /** Lines end with a line feed here, and with CR LF on the wire. */
  readonly request: string;
  readonly status: number;
}

const HOST = 'Host: 127.0.0.1:PORT';
const OWN = 'Origin: http://127.0.0.1:PORT\nSec-Fetch-Site: same-origin';
const SESSION = 'Cookie: COOKIE';
const JSON_TYPE = 'Content-Type: application/json';

const read = (...headers: string[]) =>
  `GET /api/session HTTP/1.1\n${[...headers, SESSION].join('\n')}\nConnection: close\n\n`;
const change = (...headers: string[]) =>
  `POST /api/sessions/pairing HTTP/1.1\n${[HOST, SESSION, ...headers].join('\n')}\nContent-Length: 17\nConnection: close\n\n{"rights":"look"}`;

/** `docs/internals/hostile-page.md` has the same rows with their reasons. */
export const REFUSALS: readonly RefusalRow[] = [
  { what: 'a foreign host', request: read('Host: evil.example:PORT'), status: 421 },
  { what: 'a host without the port', request: read('Host: 127.0.0.1'), status: 421 },
  { what: 'a host with a trailing dot', request: read('Host: localhost.:PORT'), status: 421 },
  { what: 'a host with a user', request: read('Host: evil@127.0.0.1:PORT'), status: 421 },
  { what: 'an IPv6 host', request: read('Host: [::1]:PORT'), status: 421 },
  { what: 'an IPv6 form of the IPv4 host', request: read('Host: [::ffff:127.0.0.1]:PORT'), status: 421 },
  { what: 'a decimal form of the host', request: read('Host: 2130706433:PORT'), status: 421 },
  { what: 'a short form of the host', request: read('Host: 127.1:PORT'), status: 421 },
  { what: 'the wildcard address', request: read('Host: 0.0.0.0:PORT'), status: 421 },
  { what: 'a host as a URL', request: read('Host: http://127.0.0.1:PORT'), status: 421 },
  { what: 'a host with another one after a comma', request: read('Host: 127.0.0.1:PORT,evil'), status: 421 },
  { what: 'an empty host', request: read('Host: '), status: 421 },
  { what: 'no host', request: read(), status: 400 },
  { what: 'no host in HTTP/1.0', request: `GET /api/session HTTP/1.0\n${SESSION}\n\n`, status: 400 },
  { what: 'two hosts', request: read(HOST, 'Host: evil.example'), status: 400 },
  {
    what: 'an absolute target of another host',
    request: `GET http://evil.example/api/session HTTP/1.1\n${HOST}\n${SESSION}\nConnection: close\n\n`,
    status: 400,
  },
  {
    what: 'an absolute target of this host',
    request: `GET http://127.0.0.1:PORT/api/session HTTP/1.1\n${HOST}\n${SESSION}\nConnection: close\n\n`,
    status: 400,
  },
  {
    what: 'a target with two slashes',
    request: `GET //evil.example/api/session HTTP/1.1\n${HOST}\nConnection: close\n\n`,
    status: 400,
  },
  {
    what: 'a target with a fragment',
    request: `GET /api/session#x HTTP/1.1\n${HOST}\n${SESSION}\nConnection: close\n\n`,
    status: 400,
  },
  { what: 'the target *', request: `OPTIONS * HTTP/1.1\n${HOST}\nConnection: close\n\n`, status: 400 },
  {
    what: 'a preflight',
    request: `OPTIONS /api/session HTTP/1.1\n${HOST}\nOrigin: http://evil.example\nAccess-Control-Request-Method: POST\nConnection: close\n\n`,
    status: 405,
  },
  {
    what: 'another method',
    request: `TRACE /api/session HTTP/1.1\n${HOST}\nConnection: close\n\n`,
    status: 405,
  },
  { what: 'a read from another page', request: read(HOST, 'Sec-Fetch-Site: cross-site'), status: 403 },
  { what: 'a read from another port', request: read(HOST, 'Sec-Fetch-Site: same-site'), status: 403 },
  { what: 'a read with a foreign origin', request: read(HOST, 'Origin: http://evil.example'), status: 403 },
  ...[
    '/%61pi/session',
    '/./api/session',
    '/x/../api/session',
    '/x/%2e%2e/api/session',
    '/api/./session',
    '/api/nothing',
  ].map((target) => ({
    what: `a read from another port by ${target}`,
    request: `GET ${target} HTTP/1.1\n${HOST}\n${SESSION}\nSec-Fetch-Site: same-site\nConnection: close\n\n`,
    status: 403,
  })),
  { what: 'a POST without an origin', request: change(JSON_TYPE), status: 403 },
  {
    what: 'a POST from another page',
    request: change(JSON_TYPE, 'Origin: http://evil.example'),
    status: 403,
  },
  { what: 'a POST from another port', request: change(JSON_TYPE, 'Origin: http://127.0.0.1:1'), status: 403 },
  { what: 'a POST from the origin null', request: change(JSON_TYPE, 'Origin: null'), status: 403 },
  { what: 'a POST with two origins', request: change(JSON_TYPE, OWN, 'Origin: null'), status: 400 },
  {
    what: 'a POST with the own origin from another site',
    request: change(JSON_TYPE, 'Origin: http://127.0.0.1:PORT', 'Sec-Fetch-Site: cross-site'),
    status: 403,
  },
  {
    what: 'a POST that a user opened',
    request: change(JSON_TYPE, 'Origin: http://127.0.0.1:PORT', 'Sec-Fetch-Site: none'),
    status: 403,
  },
  { what: 'a form', request: change(OWN, 'Content-Type: application/x-www-form-urlencoded'), status: 415 },
  {
    what: 'a form with files',
    request: change(OWN, 'Content-Type: multipart/form-data; boundary=x'),
    status: 415,
  },
  { what: 'JSON as text', request: change(OWN, 'Content-Type: text/plain'), status: 415 },
  {
    what: 'JSON as text that names JSON',
    request: change(OWN, 'Content-Type: text/plain; application/json'),
    status: 415,
  },
  { what: 'a body without a type', request: change(OWN), status: 415 },
  {
    what: 'a body of unknown length',
    request: `POST /api/sessions/pairing HTTP/1.1\n${HOST}\n${SESSION}\n${OWN}\n${JSON_TYPE}\nTransfer-Encoding: chunked\nConnection: close\n\n0\n\n`,
    status: 400,
  },
  {
    what: 'a body with two lengths',
    request: change(OWN, JSON_TYPE, 'Content-Length: 3'),
    status: 400,
  },
  {
    what: 'an encoded body',
    request: change(OWN, JSON_TYPE, 'Content-Encoding: gzip'),
    status: 400,
  },
  {
    what: 'an oversized body',
    request: `POST /api/sessions/pairing HTTP/1.1\n${HOST}\n${SESSION}\n${OWN}\n${JSON_TYPE}\nContent-Length: 99999999\nConnection: close\n\n`,
    status: 413,
  },
  {
    what: 'a body that is not JSON',
    request: `POST /api/sessions/pairing HTTP/1.1\n${HOST}\n${SESSION}\n${OWN}\n${JSON_TYPE}\nContent-Length: 3\nConnection: close\n\nx=1`,
    status: 400,
  },
  {
    what: 'a body with other keys',
    request: `POST /api/sessions/pairing HTTP/1.1\n${HOST}\n${SESSION}\n${OWN}\n${JSON_TYPE}\nContent-Length: 29\nConnection: close\n\n{"rights":"look","admin":true}`,
    status: 400,
  },
  {
    what: 'a GET with a body',
    request: `GET /api/session HTTP/1.1\n${HOST}\n${SESSION}\nContent-Length: 3\nConnection: close\n\nabc`,
    status: 400,
  },
  {
    what: 'a header that continues on the next line',
    request: `GET /api/session HTTP/1.1\n${HOST}\nX-A: b\n c\n${SESSION}\nConnection: close\n\n`,
    status: 400,
  },
  {
    what: 'a header that is too long',
    request: `GET /api/session HTTP/1.1\n${HOST}\nX-A: ${'a'.repeat(20_000)}\nConnection: close\n\n`,
    status: 431,
  },
  {
    what: 'more headers than 64, and another host behind them',
    request: read(HOST, ...Array.from({ length: 70 }, (_, index) => `X-${index}: a`), 'Host: evil.example'),
    status: 431,
  },
  {
    what: 'an expectation',
    request: read(HOST, 'Expect: miracles'),
    status: 417,
  },
  {
    what: 'a length and an encoding',
    request: change(OWN, JSON_TYPE, 'Transfer-Encoding: chunked'),
    status: 400,
  },
  {
    what: 'lines that end with a carriage return alone',
    request: `GET /api/session HTTP/1.1\rHost: 127.0.0.1:PORT\rX: `,
    status: 400,
  },
  {
    what: 'a target with a NUL',
    request: `GET /api/repos/a%00b/runs HTTP/1.1\n${HOST}\n${SESSION}\nConnection: close\n\n`,
    status: 404,
  },
  {
    what: 'a run that is a path',
    request: `GET /api/repos/x/runs/..%2f..%2fetc HTTP/1.1\n${HOST}\n${SESSION}\nConnection: close\n\n`,
    status: 404,
  },
  {
    what: 'no cookie',
    request: `GET /api/session HTTP/1.1\n${HOST}\nConnection: close\n\n`,
    status: 401,
  },
  {
    what: 'a token in the address',
    request: `GET /api/session?conductor=COOKIE HTTP/1.1\n${HOST}\nConnection: close\n\n`,
    status: 401,
  },
  {
    what: 'a token in a header',
    request: `GET /api/session HTTP/1.1\n${HOST}\nAuthorization: Bearer COOKIE\nConnection: close\n\n`,
    status: 401,
  },
];
