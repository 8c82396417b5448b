import { copyFile, mkdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { CapturedArtifact } from '../../ports/validator.ts';
import { isOffLimits, type Roots, realPathOf } from './roots.ts';

/** Screenshots of the first failures are evidence; those of hundreds are only a burden. */
const ATTACHMENT_LIMIT = 200;
const ATTACHMENT_LIMIT_BYTES = 256 * 1024 * 1024;

interface AttachmentPlace {
  /** The evidence folder of the validator. */
  readonly folder: string;
  readonly roots: Roots;
  /** Base folders for relative names. */
  readonly bases: readonly string[];
}

/** Copies the files that a runner attached to its tests, except those outside of the run's folders. */
export async function keepAttachments(
  named: readonly string[],
  place: AttachmentPlace,
): Promise<ReadonlyMap<string, CapturedArtifact>> {
  const kept = new Map<string, CapturedArtifact>();
  let bytes = 0;
  for (const name of new Set(named)) {
    const source = await attachmentOf(name, place);
    if (source === null) continue;
    bytes += source.bytes;
    if (kept.size >= ATTACHMENT_LIMIT || bytes > ATTACHMENT_LIMIT_BYTES) break;
    const copyName = `report-files/${kept.size + 1}-${basename(source.path)}`;
    const path = join(place.folder, copyName);
    await mkdir(join(place.folder, 'report-files'), { recursive: true });
    await copyFile(source.path, path);
    kept.set(name, { path, name: copyName, required: false });
  }
  return kept;
}

async function attachmentOf(
  name: string,
  { roots, bases }: AttachmentPlace,
): Promise<{ readonly path: string; readonly bytes: number } | null> {
  if (name.includes('\0')) return null;
  for (const base of bases) {
    const path = await realPathOf(resolve(base, name));
    if (path === null || isOffLimits(roots, path)) continue;
    const found = await stat(path).catch(() => null);
    if (found?.isFile() === true) return { path, bytes: found.size };
  }
  return null;
}
