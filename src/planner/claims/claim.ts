/** What an agent says it did, as typed assertions that can be checked against the workspace. */
export type Claim =
  | { readonly kind: 'implemented' }
  | { readonly kind: 'fixed' }
  | { readonly kind: 'tests_pass' }
  | { readonly kind: 'created'; readonly path: string };

/** Parses the written form of one claim; returns null for any other text. */
export function parseClaim(text: string): Claim | null {
  const value = text.trim();
  if (value === 'implemented' || value === 'fixed' || value === 'tests_pass') return { kind: value };
  const created = /^created\s+(\S.*)$/.exec(value)?.[1];
  return created === undefined ? null : { kind: 'created', path: created };
}

export function formatClaim(claim: Claim): string {
  return claim.kind === 'created' ? `created ${claim.path}` : claim.kind;
}
