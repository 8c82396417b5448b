export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel, row by row. */
  readonly data: Uint8ClampedArray;
}

export interface PixelDifference extends Pixels {
  /** How many pixels differ. Where only one picture has a pixel, it differs. */
  readonly count: number;
}

const FADED = 0.85;

/** Draws the old picture faded, and every pixel that differs in red. Any difference counts: a golden is exact. */
export function comparePixels(before: Pixels, after: Pixels): PixelDifference {
  const width = Math.max(before.width, after.width);
  const height = Math.max(before.height, after.height);
  const data = new Uint8ClampedArray(width * height * 4);
  let count = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const one = offsetIn(before, x, y);
      const other = offsetIn(after, x, y);
      const to = (y * width + x) * 4;
      data[to + 3] = 255;
      if (one !== null && other !== null && isSame(before.data, one, after.data, other)) {
        const grey = luminance(before.data, one);
        const faded = grey + (255 - grey) * FADED;
        data[to] = data[to + 1] = data[to + 2] = faded;
        continue;
      }
      count += 1;
      data[to] = 214;
      data[to + 1] = 40;
      data[to + 2] = 30;
    }
  }
  return { width, height, data, count };
}

function offsetIn({ width, height }: Pixels, x: number, y: number): number | null {
  return x < width && y < height ? (y * width + x) * 4 : null;
}

function isSame(one: Uint8ClampedArray, at: number, other: Uint8ClampedArray, otherAt: number): boolean {
  for (let channel = 0; channel < 4; channel += 1)
    if (one[at + channel] !== other[otherAt + channel]) return false;
  return true;
}

function luminance(data: Uint8ClampedArray, at: number): number {
  return 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
}
