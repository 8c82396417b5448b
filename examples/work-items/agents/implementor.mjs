// Implements one item. It forgets negative sides at first, and does not guess a unit that nobody has named.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { give, input } from './role.mjs';

const { title } = input('item');
const findings = (input('reviews') ?? []).flatMap(({ comments }) => comments);

function write(path, text) {
  mkdirSync(path.slice(0, path.lastIndexOf('/')), { recursive: true });
  writeFileSync(path, text);
}

const test = (name, call, result) => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ${name} } from './${name}.js';

test('${name}', () => {
  assert.equal(${call}, ${result});
});
`;

const items = {
  'Compute areas': () => {
    const guard =
      findings.length === 0
        ? ''
        : "  if (width < 0 || height < 0) throw new RangeError('a side is negative');\n";
    write('src/area.js', `export function area(width, height) {\n${guard}  return width * height;\n}\n`);
    write('src/area.test.js', test('area', 'area(2, 3)', 6));
    return findings.length === 0 ? 'Areas are computed and tested.' : 'Negative sides are refused now.';
  },
  'Compute perimeters': () => {
    if (!existsSync('docs/units.md')) return null;
    write(
      'src/perimeter.js',
      'export function perimeter(width, height) {\n  return 2 * (width + height);\n}\n',
    );
    write('src/perimeter.test.js', test('perimeter', 'perimeter(2, 3)', 10));
    return 'Perimeters are computed and tested.';
  },
  'Document the shapes': () => {
    write(
      'docs/shapes.md',
      '# Shapes\n\n`area(width, height)` and `perimeter(width, height)` of a rectangle.\n',
    );
    return 'The page documents both functions.';
  },
};

const summary = items[title]();
if (summary !== null) give({ role: 'implementor', outcome: 'completed', summary });
else
  give({
    role: 'implementor',
    outcome: 'blocked',
    summary: `Type: spec-gap
Description: the spec does not say which unit sides have.
Spec reference: docs/specs/shapes.md, section "Shapes": "Sides are numbers in one unit"
Options:
1. Millimetres, as the drawings have them. Whole numbers, but long ones.
2. Metres, as people say them. Short numbers, but fractions.
Recommendation: option 1, because drawings are where sides come from.
Impact: perimeters can't be compared until it is decided.`,
  });
