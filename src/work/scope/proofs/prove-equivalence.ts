import { decodeUtf8 } from '../../../text/utf8.ts';
import type { Proof } from '../classify-scope.ts';
import { readCFamilyTokens } from './c-family.ts';
import { readJsonTokens, readYamlTokens } from './data.ts';
import { readPythonTokens } from './python.ts';
import { haveSameTokens, type Tokens } from './tokens.ts';

/** Both versions of a file. */
export interface FileVersions {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** Two texts whose programs only a compiler can compare. */
export interface ProgramPair {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export type ProofStep =
  | { readonly kind: 'decided'; readonly proof: Proof }
  | { readonly kind: 'compile'; readonly pair: ProgramPair };

const LIMIT_BYTES = 4_000_000;
const PROGRAM = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/** Whether a change preserves behaviour, as far as that can be decided without a compiler. */
export function proveEquivalence(path: string, { before, after }: FileVersions): ProofStep {
  if (before.length > LIMIT_BYTES || after.length > LIMIT_BYTES)
    return unproved('the file is too large to compare');
  const [old, now] = [decodeUtf8(before), decodeUtf8(after)];
  if (old === null || now === null) return unproved('the file is not text in UTF-8');
  if (old === now) return proved('its content is the same');
  if (old.startsWith('\uFEFF') !== now.startsWith('\uFEFF'))
    return unproved('a byte order mark was added or removed');
  if (PROGRAM.test(path)) return { kind: 'compile', pair: { path, before: old, after: now } };
  return compareTokens(path, old, now);
}

function compareTokens(path: string, old: string, now: string): ProofStep {
  const read = findReader(path);
  if (read === null) return unproved("files of its type can't be compared");
  switch (haveSameTokens(readSafely(read, old), readSafely(read, now))) {
    case null:
      return unproved("the file can't be parsed reliably");
    case true:
      return proved('only comments and white space changed');
    case false:
      return unproved('more than comments and white space changed');
  }
}

type ReadTokens = (text: string) => Tokens;

function findReader(path: string): ReadTokens | null {
  if (/\.pyi?$/.test(path)) return readPythonTokens;
  if (/\.jsonc?$/.test(path)) return (text) => readJsonTokens(path, text);
  if (/\.ya?ml$/.test(path)) return readYamlTokens;
  if (readCFamilyTokens(path, '') === undefined) return null;
  return (text) => readCFamilyTokens(path, text) ?? null;
}

/** Text that is nested too deeply counts as unreadable. */
function readSafely(read: ReadTokens, text: string): Tokens {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function proved(reason: string): ProofStep {
  return { kind: 'decided', proof: { proved: true, reason } };
}

function unproved(reason: string): ProofStep {
  return { kind: 'decided', proof: { proved: false, reason } };
}
