import { describe, expect, it } from 'vitest';
import { renderLine, renderTranscript, type TranscriptEntry } from '../../../src/agents/transcript.ts';

const ENTRIES: readonly TranscriptEntry[] = [
  { kind: 'said', text: 'I look around.\n' },
  { kind: 'thought', text: 'Where is it?\n\nThere.' },
  { kind: 'tool_use', name: 'Bash', input: 'ls \\\n  -la' },
  { kind: 'tool_result', text: 'a.txt\n', isError: false, durationMs: 1_250 },
  { kind: 'tool_result', text: '', isError: true, durationMs: null },
  { kind: 'notice', text: 'asks again' },
];

describe('a transcript', () => {
  it('is a page of what was said, which tools were used and what came back', () => {
    expect(renderTranscript(ENTRIES)).toBe(`I look around.

> Where is it?
>
> There.

**Bash**

\`\`\`text
ls \\
  -la
\`\`\`

done (1.3 s)

\`\`\`text
a.txt
\`\`\`

failed

*asks again*

`);
  });

  it('can be written entry by entry', () => {
    expect(ENTRIES.map((entry) => renderTranscript([entry])).join('')).toBe(renderTranscript(ENTRIES));
  });

  it('does not let fences of others end its own', () => {
    const page = renderTranscript([{ kind: 'tool_use', name: 'Write', input: 'a\n````js\nx\n````\n' }]);
    expect(page).toContain('`````text\na\n````js\nx\n````\n`````');
  });

  it('cuts what tools were given and gave, and says by how much', () => {
    const page = renderTranscript([
      { kind: 'tool_result', text: 'x'.repeat(5_000), isError: false, durationMs: null },
    ]);
    expect(page).toContain(`${'x'.repeat(2_000)}… (3000 more characters)`);
    expect(page.length).toBeLessThan(2_200);
  });

  it('is shown live with no line longer than a view can take', () => {
    const lines = renderLine({ kind: 'said', text: `${'x'.repeat(9_000)}\nand more` });
    expect(lines.map((line) => line.length < 2_100)).toEqual([true, true]);
    expect(lines[1]).toBe('and more');
  });

  it('leaves no half character where it cuts', () => {
    const [line = ''] = renderLine({ kind: 'notice', text: `${'x'.repeat(399)}😀 and more` });
    expect(line).not.toMatch(/[\uD800-\uDFFF]/);
  });
});

describe('a line for observers', () => {
  it.each([
    [0, ['I look around.']],
    [1, ['~ Where is it?', '~ ', '~ There.']],
    [2, ['> Bash ls \\ ⏎ -la']],
    [3, ['< done (1.3 s) a.txt']],
    [4, ['< failed']],
    [5, ['! asks again']],
  ])('of entry %i is %j', (index, lines) => {
    const entry = ENTRIES[index];
    expect(entry && renderLine(entry)).toEqual(lines);
  });
});
