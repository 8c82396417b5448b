import { describe, expect, it } from 'vitest';
import { BEGUN, ended, foldSession, textChunk, update } from './acp-scene.ts';

const reported = (...messages: readonly unknown[]) =>
  foldSession([...BEGUN, ...messages, ended()]).entries.slice(1);
const tool = (fields: Record<string, unknown>, kind = 'tool_call_update') =>
  update(kind, { toolCallId: 't1', ...fields });

describe('messages', () => {
  it('are reported when they are complete', () => {
    expect(
      reported(
        textChunk('One '),
        textChunk('word.'),
        textChunk('Hm', 'agent_thought_chunk'),
        textChunk('Two.'),
      ),
    ).toEqual([
      { kind: 'said', text: 'One word.' },
      { kind: 'thought', text: 'Hm' },
      { kind: 'said', text: 'Two.' },
    ]);
  });

  it('of another id are separate', () => {
    const chunk = (text: string, messageId: string) =>
      update('agent_message_chunk', { messageId, content: { type: 'text', text } });
    const { state, entries } = foldSession([
      ...BEGUN,
      chunk('a', '1'),
      chunk('b', '1'),
      chunk('c', '2'),
      ended(),
    ]);
    expect(entries.slice(1)).toEqual([
      { kind: 'said', text: 'ab' },
      { kind: 'said', text: 'c' },
    ]);
    expect(state.activity.lastMessage).toBe('c');
  });

  it('that are empty, or pictures, are not reported', () => {
    expect(
      reported(
        textChunk(''),
        textChunk('  \n'),
        update('agent_message_chunk', { content: { type: 'image' } }),
      ),
    ).toEqual([]);
  });

  it('without end are activity to a limit', () => {
    const { state } = foldSession([
      ...BEGUN,
      ...Array<unknown>(40).fill(textChunk('x'.repeat(100_000))),
      ended(),
    ]);
    expect(state.activity.lastMessage.length).toBeLessThan(1_200_000);
  });
});

describe('a tool', () => {
  it('is reported when its subject is known, and again when it ends, with its duration', () => {
    expect(
      reported(
        tool({ title: 'Terminal', kind: 'execute', rawInput: {}, status: 'pending' }, 'tool_call'),
        tool({ title: 'npm test', rawInput: { command: 'npm test' } }),
        tool({ status: 'in_progress' }),
        tool({
          status: 'failed',
          content: [{ type: 'content', content: { type: 'text', text: '1 failed' } }],
        }),
      ),
    ).toEqual([
      { kind: 'tool_use', name: 'execute', input: 'npm test' },
      { kind: 'tool_result', text: '1 failed', isError: true, durationMs: 3_000 },
    ]);
  });

  it.each([
    ['a difference', { content: [{ type: 'diff', path: 'a.txt', newText: 'x' }] }, 'changed a.txt'],
    ['its output', { rawOutput: 'fine' }, 'fine'],
    ['its output as a value', { rawOutput: { code: 0 } }, '{"code":0}'],
    ['nothing', {}, ''],
  ])('that is only reported at its end has %s and no duration', (_, fields, text) => {
    const [use, result] = reported(
      tool({ title: 'Write', kind: 'edit', status: 'completed', ...fields }, 'tool_call'),
    );
    expect(use).toMatchObject({ kind: 'tool_use', name: 'edit' });
    expect(result).toEqual({ kind: 'tool_result', text, isError: false, durationMs: null });
  });

  it('with a very long result is shortened', () => {
    const [, result] = reported(
      tool({ title: 'cat', kind: 'read', status: 'completed', rawOutput: 'x'.repeat(1e6) }),
    );
    expect(JSON.stringify(result).length).toBeLessThan(5_000);
  });

  it('that never ends uses a limited amount of memory', () => {
    const calls = Array.from({ length: 2_000 }, (_, index) =>
      update('tool_call', { toolCallId: `t${index}`, title: 'x', kind: 'read', rawInput: { path: 'y' } }),
    );
    expect(Object.keys(foldSession([...BEGUN, ...calls]).state.activity.tools)).toHaveLength(256);
  });

  it('with fields that do not fit is still reported', () => {
    expect(
      reported(tool({ title: 7, kind: null, content: 'x', locations: {}, status: 'completed' })),
    ).toHaveLength(2);
  });
});

describe('what else an agent reports', () => {
  it('is its plan and its mode', () => {
    const entries = [
      { content: 'look', status: 'completed', priority: 'high' },
      { content: 'do', status: 'pending', priority: 'high' },
    ];
    expect(
      reported(update('plan', { entries }), update('current_mode_update', { currentModeId: 'plan' })),
    ).toEqual([
      { kind: 'notice', text: 'plan\n✓ look\n· do' },
      { kind: 'notice', text: 'mode: plan' },
    ]);
  });
});

describe('what a turn used', () => {
  const counted = (inputTokens: number, outputTokens: number) =>
    update('agent_message_chunk', {
      content: { type: 'text', text: '' },
      _meta: { usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } },
    });
  const cost = (amount: number, currency = 'USD') =>
    update('usage_update', { used: 9, size: 10, cost: { amount, currency } });
  const usageAfter = (...messages: readonly unknown[]) => foldSession([...BEGUN, ...messages]).state.usage;

  it.each([
    ['is unknown where nobody tells', [ended()], null],
    [
      'is what the end of the turn says',
      [ended('end_turn', { inputTokens: 30, outputTokens: 5, totalTokens: 35 })],
      { input_tokens: 30, output_tokens: 5 },
    ],
    [
      'is what Gemini calls a quota',
      [
        {
          id: 4,
          result: {
            stopReason: 'end_turn',
            _meta: { quota: { token_count: { input_tokens: 30, output_tokens: 5 } } },
          },
        },
      ],
      { input_tokens: 30, output_tokens: 5 },
    ],
    [
      'counts what came from a cache',
      [ended('end_turn', { inputTokens: 30, outputTokens: 5, totalTokens: 135, cachedReadTokens: 100 })],
      { input_tokens: 130, output_tokens: 5 },
    ],
    [
      'is summed up from single answers',
      [counted(10, 1), counted(20, 2), ended()],
      { input_tokens: 30, output_tokens: 3 },
    ],
    ['is known while the turn lasts', [counted(10, 1)], { input_tokens: 10, output_tokens: 1 }],
    ['has the newest cost', [cost(0.1), cost(0.3), ended()], { cost_usd: 0.3 }],
    ['has no cost in another currency', [cost(3, 'EUR'), ended()], null],
  ])('%s', (_, messages, usage) => {
    expect(usageAfter(...messages)).toEqual(usage);
  });
});
