import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  journalEntrySchema,
  reviewRecordSchema,
  workEventSchema,
} from '../../src/contracts/work/work-event.ts';
import {
  pipelineSchema,
  revisionSchema,
  specSchema,
  workItemSchema,
} from '../../src/contracts/work/work-item.ts';
import {
  agentReviewCommentSchema,
  agentReviewSchema,
  implementorResultSchema,
  plannedWorkItemSchema,
  plannedWorkItemUpdateSchema,
  plannerResultSchema,
  reviewerResultSchema,
} from '../../src/contracts/work/work-results.ts';
import { printTemplate } from '../../src/work/bodies/body-template.ts';
import { LABELS } from '../../src/work/items/labels.ts';
import { PROBLEM_CODES } from '../../src/work/results/problem-codes.ts';
import { codeWords, ROOT, readPage, rowsOf, sectionOf } from './markdown.ts';
import { renderSchemas } from './schema-page.ts';

const HEAD = `# Fields of work items

Every field of the results of the three roles, of work items and of their journal. The page is generated from the schemas;
\`conductor schema planner-result\`, \`conductor schema implementor-result\` and \`conductor schema reviewer-result\` print three
of them as JSON Schema. Results are strict: a key that is not listed is an error. [Contracts](work-contracts.md) has the rules
that a schema can't express.

`;

/** \`vitest -u\` writes it. */
function renderReference(): string {
  const schemas = [
    {
      name: 'PlannerResult',
      schema: plannerResultSchema,
      about: 'The result of a planner run: all of it is applied, or nothing.',
    },
    { name: 'PlannedWorkItem', schema: plannedWorkItemSchema, about: 'A new item.' },
    {
      name: 'PlannedWorkItemUpdate',
      schema: plannedWorkItemUpdateSchema,
      about: 'A change to an existing item.',
    },
    {
      name: 'ImplementorResult',
      schema: implementorResultSchema,
      about: 'The result of the work on an item.',
    },
    { name: 'ReviewerResult', schema: reviewerResultSchema, about: 'The review of a revision.' },
    { name: 'AgentReview', schema: agentReviewSchema, about: 'A verdict with its reasons.' },
    { name: 'AgentReviewComment', schema: agentReviewCommentSchema, about: 'A finding or a warning.' },
    { name: 'WorkItem', schema: workItemSchema, about: 'A piece of work.' },
    { name: 'Revision', schema: revisionSchema, about: 'The change that implements an item.' },
    { name: 'Pipeline', schema: pipelineSchema, about: 'The checks of a revision.' },
    { name: 'Spec', schema: specSchema, about: 'A spec, from which a planner creates work items.' },
    { name: 'ReviewRecord', schema: reviewRecordSchema, about: 'A stored review.' },
    {
      name: 'JournalEntry',
      schema: journalEntrySchema,
      about: 'An entry of the journal; the state of all items is derived from it.',
    },
    { name: 'WorkEvent', schema: workEventSchema, about: 'The events of the journal.' },
  ];
  return `${HEAD}${renderSchemas(schemas)}`;
}

describe('the reference of work items', () => {
  it('is as it would be written anew', async () => {
    await expect(renderReference()).toMatchFileSnapshot(join(ROOT, 'docs', 'reference', 'work-reference.md'));
  });
});

describe('the page about contracts', () => {
  it('lists every code with its title', async () => {
    const page = await readPage('docs/reference/work-contracts.md');
    const rows = rowsOf(sectionOf(page, '## Codes')).filter(([code]) => code?.startsWith('[WR'));
    expect(rows).toEqual(
      Object.entries(PROBLEM_CODES).map(([code, title]) => [`[${code}](diagnostics/${code}.md)`, title]),
    );
  });

  it('lists every label', async () => {
    const named = codeWords(sectionOf(await readPage('docs/reference/work-contracts.md'), '## Labels'));
    expect(LABELS.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([]);
  });

  it.each(['task', 'refinement'] as const)('shows the template of a %s', async (kind) => {
    const page = await readPage('docs/reference/work-contracts.md');
    expect(page.blocks.map(({ text }) => text)).toContain(printTemplate(kind));
  });
});
