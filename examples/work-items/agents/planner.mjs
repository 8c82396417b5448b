// Plans the spec of this example: two items that can be worked on side by side, and one that waits for both.
import { give, input } from './role.mjs';

const [spec] = input('specs');
const existing = new Set(input('items').map(({ title }) => title));

const task = ({ objective, section, files, others, criteria }) => `## Objective

${objective}

## Spec Reference

- Spec: \`${spec.filePath}\`
- Section(s): ${section}

## Scope

### In Scope

${files.map((file) => `- ${file}`).join('\n')}

### Out of Scope

${others.map((file) => `- ${file}`).join('\n')}

## Acceptance Criteria

${criteria.map((criterion) => `- [ ] ${criterion}`).join('\n')}

## Context

Tests run with \`node --test\`.

## Constraints

No dependencies.
`;

const labels = (complexity) => [
  'task:implement',
  'status:pending',
  'priority:medium',
  `complexity:${complexity}`,
];

const planned = [
  {
    tempID: 'area',
    title: 'Compute areas',
    body: task({
      objective: 'Give the area of a rectangle.',
      section: 'Functions',
      files: ['src/area.js'],
      others: ['src/perimeter.js', 'docs/shapes.md'],
      criteria: ['`area(2, 3)` is 6', 'A negative side is an error', 'Test: src/area.test.js passes'],
    }),
    labels: labels('low'),
    blockedBy: [],
  },
  {
    tempID: 'perimeter',
    title: 'Compute perimeters',
    body: task({
      objective: 'Give the length of all sides of a rectangle.',
      section: 'Functions',
      files: ['src/perimeter.js'],
      others: ['src/area.js', 'docs/shapes.md'],
      criteria: ['`perimeter(2, 3)` is 10', 'Test: src/perimeter.test.js passes'],
    }),
    labels: labels('low'),
    blockedBy: [],
  },
  {
    tempID: 'page',
    title: 'Document the shapes',
    body: task({
      objective: 'Document both functions on one page.',
      section: 'Acceptance criteria',
      files: ['docs/shapes.md'],
      others: ['src/'],
      criteria: ['`docs/shapes.md` documents area and perimeter'],
    }),
    labels: labels('trivial'),
    blockedBy: ['area', 'perimeter'],
  },
];

give({
  role: 'planner',
  create: planned.filter(({ title }) => !existing.has(title)),
  close: [],
  update: [],
});
