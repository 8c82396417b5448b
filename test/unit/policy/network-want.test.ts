import { describe, expect, it } from 'vitest';
import { findNetworkError } from '../../../src/policy/network-want.ts';

describe('output of a program that wanted a network', () => {
  it.each([
    'Error: getaddrinfo EAI_AGAIN registry.npmjs.org',
    'Error: getaddrinfo ENOTFOUND example.org',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'connect ENETUNREACH 1.2.3.4:443',
    'curl: (6) Could not resolve host: example.org',
    'ping: example.org: Temporary failure in name resolution',
    'socket.gaierror: [Errno -2] Name or service not known',
    'OSError: [Errno 101] Network is unreachable',
    'dial tcp: lookup proxy.golang.org: no such host',
    'java.net.UnknownHostException: repo.maven.apache.org',
    'net::ERR_INTERNET_DISCONNECTED at https://example.org',
    'psql: error: connection to server failed: Connection refused',
  ])('is recognised: %s', (line) => {
    expect(findNetworkError(`ran 3 tests\n  ${line}\nfailed\n`)).toBe(line);
  });

  it.each(['', 'expected 1 to be 2', 'the network tab is missing', 'ENOENT: no such file', 'not resolved'])(
    'is not: %s',
    (text) => expect(findNetworkError(text)).toBeNull(),
  );

  it('is cut if the line is long', () => {
    expect(findNetworkError(`ENOTFOUND ${'x'.repeat(10_000)}`)).toHaveLength(161);
  });
});
