import { describe, expect, test } from 'vitest';
import { defaultSince, nameRepositories } from '../../../src/app/report.ts';
import { parseSince } from '../../../src/app/since.ts';

const NOW = new Date('2026-11-19T08:30:00Z');
const localDay = (year: number, month: number, date: number) => new Date(year, month - 1, date).toISOString();

describe('`--since`', () => {
  test.each([
    ['12h', '2026-11-18T20:30:00.000Z'],
    ['3d', '2026-11-16T08:30:00.000Z'],
    ['yesterday', localDay(NOW.getFullYear(), NOW.getMonth() + 1, NOW.getDate() - 1)],
    ['2026-11-17', localDay(2026, 11, 17)],
    ['2024-02-29', localDay(2024, 2, 29)],
    ['2026-11-17T10:00:00Z', '2026-11-17T10:00:00.000Z'],
    ['2026-11-17T10:00+02:00', '2026-11-17T08:00:00.000Z'],
  ])('%s is %s', (text, time) => {
    expect(parseSince(text, NOW)?.toISOString()).toBe(time);
  });
  test.each([
    '',
    '5',
    '12 h',
    '-1h',
    '0h',
    'tomorrow',
    '2026-13-01',
    '2026-02-30',
    '2026-02-30T00:00:00Z',
    '2026-11-17T25:00Z',
    '2026-11-17 10:00',
    '999999999d',
  ])('refuses `%s`', (text) => {
    expect(parseSince(text, NOW)).toBeNull();
  });
});

describe('the time that a report covers by default', () => {
  test.each([
    ['nothing was printed yet', null, '2026-11-18T20:30:00.000Z'],
    ['the last one was printed an hour ago', '2026-11-19T07:30:00.000Z', '2026-11-18T20:30:00.000Z'],
    ['the last one was printed two days ago', '2026-11-17T08:30:00.000Z', '2026-11-17T08:30:00.000Z'],
    ['the clock was set back since', '2026-11-25T00:00:00.000Z', '2026-11-18T20:30:00.000Z'],
  ])('if %s', (_name, lastPrinted, since) => {
    expect(defaultSince(lastPrinted, NOW).toISOString()).toBe(since);
  });
});

test('repositories in folders of the same name are named with the folders above', () => {
  const names = nameRepositories(['/src/a/shop', '/src/b/shop', '/src/tools', '/old/b/shop', '/shop']);
  expect([...names.values()]).toEqual(['a/shop', 'src/b/shop', 'tools', 'old/b/shop', '/shop']);
});
