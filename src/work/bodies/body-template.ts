import type { WorkType } from '../../contracts/work/work-item.ts';

export const BODY_KINDS = ['task', 'refinement'] as const;
export type BodyKind = (typeof BODY_KINDS)[number];

export interface TemplateSection {
  readonly name: string;
  readonly level: 2 | 3;
  /** The parent section; null at the top level. */
  readonly parent: string | null;
}

const top = (name: string): TemplateSection => ({ name, level: 2, parent: null });
const inScope = (name: string): TemplateSection => ({ name, level: 3, parent: 'Scope' });

export const TEMPLATE_SECTIONS: Readonly<Record<BodyKind, readonly TemplateSection[]>> = {
  task: [
    top('Objective'),
    top('Spec Reference'),
    top('Scope'),
    inScope('In Scope'),
    inScope('Out of Scope'),
    top('Acceptance Criteria'),
    top('Context'),
    top('Constraints'),
  ],
  refinement: [
    top('Ambiguity'),
    top('Spec Reference'),
    top('Options'),
    top('Recommendation'),
    top('Blocked Tasks'),
  ],
};

/** Each type of item has one template. */
export const KIND_OF_TYPE: Readonly<Record<WorkType, BodyKind>> = {
  implement: 'task',
  refinement: 'refinement',
};

export const TYPE_OF_KIND: Readonly<Record<BodyKind, WorkType>> = {
  task: 'implement',
  refinement: 'refinement',
};

const TEMPLATES: Readonly<Record<BodyKind, string>> = {
  task: `## Objective

One sentence: what this task achieves.

## Spec Reference

- Spec: \`docs/specs/<name>.md\`
- Section(s): <relevant sections>

## Scope

### In Scope

Files/modules this task may touch:

- path/to/file.ts
- path/to/file.test.ts

### Out of Scope

Files/modules explicitly excluded:

- path/to/other.ts (owned by #<issue-number>)

## Acceptance Criteria

- [ ] Criterion 1
- [ ] Criterion 2
- [ ] Test: path/to/test.ts passes

## Context

Anything the agent needs beyond the spec.

## Constraints

What the agent must NOT do.
`,
  refinement: `## Ambiguity

What is ambiguous, contradictory, or missing in the spec.

## Spec Reference

- Spec: \`docs/specs/<name>.md\`
- Section(s): <relevant sections>
- Quote: "<relevant text from spec>"

## Options

1. **Option A** — description and trade-offs
2. **Option B** — description and trade-offs

## Recommendation

Which option and why.

## Blocked Tasks

Tasks that cannot be created until this is resolved.
`,
};

export function printTemplate(kind: BodyKind): string {
  return TEMPLATES[kind];
}
