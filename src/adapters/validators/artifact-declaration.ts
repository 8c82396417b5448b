import { isAbsolute, posix, relative } from 'node:path';
import type { ValidatorPlace } from '../../ports/validator.ts';
import { isPathInside } from '../../text/paths.ts';
import { fillPlaceholders, hasParentSegments, pathValues, type Refused } from './placeholders.ts';
import type { RootName } from './roots.ts';

/** One entry of `artifacts`, with its placeholders filled in. */
export interface ArtifactDeclaration {
  readonly ok: true;
  /** A path or a glob, relative to each of the roots. */
  readonly name: string;
  /** The roots to search, in this order. */
  readonly roots: readonly RootName[];
  /** Has no glob characters, and is therefore required. */
  readonly literal: boolean;
  readonly harnessReport: boolean;
  /** Files to convert into a harness report; at least one is required. */
  readonly converted: boolean;
}

export const GLOB_CHARACTERS = /[*?[\]{}]|[!@+]\(/;

export function declareArtifact(template: string, place: ValidatorPlace): ArtifactDeclaration | Refused {
  const filled = fillPlaceholders(template, pathValues(place));
  if (!filled.ok) return filled;
  const { roots, path } = locateRoots(filled.text, place);
  if (isAbsolute(path) || hasParentSegments(template)) return rejectOutside('artifact', template);
  const name = plainName(path);
  if (name === '' || name === '.') return { ok: false, reason: `artifact names nothing: \`${template}\`` };
  const literal = !GLOB_CHARACTERS.test(name);
  return {
    ok: true,
    name,
    roots,
    literal,
    harnessReport: literal && isHarnessReportName(name),
    converted: false,
  };
}

export function plainName(path: string): string {
  return posix.normalize(path).replace(/^\.\//, '').replace(/\/+$/, '');
}

export function rejectOutside(what: string, path: string): Refused {
  return { ok: false, reason: `${what} refused: \`${path}\` is outside the checkout and the run directory` };
}

export function isHarnessReportName(name: string): boolean {
  const base = posix.basename(name);
  return base.endsWith('.json') && base.includes('harness_report');
}

/**
 * The root is removed before the rest is parsed as a glob, because its own path may contain glob characters.
 */
function locateRoots(path: string, place: ValidatorPlace): { roots: RootName[]; path: string } {
  if (!isAbsolute(path)) return { roots: ['checkout', 'run'], path };
  if (isPathInside(place.runDir, path)) return { roots: ['run'], path: relative(place.runDir, path) };
  if (isPathInside(place.checkoutPath, path)) {
    return { roots: ['checkout'], path: relative(place.checkoutPath, path) };
  }
  return { roots: [], path };
}
