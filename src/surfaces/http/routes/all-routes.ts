import type { Route } from '../route.ts';
import { GATE_ROUTES } from './gates.ts';
import { RUN_ROUTES } from './runs.ts';
import { SESSION_ROUTES } from './session.ts';
import { STREAM_ROUTES } from './stream.ts';

/** The interface of the page. A new file of routes is listed here, and nowhere else. */
export const ALL_ROUTES: readonly Route[] = [
  ...SESSION_ROUTES,
  ...RUN_ROUTES,
  ...GATE_ROUTES,
  ...STREAM_ROUTES,
];
