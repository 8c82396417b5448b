import { describe, expect, it } from 'vitest';
import { claudeStream } from '../../../src/agents/claude-stream.ts';
import { foldAll } from './fold.ts';

const init = { type: 'system', subtype: 'init', session_id: 's-1', model: 'claude-x' };

function answer(id: string, ...content: readonly unknown[]) {
  const usage = { input_tokens: 100, cache_read_input_tokens: 20, output_tokens: 1 };
  return { type: 'assistant', session_id: 's-1', message: { id, content, usage }, parent_tool_use_id: null };
}
const text = (body: string) => ({ type: 'text', text: body });
const bash = (id: string, command: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command } });
const back = (id: string, content: unknown, isError = false) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: isError }] },
});

function result(change: Record<string, unknown> = {}) {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    api_error_status: null,
    result: 'Done.',
    total_cost_usd: 0.5,
    usage: {
      input_tokens: 200,
      cache_creation_input_tokens: 5,
      cache_read_input_tokens: 40,
      output_tokens: 30,
    },
    permission_denials: [],
    session_id: 's-1',
    ...change,
  };
}

describe('the stream of claude', () => {
  it('reports session, model, last message and usage of a successful run', () => {
    const { report } = foldAll(claudeStream, [init, answer('m1', text('Working.')), result()]);
    expect(report).toEqual({
      sessionId: 's-1',
      model: 'claude-x',
      finalResponse: 'Done.',
      usage: { input_tokens: 245, output_tokens: 30, cost_usd: 0.5 },
      problem: null,
    });
  });

  it('becomes what was said and thought, the tools, and what came back after how long', () => {
    const { entries } = foldAll(claudeStream, [
      init,
      answer('m1', { type: 'thinking', thinking: 'Hm.' }, text('I look.'), bash('t1', 'ls')),
      { type: 'unheard_of', session_id: 's-1' },
      back('t1', [{ type: 'text', text: 'a.txt' }, { type: 'image' }]),
      answer('m2', bash('t2', 'false')),
      back('t2', 'it failed', true),
      back('never-begun', 'late'),
    ]);
    expect(entries).toEqual([
      { kind: 'thought', text: 'Hm.' },
      { kind: 'said', text: 'I look.' },
      { kind: 'tool_use', name: 'Bash', input: 'ls' },
      { kind: 'tool_result', text: 'a.txt\n[image]', isError: false, durationMs: 2_000 },
      { kind: 'tool_use', name: 'Bash', input: 'false' },
      { kind: 'tool_result', text: 'it failed', isError: true, durationMs: 1_000 },
      { kind: 'tool_result', text: 'late', isError: false, durationMs: null },
    ]);
  });

  it.each([
    ['a command', { command: 'ls', description: 'lists' }, 'ls'],
    ['a file', { file_path: '/w/a.ts', content: 'x' }, '/w/a.ts'],
    ['nothing that is known', { depth: 3 }, '{"depth":3}'],
  ])('shows of a tool that is given %s the part that matters', (_what, input, shown) => {
    const { entries } = foldAll(claudeStream, [
      answer('m1', { type: 'tool_use', id: 't', name: 'Tool', input }),
    ]);
    expect(entries).toEqual([{ kind: 'tool_use', name: 'Tool', input: shown }]);
  });

  it('counts each answer once before the end, however many parts it comes in', () => {
    const { report } = foldAll(claudeStream, [
      answer('m1', text('one')),
      answer('m1', bash('t1', 'ls')),
      answer('m2', text('two')),
    ]);
    expect(report.usage).toEqual({ input_tokens: 240, output_tokens: 2 });
  });

  it.each([
    [
      'the tokens of all turns and the newest cost',
      [result(), result({ total_cost_usd: 0.75 })],
      490,
      60,
      0.75,
    ],
    ['what was said since the last result', [result(), answer('m9', text('more'))], 365, 31, 0.5],
    ['a cost without tokens', [result({ usage: null })], undefined, undefined, 0.5],
    ['tokens without a cost', [result({ total_cost_usd: null })], 245, 30, undefined],
    ['nothing where there is no number', [result({ usage: {}, total_cost_usd: null })], null, null, null],
  ])('counts %s', (_what, events, input_tokens, output_tokens, cost_usd) => {
    const expected = input_tokens === null ? null : { input_tokens, output_tokens, cost_usd };
    expect(foldAll(claudeStream, events).report.usage).toEqual(expected);
  });

  it.each([
    ['in spite of denials that are not listed', { permission_denials: null }],
    ['by its kind alone', { is_error: undefined }],
  ])('reports success %s', (_how, change) => {
    expect(foldAll(claudeStream, [result(change)]).report.problem).toBeNull();
  });

  it('takes the final message of the agent, not of its helper, where there is no result', () => {
    const helper = { ...answer('m2', text('helper')), parent_tool_use_id: 't1' };
    const { report } = foldAll(claudeStream, [answer('m1', text('mine')), helper]);
    expect(report.finalResponse).toBe('mine');
  });

  it.each([
    ['no result', [init, answer('m1', text('Working.'))], 'ended without a result', null, 'no_result', []],
    [
      'a failure of the API that calls itself a success',
      [
        { ...answer('m1', text('API Error')), error: 'rate_limit' },
        result({ is_error: true, api_error_status: 429, result: 'API Error: 429' }),
      ],
      'failed: API Error: 429',
      429,
      'rate_limit',
      [],
    ],
    [
      'too many turns',
      [result({ is_error: true, subtype: 'error_max_turns', result: undefined, errors: ['over 3 turns'] })],
      'failed: over 3 turns',
      null,
      'error_max_turns',
      [],
    ],
    [
      'a status that is in words alone',
      [result({ is_error: true, result: 'API Error: 401 {"type":"error"}' })],
      'failed: API Error: 401 {"type":"error"}',
      401,
      null,
      [],
    ],
    [
      'a kind of result that is an error, although it does not say so',
      [result({ subtype: 'error_during_execution', result: undefined })],
      'failed: error_during_execution',
      null,
      'error_during_execution',
      [],
    ],
    [
      'a failure after a result that was none',
      [result(), result({ is_error: true, result: 'gone' })],
      'failed: gone',
      null,
      null,
      [],
    ],
    [
      'refused tools that it does not name',
      [result({ permission_denials: [{ tool_name: 'Bash' }, 'Write', {}] })],
      'was refused tools: Bash, a tool',
      null,
      'refused_tool',
      ['Bash', 'a tool'],
    ],
    [
      'refused tools, although it calls itself a success',
      [
        result({
          permission_denials: [{ tool_name: 'Bash' }, { tool_name: 'Write' }, { tool_name: 'Bash' }],
        }),
      ],
      'was refused tools: Bash, Write',
      null,
      'refused_tool',
      ['Bash', 'Write'],
    ],
    [
      'a result in another form',
      [{ type: 'result', is_error: 'no' }],
      'ended without a result',
      null,
      'no_result',
      [],
    ],
  ])('reports %s', (_what, events, message, status, code, deniedTools) => {
    expect(foldAll(claudeStream, events).report.problem).toEqual({
      message,
      status,
      code,
      resets: null,
      deniedTools,
    });
  });

  it('knows when a limit of the account ends', () => {
    const limit = {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', resetsAt: 1_800_000_000 },
    };
    const { report } = foldAll(claudeStream, [limit, result({ is_error: true, result: 'limit reached' })]);
    expect(report.problem).toMatchObject({ resets: '1800000000', code: 'usage_limit_reached' });
    const warned = { ...limit, rate_limit_info: { status: 'allowed_warning', resetsAt: 1 } };
    expect(foldAll(claudeStream, [warned, result({ is_error: true })]).report.problem?.resets).toBeNull();
  });

  it('ignores events of any other form', () => {
    const odd = [
      null,
      1,
      'x',
      [],
      {},
      { type: 1 },
      { type: 'assistant' },
      { type: 'user', message: { content: [1] } },
    ];
    expect(foldAll(claudeStream, [...odd, result()]).report.problem).toBeNull();
  });
});
