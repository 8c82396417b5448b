import { createRequire } from 'node:module';

type QrReader = (
  pixels: Uint8ClampedArray,
  width: number,
  height: number,
) => { readonly data: string } | null;

// The package is CommonJS with a default export inside.
const { default: readPixels } = createRequire(import.meta.url)('jsqr') as { readonly default: QrReader };

/** What a camera reads: RGBA pixels to the text of the QR code in them; null if there is none. */
export function readQr(pixels: Uint8ClampedArray, width: number, height: number): string | null {
  return readPixels(pixels, width, height)?.data ?? null;
}

/** Pixels per half character: a reader needs modules of several pixels. */
const SCALE = 4;

/** The QR code that a terminal shows with half blocks. */
export function readPrintedQr(output: string): string | null {
  const lines = output.split('\n').filter((line) => /^[ ▀▄█]+$/.test(line) && line.length > 20);
  const width = Math.max(0, ...lines.map((line) => line.length)) * SCALE;
  const height = lines.length * 2 * SCALE;
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const character = lines[Math.floor(y / (2 * SCALE))]?.[Math.floor(x / SCALE)] ?? ' ';
      const isUpper = Math.floor(y / SCALE) % 2 === 0;
      const isLit = character === '█' || character === (isUpper ? '▀' : '▄');
      pixels.set(isLit ? [255, 255, 255] : [0, 0, 0], (y * width + x) * 4);
    }
  return width === 0 ? null : readQr(pixels, width, height);
}
