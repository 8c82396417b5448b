import type { Route } from '../route.ts';
import { EVIDENCE_ROUTES } from './evidence.ts';
import { FILE_ROUTES } from './files.ts';
import { GATE_ROUTES } from './gates.ts';
import { RUN_ROUTES } from './runs.ts';
import { SESSION_ROUTES } from './session.ts';
import { STREAM_ROUTES } from './stream.ts';
import { WORK_ROUTES } from './work.ts';
import { WORKFLOW_ROUTES } from './workflows.ts';

/** The interface of the page. A new file of routes is listed here, and nowhere else. */
export const ALL_ROUTES: readonly Route[] = [
  ...SESSION_ROUTES,
  ...RUN_ROUTES,
  ...GATE_ROUTES,
  ...EVIDENCE_ROUTES,
  ...FILE_ROUTES,
  ...WORK_ROUTES,
  ...WORKFLOW_ROUTES,
  ...STREAM_ROUTES,
];
