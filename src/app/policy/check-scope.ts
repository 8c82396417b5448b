import { parsePatch } from '../../policy/patches/patch.ts';
import { classifyPatch, type ScopeVerdict } from '../../runtime/evidence/classify-patch.ts';
import { readBody } from '../../work/bodies/body.ts';
import type { OpenScope } from '../services.ts';
import { UseCaseError } from '../use-case-error.ts';

/** A text with the name that messages use for it. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

export interface ScopeTexts {
  /** The body of the task. */
  readonly body: NamedText;
  readonly patch: NamedText;
  /** The implementor's summary with its attestations. */
  readonly summary: string;
}

type Listed = Pick<ReturnType<typeof readBody>, 'inScope' | 'outOfScope'>;
type Patch = Extract<ReturnType<typeof parsePatch>, { readonly ok: true }>;

/** Classifies each file of a patch by the scope rules of a task. */
export async function checkScope(
  { body, patch, summary }: ScopeTexts,
  openScope: () => Promise<OpenScope>,
): Promise<ScopeVerdict> {
  const { inScope, outOfScope } = expectScope(body);
  const parsed = expectPatch(patch);
  return classifyPatch({
    inScope,
    outOfScope,
    extensions: [],
    patch: parsed,
    summary,
    ...(await openScope()),
  });
}

/** The document of `scope --json`. */
export function scopeDocument({ ok, files, notes }: ScopeVerdict) {
  return { ok, files, notes };
}

function expectScope({ name, text }: NamedText): Listed {
  const { inScope, outOfScope, sections } = readBody(text);
  if (!sections.some((section) => section.name === 'In Scope'))
    throw new UseCaseError(
      `${name} has no section In Scope`,
      'the body of a task lists its files under a heading "In Scope"',
    );
  if (inScope.length === 0)
    throw new UseCaseError(
      `${name} lists no file under In Scope`,
      'name each file in a list item of its own',
    );
  return { inScope, outOfScope };
}

/** Parses a patch that the user named. */
export function expectPatch({ name, text }: NamedText): Patch {
  const parsed = parsePatch(text);
  if (parsed.ok) return parsed;
  throw new UseCaseError(
    `${name} is not a valid patch: line ${parsed.line}: ${parsed.message}`,
    'make one with git diff',
  );
}
