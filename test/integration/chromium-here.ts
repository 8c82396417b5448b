import { findBrowser } from '../../harness/web/browser.ts';

/** Whether there is a browser on this machine: tests of pages are left out, and say so, where there is none. */
const found = findBrowser(process.env);
export const chromiumHere = found.ok;

if (!found.ok) process.stderr.write(`tests of pages are skipped: ${found.why}\n`);
