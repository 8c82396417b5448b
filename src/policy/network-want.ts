/**
 * Messages that programs print when they can't reach a host. A refused connection counts, because nothing else
 * listens in a sandbox.
 */
const SIGNS =
  /\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED)\b|temporary failure in name resolution|name or service not known|nodename nor servname|network is unreachable|no route to host|could not resolve (?:host|proxy)|failed to (?:lookup|resolve) |no such host|UnknownHostException|NameResolutionError|ERR_(?:NAME_NOT_RESOLVED|INTERNET_DISCONNECTED|ADDRESS_UNREACHABLE)|connection refused/i;
const LONGEST_LINE = 1_000;
const SHOWN = 160;

/** The line of a program's output that shows that it needed the network; null if there is none. */
export function findNetworkError(output: string): string | null {
  for (const line of output.split('\n')) {
    const start = line.slice(0, LONGEST_LINE);
    const found = SIGNS.exec(start);
    if (found === null) continue;
    const text = start.trim();
    return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
  }
  return null;
}
