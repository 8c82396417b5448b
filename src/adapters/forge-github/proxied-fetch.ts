/** The usual variables, in lower case first. An empty one counts as unset. */
function readProxy(variable: (name: string) => string | null, name: string): string | undefined {
  return (
    [name, name.toUpperCase()].map(variable).find((value) => value !== null && value !== '') ?? undefined
  );
}

/** Node's own fetch ignores proxies before Node 24. The package is loaded only where the environment names a proxy. */
export async function proxiedFetch(variable: (name: string) => string | null): Promise<typeof fetch> {
  const httpProxy = readProxy(variable, 'http_proxy');
  const httpsProxy = readProxy(variable, 'https_proxy') ?? httpProxy;
  if (httpsProxy === undefined) return fetch;
  const noProxy = readProxy(variable, 'no_proxy');
  const { EnvHttpProxyAgent, fetch: send } = await import('undici');
  const dispatcher = new EnvHttpProxyAgent({
    httpsProxy,
    ...(httpProxy === undefined ? {} : { httpProxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
  });
  // Its types differ from those of Node, which has the same code of another version.
  const through = { dispatcher } as object;
  return (input, init) => (send as unknown as typeof fetch)(input, { ...init, ...through });
}
