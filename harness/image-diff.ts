import type { PNG as Picture } from 'pngjs';
import { loadOptional } from '../src/contracts/expected-failure.ts';

export interface ImageDiff {
  /** How many pixels differ, and how many there are. */
  readonly differing: number;
  readonly total: number;
  /** A PNG file in which differing pixels are marked. */
  readonly picture: Uint8Array;
  readonly sizes: { readonly before: string; readonly after: string };
}

/** Colour of the area that only one of the images has. */
const UNSHARED_COLOUR = [255, 0, 255, 255] as const;

/**
 * Compares two PNG files pixel by pixel; if their sizes differ, the area that they don't share counts as different. Null
 * if one of the two is not a readable image.
 */
export async function diffImages(
  before: Uint8Array,
  after: Uint8Array,
  tolerance: number,
): Promise<ImageDiff | null> {
  const { PNG } = await loadOptional('comparing pictures', 'pngjs', () => import('pngjs'));
  const { default: pixelmatch } = await loadOptional(
    'comparing pictures',
    'pixelmatch',
    () => import('pixelmatch'),
  );
  const read = (bytes: Uint8Array): Picture | null => {
    try {
      return PNG.sync.read(Buffer.from(bytes));
    } catch {
      return null;
    }
  };
  const old = read(before);
  const now = read(after);
  if (old === null || now === null) return null;
  const width = Math.min(old.width, now.width);
  const height = Math.min(old.height, now.height);
  const shared = new PNG({ width, height });
  const found = pixelmatch(crop(old, width, height), crop(now, width, height), shared.data, width, height, {
    threshold: tolerance,
    includeAA: tolerance === 0,
  });
  const whole = new PNG({
    width: Math.max(old.width, now.width),
    height: Math.max(old.height, now.height),
  });
  for (let at = 0; at < whole.data.length; at += 4) whole.data.set(UNSHARED_COLOUR, at);
  PNG.bitblt(shared, whole, 0, 0, width, height, 0, 0);
  const total = whole.width * whole.height;
  return {
    differing: found + total - width * height,
    total,
    picture: PNG.sync.write(whole),
    sizes: { before: `${old.width}×${old.height}`, after: `${now.width}×${now.height}` },
  };
}

function crop({ data, width: fullWidth }: Picture, width: number, height: number): Uint8Array {
  if (fullWidth === width) return data.subarray(0, width * height * 4);
  const part = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row += 1) {
    const from = row * fullWidth * 4;
    part.set(data.subarray(from, from + width * 4), row * width * 4);
  }
  return part;
}
