import { describe, expect, it } from 'vitest';
import { readMarkdown } from '../../../harness/docs/markdown-page.ts';

const PAGE = `# Title & more

A [link](a.md#x), an ![image](b.png), [one by name][r] and <https://example.invalid/>.

| table | [cell](c.md) |
| --- | --- |

\`[not a link](d.md)\`

## Use \`code\` here
## Again
## Again
<a id="by-hand"></a>

\`\`\`sh
echo [no](link.md)
\`\`\`

- in a list:

  \`\`\`js title
  run();
  \`\`\`

\`\`\`sh no-run
rm -r everything
\`\`\`

\`\`\`
plain
\`\`\`

[r]: r.md
`;

describe('a Markdown page', () => {
  const page = readMarkdown(PAGE);

  it('has the links that are links, with their lines', () => {
    expect(page.links).toEqual([
      { target: 'a.md#x', line: 3 },
      { target: 'b.png', line: 3 },
      { target: 'https://example.invalid/', line: 3 },
      { target: 'c.md', line: 5 },
      { target: 'r.md', line: 33 },
    ]);
  });

  it('has the anchors of its headings, numbered if they repeat, and explicit ones', () => {
    expect([...page.anchors]).toEqual(['title--more', 'use-code-here', 'again', 'again-1', 'by-hand']);
  });

  it('has the examples that have a language and may be run', () => {
    expect(page.examples).toEqual([
      { language: 'sh', code: 'echo [no](link.md)', line: 15 },
      { language: 'js', code: 'run();', line: 21 },
    ]);
  });
});
