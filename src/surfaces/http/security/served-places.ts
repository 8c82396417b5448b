import { isIPv6 } from 'node:net';

/** Where the page is: the values of `Host` and `Origin` that requests to it have. */
export interface ServedPlaces {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
}

export interface ListeningAt {
  /** An address, never a wildcard. */
  readonly address: string;
  readonly port: number;
  readonly isTls: boolean;
  /** `serve.url` of the configuration: where a proxy of the user makes the page available; null if it is not set. */
  readonly url: string | null;
}

/** Only these names lead to the page. A name that someone else points at this machine is not among them. */
export function findServedPlaces({ address, port, isTls, url }: ListeningAt): ServedPlaces {
  const names = isLoopback(address) ? [hostOf(address), 'localhost'] : [hostOf(address)];
  const scheme = isTls ? 'https' : 'http';
  const isDefaultPort = port === (isTls ? 443 : 80);
  const hosts = names.flatMap((name) => [`${name}:${port}`, ...(isDefaultPort ? [name] : [])]);
  // A browser leaves the default port out of an origin.
  const origins = names.map((name) => `${scheme}://${isDefaultPort ? name : `${name}:${port}`}`);
  const proxied = url === null ? null : new URL(url);
  return {
    hosts: new Set([...hosts, ...(proxied === null ? [] : [proxied.host])]),
    origins: new Set([...origins, ...(proxied === null ? [] : [proxied.origin])]),
  };
}

/** `127.0.0.1` as it is, `[::1]` for an IPv6 address. */
export function hostOf(address: string): string {
  return isIPv6(address) ? `[${address.toLowerCase()}]` : address;
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
