import { changedFileSchema, changesSchema } from './changes-page.ts';
import {
  artifactsSchema,
  checksSchema,
  goldensPageSchema,
  outputSchema,
  promptSchema,
  stepPageSchema,
} from './evidence-page.ts';
import { daysSchema, graphSchema, runPageSchema, runsPageSchema } from './run-page.ts';
import {
  boardSchema,
  itemActionSchema,
  itemPageSchema,
  mergeBodySchema,
  scopeBodySchema,
  transitionBodySchema,
} from './work-page.ts';
import { checkBodySchema, workflowPageSchema, workflowsSchema } from './workflow-page.ts';

/** The documents and bodies of the page's API, without those that the command line prints as well. */
export const HTTP_DOCUMENTS = {
  runs: { schema: runsPageSchema, title: 'Runs, a page of them' },
  days: { schema: daysSchema, title: 'Runs by day' },
  run: { schema: runPageSchema, title: 'A run, now or after an event' },
  graph: { schema: graphSchema, title: 'The graph of a run or a workflow' },
  step: { schema: stepPageSchema, title: 'An attempt at a step' },
  changes: { schema: changesSchema, title: 'Changed files, a page of them' },
  'changed-file': { schema: changedFileSchema, title: 'A range of lines of a changed file' },
  checks: { schema: checksSchema, title: 'The results of a validation' },
  output: { schema: outputSchema, title: 'A range of lines of output' },
  prompt: { schema: promptSchema, title: 'The prompt of an agent' },
  artifacts: { schema: artifactsSchema, title: 'The artifacts of a run' },
  goldens: { schema: goldensPageSchema, title: 'The goldens that a run proposes' },
  items: { schema: boardSchema, title: 'Work items by status' },
  item: { schema: itemPageSchema, title: 'A work item' },
  'item-action': { schema: itemActionSchema, title: 'What an action on a work item has done' },
  'transition-body': { schema: transitionBodySchema, title: 'Moves a work item' },
  'merge-body': { schema: mergeBodySchema, title: 'Merges a work item' },
  'scope-body': { schema: scopeBodySchema, title: 'Allows a work item further paths' },
  workflows: { schema: workflowsSchema, title: 'The workflows that can be run' },
  workflow: { schema: workflowPageSchema, title: 'A workflow with its diagnostics, graph and proofs' },
  'check-body': { schema: checkBodySchema, title: 'An edited workflow' },
} as const;

export type HttpDocumentName = keyof typeof HTTP_DOCUMENTS;
