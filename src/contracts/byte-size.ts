const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** Digits, an optional fraction, one unit. Also used in the JSON Schemas. */
export const BYTES_PATTERN = /^(?=.*[1-9])\d+(?:\.\d+)?(?:[kKMGT]|[KMGT]i)?B$/;

/** Parses a size to bytes; null if it is malformed. A plain number means bytes. */
export function parseBytes(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? value : null;
  if (typeof value !== 'string' || !BYTES_PATTERN.test(value)) return null;
  const [, digits = '', unit = ''] = /^([\d.]+)(.*)$/.exec(value) ?? [];
  const bytes = Math.round(Number(digits) * (UNITS[unit] ?? Number.NaN));
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}
