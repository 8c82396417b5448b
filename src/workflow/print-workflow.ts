import { Document, isScalar, type Scalar, visit } from 'yaml';

/**
 * A workflow document as the text of a file: block style, keys in the order they have, no anchors, and no line broken
 * that was not broken before. Reading it gives the same document again.
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

/** A line of white space alone, beside another one. The block style would lose count of its spaces. */
const BLANK_LINE = /(?:^|\n)[ \t]+\n|\n[ \t]+$/;

/** Without quotes the text would be read as something else: `<<` as a merge key, blank lines as shorter ones. */
function quote(scalar: Scalar): void {
  scalar.type = 'QUOTE_DOUBLE';
}
