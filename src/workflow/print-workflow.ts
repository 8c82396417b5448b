import { Document, isScalar, type Scalar, visit } from 'yaml';

/**
 * Prints a workflow document as YAML: block style, keys in their order, no anchors, no added line breaks. Parsing the
 * output returns the same document.
 */
export function printWorkflow(document: Readonly<Record<string, unknown>>): string {
  const tree = new Document(document, { version: '1.2', aliasDuplicateObjects: false });
  visit(tree, {
    Pair: (_, { key }) => {
      if (isScalar(key) && key.value === '<<') quote(key);
    },
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && BLANK_LINE.test(scalar.value)) quote(scalar);
    },
  });
  return tree.toString({ lineWidth: 0 });
}

/** A line that contains only spaces or tabs. Block style would not preserve them. */
const BLANK_LINE = /(?:^|\n)[ \t]+\n|\n[ \t]+$/;

/** Quotes a scalar that would parse differently without quotes: a merge key `<<`, or lines of spaces. */
function quote(scalar: Scalar): void {
  scalar.type = 'QUOTE_DOUBLE';
}
