import { describe, expect, it } from 'vitest';
import { toFileName } from '../../../harness/out-folder.ts';
import { explainMissingChromium, findChromium } from '../../../harness/web/browser.ts';

describe('the name of a file for a case', () => {
  it.each(['help', 'a.b-c_1'])('is its id where that is a name: %s', (id) => {
    expect(toFileName(id)).toBe(id);
  });

  it('is never that of another case, and never leads anywhere', () => {
    const ids = [
      'a/b',
      'a_b',
      'a b',
      'a:b',
      '..',
      '.',
      '../x',
      'ä',
      'x'.repeat(90),
      'x'.repeat(91),
      'x'.repeat(80),
    ];
    const names = ids.map(toFileName);
    expect(new Set(names).size).toBe(ids.length);
    expect(
      names.filter((name) => !/^[\w.-]+$/.test(name) || /^\.+$/.test(name) || name.length > 100),
    ).toEqual([]);
  });
});

describe('the browser', () => {
  it.each([
    [{ CONDUCTOR_CHROMIUM: '/bin/sh', CHROMIUM_PATH: '/bin/true', PATH: '' }, '/bin/sh'],
    [{ CHROMIUM_PATH: '/bin/sh', PATH: '/usr/bin' }, '/bin/sh'],
    [{ CONDUCTOR_CHROMIUM: '/no/such/browser', PATH: '/usr/bin' }, null],
  ])('is the one that a variable names, or none: %j', (env, found) => {
    expect(findChromium(env)).toBe(found);
  });

  it.each([
    [
      { CONDUCTOR_CHROMIUM: '/no/such/browser' },
      'CONDUCTOR_CHROMIUM names /no/such/browser, which is no program',
    ],
    [{ CHROMIUM_PATH: '/no/such/browser' }, 'CHROMIUM_PATH names /no/such/browser, which is no program'],
    [{}, 'there is no Chromium on this machine'],
  ])('that is missing is reported with its source: %j', (env, why) => {
    expect(explainMissingChromium(env).why).toBe(why);
  });
});
