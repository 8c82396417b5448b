/** The repository that an address of a git remote names. */
export interface RemoteAddress {
  /** With the port, if there is one. */
  readonly host: string;
  /** `owner/name`. */
  readonly fullName: string;
}

const SCP = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/)([^\s]+)$/;

/** Null for paths of this machine and for anything that is not `owner/name` on a host. Credentials are dropped. */
export function parseRemoteAddress(address: string): RemoteAddress | null {
  // `host:path` would parse as an address, too.
  const isUrl = address.includes('://') && URL.canParse(address);
  const found = isUrl ? fromUrl(new URL(address)) : fromScp(address);
  if (found === null) return null;
  const fullName = found.path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return /^[\w.-]+\/[\w.-]+$/.test(fullName) ? { host: found.host.toLowerCase(), fullName } : null;
}

function fromUrl({ protocol, host, hostname, pathname }: URL) {
  if (!['https:', 'http:', 'ssh:', 'git:'].includes(protocol) || hostname === '') return null;
  // The port of SSH says nothing about the API.
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return { host: isWeb ? host : hostname, path: pathname };
}

function fromScp(address: string) {
  const [, host, path] = SCP.exec(address) ?? [];
  return host === undefined || path === undefined ? null : { host, path };
}
