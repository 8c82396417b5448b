import type { WorkType } from '../../contracts/work/work-item.ts';
import type { ProblemCode } from '../results/problem-codes.ts';
import { readBody, type WorkBody } from './body.ts';
import { type BodySection, findSections } from './body-sections.ts';
import { KIND_OF_TYPE, TEMPLATE_SECTIONS, type TemplateSection } from './body-template.ts';

/** Lines and columns count from 1. */
export interface BodyProblem {
  readonly code: ProblemCode;
  readonly message: string;
  readonly line: number;
  readonly column: number;
  /** The text of that line; null if the problem has no position. */
  readonly quoted: string | null;
}

/** Checks a body. Without a type, against the template that it matches best. */
export function checkBody(markdown: string, type: WorkType | null): readonly BodyProblem[] {
  return checkReadBody(readBody(markdown), type);
}

/** Checks a parsed body. */
export function checkReadBody(body: WorkBody, type: WorkType | null): readonly BodyProblem[] {
  const kind = type === null ? body.kind : KIND_OF_TYPE[type];
  if (kind === null || body.kind === null) {
    const what =
      kind === null
        ? 'follows neither the task nor the refinement template'
        : `does not follow the ${kind} template`;
    return [problemWithoutPosition('WR401', `the body ${what}: it has none of its sections`)];
  }
  if (body.kind !== kind) {
    const message = `the body follows the ${body.kind} template, but the item's type needs the ${kind} template`;
    return [problemWithoutPosition('WR402', message)];
  }
  const problems = [
    // If a section is missing, its subsections are not reported as well.
    ...TEMPLATE_SECTIONS[kind]
      .filter(({ parent }) => parent === null || body.sections.some(({ name }) => name === parent))
      .flatMap((section) => checkSection(body.sections, section)),
    ...(kind === 'task' ? checkContent(body) : []),
  ];
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}

function checkSection(
  sections: readonly BodySection[],
  { name, level, parent }: TemplateSection,
): readonly BodyProblem[] {
  const named = sections.filter((section) => section.name === name);
  const placed = named.filter((section) => section.placed);
  const marks = '#'.repeat(level);
  const [first, ...again] = placed;
  if (first !== undefined)
    return again.map((section) =>
      problemAt(
        section,
        'WR404',
        `duplicate section "${marks} ${name}": the first one is on line ${first.line}`,
      ),
    );
  const [elsewhere] = named;
  const inside = parent === null ? '' : ` under "## ${parent}"`;
  return elsewhere === undefined
    ? [problemWithoutPosition('WR403', `the section "${marks} ${name}" is missing`)]
    : [
        problemAt(
          elsewhere,
          'WR405',
          `the section "${name}" is in the wrong place: write it as "${marks} ${name}"${inside}`,
        ),
      ];
}

function checkContent(body: WorkBody): readonly BodyProblem[] {
  const rules: readonly (readonly [boolean, string, ProblemCode, string])[] = [
    [body.objective === '', 'Objective', 'WR406', 'the section "Objective" is empty'],
    [!hasScopeEntry(body), 'In Scope', 'WR407', 'the section "In Scope" lists no file or module'],
    [
      body.criteria.length === 0,
      'Acceptance Criteria',
      'WR408',
      'the section "Acceptance Criteria" has no criterion',
    ],
  ];
  return rules.flatMap(([isBroken, name, code, message]) => {
    // A missing section is already reported.
    const section = body.sections.find((candidate) => candidate.name === name && candidate.placed);
    return isBroken && section !== undefined ? [problemAt(section, code, message)] : [];
  });
}

/** Prose counts as an entry, although it covers no file. */
function hasScopeEntry({ inScope, unreadEntries, sections }: WorkBody): boolean {
  const proseLines = new Set(unreadEntries.map(({ line }) => line));
  const items = findSections(sections, 'In Scope').flatMap(({ blocks }) => blocks);
  return inScope.length > 0 || items.some(({ kind, line }) => kind === 'item' && proseLines.has(line));
}

function problemAt(section: BodySection, code: ProblemCode, message: string): BodyProblem {
  const { line, column, level, title } = section;
  return { code, message, line, column, quoted: `${'#'.repeat(level)} ${title}` };
}

function problemWithoutPosition(code: ProblemCode, message: string): BodyProblem {
  return { code, message, line: 1, column: 1, quoted: null };
}
