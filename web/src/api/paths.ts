/** Addresses of the API. Ids come from documents and URLs, so each is encoded. */
export function repoPath(repo: string): string {
  return `/api/repos/${encodeURIComponent(repo)}`;
}

export function runPath(repo: string, run: string): string {
  return `${repoPath(repo)}/runs/${encodeURIComponent(run)}`;
}

export function stepPath(repo: string, run: string, key: string): string {
  return `${runPath(repo, run)}/steps/${encodeURIComponent(key)}`;
}

export function withQuery(path: string, values: Readonly<Record<string, string | number | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== null) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
