import { describe, expect, it } from 'vitest';
import { formatBytes, parseBytes } from '../../../src/contracts/byte-size.ts';

describe('a size', () => {
  it.each([
    ['1B', 1],
    ['200MB', 200_000_000],
    ['1.5GB', 1_500_000_000],
    ['8GiB', 8 * 2 ** 30],
    ['4KiB', 4096],
    ['2TB', 2e12],
    [4096, 4096],
  ])('is read: %s', (text, bytes) => expect(parseBytes(text)).toBe(bytes));

  it.each([
    '',
    '0MB',
    '-1MB',
    'MB',
    '1',
    '1 MB',
    '1mb',
    '1XB',
    '1e3MB',
    0,
    -1,
    1.5,
    Number.NaN,
    null,
    `${'9'.repeat(400)}GB`,
  ])('is none: %s', (text) => expect(parseBytes(text)).toBeNull());

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [200_000_000, '200 MB'],
    [17_200_000_000, '17.2 GB'],
  ])('is written: %i', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});
