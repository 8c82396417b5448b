import { printTemplate } from '../../src/work/bodies/body-template.ts';
import { checkBody } from '../../src/work/bodies/check-body.ts';
import { parseExistingItems } from '../../src/work/results/existing-items.ts';
import { checkImplementorResult } from '../../src/work/results/implementor-result.ts';
import { checkPlannerResult } from '../../src/work/results/planner-result.ts';
import { checkReviewerResult } from '../../src/work/results/reviewer-result.ts';
import { blockOf, type Page } from './markdown.ts';

/** The codes that an example of a page about results, bodies or labels of work items gets. */
export function contractCodes(code: string, page: Page, kind: 'fails' | 'passes'): readonly string[] {
  if (page.blocks.some(({ info }) => info === `markdown ${kind}`)) {
    const type = /Both\s+examples\s+are\s+bodies\s+of\s+a\s+task\./.test(page.text) ? 'implement' : null;
    return checkBody(blockOf(page, `markdown ${kind}`).text, type).map((problem) => problem.code);
  }
  const value: unknown = JSON.parse(blockOf(page, `json ${kind}`).text, withBody);
  const checked = checkedBy(code, value, page);
  return checked.ok ? [] : checked.problems.map((problem) => problem.code);
}

function checkedBy(code: string, value: unknown, page: Page) {
  if (code.startsWith('WR2')) return checkImplementorResult(value);
  if (code.startsWith('WR3')) return checkReviewerResult(value);
  return checkPlannerResult(value, { items: itemsOn(page) });
}

function itemsOn(page: Page) {
  if (!page.blocks.some(({ info }) => info === 'json given')) return [];
  const parsed = parseExistingItems(JSON.parse(blockOf(page, 'json given').text));
  if (!parsed.ok) throw new Error(`${page.path}: ${parsed.message}`);
  return parsed.items;
}

/** A page shows `…` where a body of the type that the labels say would only be in the way. */
function withBody(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('body' in value) || value.body !== '…') return value;
  const labels: unknown = 'labels' in value ? value.labels : null;
  const isQuestion = Array.isArray(labels) && labels.includes('task:refinement');
  return { ...value, body: printTemplate(isQuestion ? 'refinement' : 'task') };
}
