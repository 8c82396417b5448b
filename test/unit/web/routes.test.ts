import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVIDENCE_TABS, formatRoute, parseRoute, type Route } from '../../../web/src/state/routes.ts';

function parseUrl(url: string): Route {
  const { pathname, search } = new URL(url, 'http://page.invalid');
  return parseRoute(pathname, search);
}

const name = fc
  .string({ minLength: 1, unit: 'grapheme-composite' })
  .filter((text) => !/^\.{1,2}$/.test(text));
const optional = fc.option(name);
const number = fc.option(fc.integer({ min: 1, max: 999_999 }));
const route: fc.Arbitrary<Route> = fc.oneof(
  fc.record({ screen: fc.constant('start' as const) }),
  fc.record({ screen: fc.constant('sessions' as const) }),
  fc.record({ screen: fc.constant('home' as const), repo: name }),
  fc.record({
    screen: fc.constant('runs' as const),
    repo: name,
    state: optional,
    workflow: optional,
    agent: optional,
    text: optional,
  }),
  fc.record({
    screen: fc.constant('run' as const),
    repo: name,
    run: name,
    at: number,
    step: optional,
    tab: fc.option(fc.constantFrom(...EVIDENCE_TABS)),
    file: optional,
    line: number,
  }),
  fc.record({ screen: fc.constant('gate' as const), repo: name, run: name, file: optional, line: number }),
  fc.record({ screen: fc.constant('goldens' as const), repo: name, run: name, golden: optional }),
  fc.record({ screen: fc.constant('board' as const), repo: name }),
  fc.record({ screen: fc.constant('item' as const), repo: name, item: name }),
  fc.record({ screen: fc.constant('workflows' as const), repo: name }),
  fc.record({ screen: fc.constant('workflow' as const), repo: name, workflow: name }),
);

describe('the URLs of the page', () => {
  it('lead back to the screen that they were made for, whatever ids and paths contain', () => {
    fc.assert(
      fc.property(route, (made) => {
        expect(parseUrl(formatRoute(made))).toEqual(made);
      }),
    );
  });

  it.each([
    '/r',
    '/r/my-service/unknown',
    '/r/my-service/runs/0199/unknown',
    '/r/my-service/runs/0199/gate/more',
    '/r/my-service/items/7/more',
    '/sessions/more',
    '/other',
    '/r/%E0%A4%A',
  ])('explain themselves where they lead nowhere: %s', (path) => {
    expect(parseRoute(path, '')).toEqual({ screen: 'not_found', path });
  });

  it.each(['?at=-1', '?at=1e3', '?at=x', '?line=0', '?tab=unknown', '?at='])(
    'lose a part that makes no sense and keep the rest: %s',
    (search) => {
      expect(parseRoute('/r/my-service/runs/0199', search)).toEqual({
        screen: 'run',
        repo: 'my-service',
        run: '0199',
        at: null,
        step: null,
        tab: null,
        file: null,
        line: null,
      });
    },
  );
});
