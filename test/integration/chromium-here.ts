import { findChromium, lackOfChromium } from '../../src/harness/browser.ts';

/** Whether there is a browser on this machine: tests of pages are left out, and say so, where there is none. */
export const chromiumHere = findChromium(process.env) !== null;

if (!chromiumHere) process.stderr.write(`tests of pages are left out: ${lackOfChromium(process.env).why}\n`);
