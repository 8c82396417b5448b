import { isIP } from 'node:net';
import { CliError } from '../../cli-error.ts';

/** An address of a network interface of this machine. */
export interface OwnAddress {
  readonly name: string;
  readonly address: string;
  readonly isInternal: boolean;
}

export type AddressChoice =
  | { readonly kind: 'address'; readonly address: string; readonly isOpen: boolean }
  /** Several would do; the user chooses. */
  | { readonly kind: 'ask'; readonly options: readonly OwnAddress[] };

const LOOPBACK = '127.0.0.1';

/** Where to listen. Never at all addresses at once, and beyond this machine only if the user says so. */
export function chooseAddress(
  { host, lan }: { readonly host: string | null; readonly lan: string | true | null },
  own: readonly OwnAddress[],
): AddressChoice {
  const outer = own.filter(({ isInternal, address }) => !isInternal && !isLinkLocal(address));
  if (host !== null) return chooseHost(host, lan !== null, own);
  if (lan === null) return { kind: 'address', address: LOOPBACK, isOpen: false };
  if (outer.length === 0)
    throw new CliError('this machine is in no network', 'connect it, or name an address with --host ADDRESS');
  if (lan === true) return { kind: 'ask', options: outer };
  const named = outer.filter(({ name, address }) => name === lan || address === lan);
  // An interface has an IPv4 address in most networks, and that is the one that is easy to type.
  const chosen = named.find(({ address }) => isIP(address) === 4) ?? named[0];
  if (chosen !== undefined) return { kind: 'address', address: chosen.address, isOpen: true };
  throw new CliError(
    `no network interface is called "${lan}"`,
    `there ${outer.length === 1 ? 'is' : 'are'} ${listAddresses(outer)}`,
  );
}

function chooseHost(host: string, isLan: boolean, own: readonly OwnAddress[]): AddressChoice {
  if (host === 'localhost') return { kind: 'address', address: LOOPBACK, isOpen: false };
  if (isIP(host) === 0)
    throw new CliError(`"${host}" is no IP address`, `name one of this machine: ${listAddresses(own)}`);
  if (/^(?:0\.0\.0\.0|::|0*(?::0*)+)$/.test(host))
    throw new CliError(
      `${host} would open every network of this machine`,
      `name one address: ${listAddresses(own)}`,
    );
  const isInternal =
    host.startsWith('127.') || own.some(({ address, isInternal }) => isInternal && address === host);
  if (isInternal) return { kind: 'address', address: host, isOpen: false };
  if (!own.some(({ address }) => address === host.toLowerCase()))
    throw new CliError(`${host} is no address of this machine`, `its addresses: ${listAddresses(own)}`);
  if (!isLan) throw new CliError(`${host} can be reached from a network`, 'add --lan if you want that');
  return { kind: 'address', address: host.toLowerCase(), isOpen: true };
}

/** Such an address needs the name of an interface, which no browser accepts. */
function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address);
}

export function listAddresses(own: readonly OwnAddress[]): string {
  return own.map(({ name, address }) => `${address} (${name})`).join(', ');
}
