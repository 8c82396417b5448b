/** A name for addresses of the page: lower case, digits and hyphens. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'repository' : slug;
}

/** Where the page shows the gate of a run. */
export function gateAddress(pageUrl: string, repository: string, runId: string): string {
  return `${pageUrl.replace(/\/$/, '')}/${slugOf(repository)}/runs/${runId}/gate`;
}
