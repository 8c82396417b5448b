const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** Node's own fetch ignores proxies before Node 24. The package is loaded only where the environment names a proxy. */
export async function proxiedFetch(variable: (name: string) => string | null): Promise<typeof fetch> {
  if (PROXY_VARIABLES.every((name) => variable(name) === null)) return fetch;
  const { EnvHttpProxyAgent, fetch: send } = await import('undici');
  const dispatcher = new EnvHttpProxyAgent();
  // Its types differ from those of Node, which has the same code of another version.
  const through = { dispatcher } as object;
  return (input, init) => (send as unknown as typeof fetch)(input, { ...init, ...through });
}
