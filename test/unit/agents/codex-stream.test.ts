import { describe, expect, it } from 'vitest';
import { codexStream, usageInRollout } from '../../../src/agents/codex-stream.ts';
import { foldAll } from './fold.ts';

const started = [{ type: 'thread.started', thread_id: 't-1' }, { type: 'turn.started' }];
const item = (type: 'started' | 'completed', fields: Record<string, unknown>) => ({
  type: `item.${type}`,
  item: fields,
});
const said = (text: string) => item('completed', { id: 'i', type: 'agent_message', text });
const completed = (input_tokens = 10, output_tokens = 2) => ({
  type: 'turn.completed',
  usage: { input_tokens, cached_input_tokens: 4, output_tokens },
});

describe('the stream of codex', () => {
  it('reports session, last message and usage of a successful run, and no cost', () => {
    const { report } = foldAll(codexStream, [...started, said('First.'), said('Done.'), completed()]);
    expect(report).toEqual({
      sessionId: 't-1',
      model: null,
      finalResponse: 'Done.',
      usage: { input_tokens: 10, output_tokens: 2 },
      problem: null,
    });
  });

  it('takes the newest use as the sum that it is', () => {
    const { report } = foldAll(codexStream, [
      ...started,
      completed(10, 2),
      { type: 'turn.started' },
      completed(25, 5),
    ]);
    expect(report.usage).toEqual({ input_tokens: 25, output_tokens: 5 });
  });

  it('becomes what was said and thought, the tools, and what came back after how long', () => {
    const run = {
      id: 'i1',
      type: 'command_execution',
      command: 'ls',
      aggregated_output: '',
      status: 'in_progress',
    };
    const change = {
      id: 'i2',
      type: 'file_change',
      changes: [{ path: 'a.txt', kind: 'add' }],
      status: 'completed',
    };
    const { entries } = foldAll(codexStream, [
      ...started,
      item('completed', { id: 'i0', type: 'reasoning', text: 'Hm.' }),
      item('started', run),
      item('completed', { ...run, aggregated_output: 'no\n', exit_code: 2, status: 'failed' }),
      item('completed', change),
      said('Done.'),
      completed(),
    ]);
    expect(entries).toEqual([
      { kind: 'thought', text: 'Hm.' },
      { kind: 'tool_use', name: 'shell', input: 'ls' },
      { kind: 'tool_result', text: 'no\n', isError: true, durationMs: 1_000 },
      { kind: 'tool_use', name: 'apply_patch', input: 'add a.txt' },
      { kind: 'tool_result', text: '', isError: false, durationMs: null },
      { kind: 'said', text: 'Done.' },
    ]);
  });

  const failure = 'unexpected status 401 Unauthorized: no key';
  it.each([
    ['nothing at all', [], 'ended without a result', null, 'no_result'],
    ['a turn without an end', [...started, said('Done.')], 'ended without a result', null, 'no_result'],
    [
      'a failed turn',
      [...started, { type: 'turn.failed', error: { message: failure } }],
      `failed: ${failure}`,
      401,
      null,
    ],
    [
      'an error and no end of the turn',
      [...started, { type: 'error', message: 'exceeded retry limit, last status: 429 Too Many Requests' }],
      'failed: exceeded retry limit, last status: 429 Too Many Requests',
      429,
      null,
    ],
    [
      'what the provider answered, as it came',
      [
        ...started,
        {
          type: 'turn.failed',
          error: { message: '{"error":{"message":"no","type":"invalid_request_error","code":null}}' },
        },
      ],
      'failed: no',
      400,
      'invalid_request_error',
    ],
    [
      'an error of the provider that says no more',
      [...started, { type: 'turn.failed', error: { message: 'We are currently experiencing high demand.' } }],
      'failed: We are currently experiencing high demand.',
      null,
      'overloaded',
    ],
    [
      'a failure that is no more than a word',
      [...started, { type: 'turn.failed', error: 'boom' }],
      'failed: boom',
      null,
      null,
    ],
    [
      'a later turn without an end',
      [...started, completed(), { type: 'turn.started' }],
      'ended without a result',
      null,
      'no_result',
    ],
  ])('reports %s', (_what, events, message, status, code) => {
    expect(foldAll(codexStream, events).report.problem).toMatchObject({
      message,
      status,
      code,
      deniedTools: [],
    });
  });

  it('keeps what the provider said of the end of a limit', () => {
    const refusal = '{"error":{"message":"no","code":"usage_limit_reached","resets_at":1800000000}}';
    const { report } = foldAll(codexStream, [
      ...started,
      { type: 'turn.failed', error: { message: refusal } },
    ]);
    expect(report.problem).toMatchObject({ code: 'usage_limit_reached', resets: refusal });
  });

  it.each([
    [{ input_tokens: 7 }, { input_tokens: 7, output_tokens: 0 }],
    [{}, null],
    [null, null],
  ])('reads %j as the use %j', (usage, expected) => {
    expect(foldAll(codexStream, [...started, { type: 'turn.completed', usage }]).report.usage).toEqual(
      expected,
    );
  });

  it('shows what the tools of a server gave back', () => {
    const call = { id: 'm', type: 'mcp_tool_call', server: 'docs', tool: 'find', arguments: { q: 'x' } };
    const content = [
      { type: 'text', text: 'two' },
      { type: 'text', text: 'pages' },
    ];
    const { entries } = foldAll(codexStream, [
      item('completed', { ...call, result: { content }, status: 'completed' }),
      item('completed', { ...call, error: { message: 'no such page' }, status: 'failed' }),
      item('completed', { id: 'r', type: 'reasoning', text: ' ' }),
    ]);
    const use = { kind: 'tool_use', name: 'docs.find', input: '{"q":"x"}' };
    expect(entries).toEqual([
      use,
      { kind: 'tool_result', text: 'two\npages', isError: false, durationMs: null },
      use,
      { kind: 'tool_result', text: 'no such page', isError: true, durationMs: null },
    ]);
  });

  it('shows tools that it does not know by their names', () => {
    const leap = { id: 'q', type: 'quantum_leap' };
    const { entries } = foldAll(codexStream, [
      item('started', { id: 'r', type: 'reasoning', text: '' }),
      item('started', leap),
      item('completed', leap),
    ]);
    expect(entries).toEqual([
      { kind: 'tool_use', name: 'quantum_leap', input: '' },
      { kind: 'tool_result', text: '', isError: false, durationMs: 1_000 },
    ]);
  });

  it('keeps its last message when an empty one follows', () => {
    expect(foldAll(codexStream, [...started, said('Done.'), said('')]).report.finalResponse).toBe('Done.');
  });

  it('forgives an error that the turn got over', () => {
    const again = { type: 'error', message: 'Reconnecting... 1/5' };
    const { report, entries } = foldAll(codexStream, [...started, again, said('Done.'), completed()]);
    expect(report.problem).toBeNull();
    expect(entries[0]).toEqual({ kind: 'notice', text: 'Reconnecting... 1/5' });
  });

  it('ignores events of any other form', () => {
    const odd = [
      null,
      1,
      'x',
      [],
      {},
      { type: 1 },
      { type: 'item.completed' },
      { type: 'item.completed', item: { id: 1 } },
    ];
    expect(foldAll(codexStream, [...started, ...odd, completed()]).report.problem).toBeNull();
  });
});

describe('the file of a session', () => {
  const total = { input_tokens: 7, output_tokens: 2 };
  const record = { type: 'token_usage_record', payload: { thread_token_usage: total } };
  const count = (input_tokens: number) => ({
    type: 'event_msg',
    payload: { type: 'token_count', info: { total_token_usage: { input_tokens, output_tokens: 1 } } },
  });

  it.each([
    ['the newest count', [count(1), record], total],
    ['a count of an older version', [count(1), count(3)], { input_tokens: 3, output_tokens: 1 }],
    ['no count', [{ type: 'session_meta', payload: {} }], null],
    [
      'a count without numbers',
      [count(1), { type: 'event_msg', payload: { type: 'token_count', info: null } }],
      { input_tokens: 1, output_tokens: 1 },
    ],
  ])('says what the session used by %s', (_what, events, expected) => {
    expect(usageInRollout([...events.map((event) => JSON.stringify(event)), '{"torn', ''])).toEqual(expected);
  });
});
