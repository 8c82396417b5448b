import { STATUS_CODES } from 'node:http';
import { expect, it } from 'vitest';
import { REFUSALS } from '../e2e/hostile-page-table.ts';
import { readPage } from './markdown.ts';

/** Node's name of 413 is an older one. */
const NAMES: Readonly<Record<number, string>> = { 413: 'Content Too Large' };

it('lists every hostile request of the tests, with its status', async () => {
  const { text } = await readPage('docs/internals/hostile-page.md');
  const listed = [...text.matchAll(/^\| (.+?) \| (\d{3} [A-Z][^|]+) \|/gm)];
  expect(listed.map(([, what, status]) => `${what}: ${status}`)).toEqual(
    REFUSALS.map(({ what, status }) => `${what}: ${status} ${NAMES[status] ?? STATUS_CODES[status]}`),
  );
});
