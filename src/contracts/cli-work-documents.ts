import * as z from 'zod';
import { scopedDocument } from './cli-scope-document.ts';
import { printed } from './printed-document.ts';

const problem = {
  path: z.string().describe('Dotted from the top; empty for the whole document.'),
  code: z.string().describe('Which rule; the page about contracts lists them.'),
  message: z.string(),
};

const contractDocument = printed({
  ok: z.boolean().describe('Whether there is no problem.'),
  kind: z.string(),
  problems: z.array(z.looseObject(problem)),
});

const workDocument = z.union([
  printed({ kind: z.string(), template: z.string().describe('Markdown.') }).describe('With `template`.'),
  printed({
    ok: z.boolean().describe('Whether there is no problem.'),
    kind: z.string().nullable().describe('The template it was held against; null where it follows none.'),
    problems: z.array(z.looseObject({ ...problem, line: z.int().min(1) })),
  }).describe('With `lint`.'),
]);

/** What the verbs about work items print with `--json`, by verb. */
export const WORK_DOCUMENTS = {
  contract: contractDocument,
  work: workDocument,
  scope: scopedDocument,
} as const;
