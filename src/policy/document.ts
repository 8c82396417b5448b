import { parseDocument } from 'yaml';
import type * as z from 'zod';
import { type PolicyDocument, policyDocumentSchema } from '../contracts/policy.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import { type Problem, problemsOf } from '../planner/problems.ts';

export type ParsedPolicy =
  | { readonly ok: true; readonly policy: PolicyDocument }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads the text of a policy file. A policy is taken whole or not at all. */
export function parsePolicy(text: string): ParsedPolicy {
  const document = parseDocument(text, { version: '1.2', schema: 'core', prettyErrors: false });
  if (document.errors.length > 0) {
    return {
      ok: false,
      problems: document.errors.map(({ message }) => ({ path: '', message: lower(message) })),
    };
  }
  const parsed = policyDocumentSchema.safeParse(toValue(document));
  if (parsed.success) return { ok: true, policy: parsed.data };
  const { issues } = parsed.error;
  const others = problemsOf(parsed.error).filter((_, index) => issues[index]?.code !== 'unrecognized_keys');
  return { ok: false, problems: [...unknownKeys(parsed.error), ...others] };
}

/** A key that is written wrong leaves its wish unsaid, so it comes before what is said of others. */
function unknownKeys({ issues }: z.ZodError): Problem[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [];
    const path = issue.path.map(String).join('.');
    const known = path === 'commands' ? ['allow', 'deny'] : Object.keys(policyDocumentSchema.shape);
    return issue.keys.map((key): Problem => {
      const near = didYouMean(key, known);
      const meant = near === null ? `the keys here are ${known.join(', ')}` : `did you mean \`${near}\`?`;
      return { path, message: `unknown key \`${key}\`; ${meant}` };
    });
  });
}

function lower(message: string): string {
  return message.slice(0, 1).toLowerCase() + message.slice(1);
}

/** A bomb of aliases is refused by the reader with an exception; here it is one more way not to fit. */
function toValue(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 10_000 });
  } catch {
    return null;
  }
}
