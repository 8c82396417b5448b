import { describe, expect, it } from 'vitest';
import { ends, FOLDER, read, refusal } from './reading.ts';

const vitestValue = (title: string, status = 'passed') => ({
  numTotalTests: 1,
  testResults: [
    {
      name: `${FOLDER}/a.test.ts`,
      status,
      assertionResults: [{ ancestorTitles: [], title, status, failureMessages: [] }],
    },
  ],
});
const vitest = JSON.stringify(vitestValue('adds'));
const pretty = JSON.stringify(vitestValue('adds'), null, 2);
const playwright = JSON.stringify(
  {
    config: { rootDir: FOLDER },
    suites: [
      {
        title: 'a.spec.ts',
        file: 'a.spec.ts',
        suites: [
          {
            title: 'login',
            specs: [
              {
                title: 'works',
                file: 'a.spec.ts',
                tests: [{ status: 'expected', results: [{ status: 'passed' }] }],
              },
            ],
          },
        ],
        specs: [
          {
            title: 'fails',
            file: 'a.spec.ts',
            tests: [{ status: 'unexpected', results: [{ status: 'failed' }] }],
          },
        ],
      },
    ],
  },
  null,
  2,
);
const NPM = '\n> app@1.0.0 test\n> vitest run --reporter=json\n\n';
const OK = ['passed a.test.ts > adds'];

describe('a JSON report with other output around it', () => {
  it.each([
    ["npm's banner", NPM + vitest],
    ["npm's banner before many lines", NPM + pretty],
    ["npm's banner with the line ends of Windows", `${NPM.replaceAll('\n', '\r\n')}${vitest}\r\n`],
    ["pnpm's banner", `\n> app@1.0.0 test /place/app\n> jest --json\n\n${vitest}`],
    ["yarn's banner and end", `yarn run v1.22.22\n$ jest --json\n${vitest}\nDone in 1.53s.\n`],
    ['a byte order mark', `\ufeff${vitest}`],
    ['a byte order mark before the banner', `\ufeff${NPM}${vitest}`],
    ['a byte order mark behind the banner', `${NPM}\ufeff${vitest}`],
    ['text behind it', `${vitest}\nnpm notice New minor version of npm available! 11.0.0 -> 11.1.0\n`],
    ['text before and behind it', `${NPM}${pretty}\n\n> app@1.0.0 posttest\n> node -e "{}"\n`],
    ['a script with braces and quotes', `> jest --json --globals '{"a": {"b": "it's"}}'\n\n${vitest}`],
    ['a script with an open brace', `> echo "{ \\"a"\n> x\n${pretty}`],
    [
      'lines of a JSON log',
      `{"level":"info","msg":"start"}\n{"level":"info","msg":"{"}\n${vitest}\n{"level":"info"}`,
    ],
    ['what console.log prints of an object', `{ "a": undefined, b: [Object] }\n${vitest}`],
    ['brackets of a logger', `[dotenv@17.0.0] injecting env (3) from .env\n[{"a\n${vitest}`],
    ['a progress line without an end', `running …${vitest}`],
    ['an open brace on a line of its own', `{ "opens and\n${vitest}`],
  ])('is read with %s', (_, text) => {
    expect(ends(read('vitest-json', text))).toEqual(OK);
  });

  it('is read for Playwright, too', () => {
    expect(
      ends(read('playwright-json', `${NPM}${playwright}\nTo open last HTML report run: npx playwright`)),
    ).toEqual(['failed a.spec.ts > fails', 'passed a.spec.ts > login > works']);
  });

  it('gives the cases of all reports that are in it, so that none hides another', () => {
    const second = JSON.stringify(vitestValue('fails', 'failed'));
    expect(ends(read('vitest-json', `${NPM}${vitest}\n${NPM}${second}\n`))).toEqual([
      ...OK,
      'failed a.test.ts > fails',
    ]);
  });

  const cut = playwright.slice(0, -20);
  it.each([
    ['no JSON', `${NPM}all is well`, 'is not JSON'],
    ['no object', `${NPM}[1, 2]`, 'is not JSON'],
    ['a report of another tool', `${NPM}{"suites":[]}`, 'is not a Vitest report at `testResults`'],
    ['a report that is cut off', `${NPM}${pretty.slice(0, -10)}`, 'is not JSON'],
    ['a report that is cut off, on one line', `${NPM}${vitest.slice(0, -10)}`, 'is not JSON'],
    ['a second report that is cut off', `${vitest}\n${vitest.slice(0, -10)}`, 'is not JSON'],
    [
      'a report inside of something else',
      `${NPM}{"of": ${vitest}}`,
      'is not a Vitest report at `testResults`',
    ],
    [
      'a report that is too deep',
      `${NPM}{"a":${'['.repeat(300)}${']'.repeat(300)}}`,
      'is nested deeper than 256 levels',
    ],
  ])('is refused with %s', (_, text, why) => {
    expect(refusal('vitest-json', text)).toBe(why);
  });

  it('is refused if it is cut off, although suites inside it resemble a report of Playwright', () => {
    expect(refusal('playwright-json', NPM + cut)).toBe('is not JSON');
    expect(refusal('playwright-json', NPM + JSON.stringify(JSON.parse(playwright)).slice(0, -5))).toBe(
      'is not JSON',
    );
  });

  it('is looked for in megabytes of braces within a few passes over the text', () => {
    expect(refusal('vitest-json', 'x { "'.repeat(1_000_000))).toBe('is not JSON');
    expect(refusal('vitest-json', `x\n${'{ "a\n'.repeat(1_000_000)}`)).toBe('is not JSON');
  });
});
