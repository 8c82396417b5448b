import { describe, expect, it } from 'vitest';
import { createJsonLineSplitter } from '../../../src/adapters/agents/json-lines.ts';

function read(chunks: readonly (string | Buffer)[], limit?: number) {
  const values: unknown[] = [];
  const noise: string[] = [];
  const tooLong: number[] = [];
  const lines = createJsonLineSplitter(
    {
      onValue: (value) => values.push(value),
      onText: (text) => noise.push(text),
      onTooLong: (n) => tooLong.push(n),
    },
    limit,
  );
  for (const chunk of chunks) lines.push(Buffer.from(chunk));
  lines.end();
  return { values, noise, tooLong };
}

describe('lines of JSON', () => {
  it('are values, wherever the pieces of the stream begin and end', () => {
    const text = '{"a":"ä😀"}\r\n\n[1]\n"x"\n';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(read(chunks)).toEqual({ values: [{ a: 'ä😀' }, [1], 'x'], noise: [], tooLong: [] });
    }
  });

  it.each([
    ['words', 'Warning: odd\n{"a":1}\n', ['Warning: odd'], [{ a: 1 }]],
    ['half a line at the end', '{"a":1}\n{"type":"res', ['{"type":"res'], [{ a: 1 }]],
    ['a NUL', '\0{"a":1}\n{"a":2}\n', ['\uFFFD{"a":1}'], [{ a: 2 }]],
    ['a whole line without its end', '{"a":1}', [], [{ a: 1 }]],
  ])('with %s among them are still read', (_what, text, noise, values) => {
    expect(read([text])).toEqual({ values, noise, tooLong: [] });
  });

  it('that are too long are counted and passed over', () => {
    const long = `"${'x'.repeat(100)}"`;
    expect(read([long.slice(0, 50), `${long.slice(50)}\n{"a":1}\n`], 64)).toEqual({
      values: [{ a: 1 }],
      noise: [],
      tooLong: [102],
    });
  });
});
