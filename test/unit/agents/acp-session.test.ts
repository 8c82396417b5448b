import { describe, expect, it } from 'vitest';
import { cancelTurn, foldMessage } from '../../../src/agents/acp/acp-session.ts';
import { readMessage } from '../../../src/agents/acp/json-rpc.ts';
import { policyOf } from '../policy/policy-builder.ts';
import {
  BEGUN,
  ended,
  foldSession,
  GREETING,
  OPENED,
  question,
  SESSION,
  SETTINGS,
  textChunk,
  update,
} from './acp-scene.ts';

describe('a session', () => {
  it('is opened, gets one prompt, and offers neither files nor terminals', () => {
    const { said } = foldSession(BEGUN);
    expect(said).toMatchObject([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: 1,
          clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        },
      },
      { id: 2, method: 'session/new', params: { cwd: '/w', mcpServers: [] } },
      {
        id: 4,
        method: 'session/prompt',
        params: { sessionId: SESSION, prompt: [{ type: 'text', text: 'do it' }] },
      },
    ]);
  });

  it('ends when the prompt is answered', () => {
    const { state } = foldSession([...BEGUN, textChunk('Done.'), ended()]);
    expect(state.end).toEqual({ kind: 'turn_ended', stopReason: 'end_turn' });
    expect(state.activity.lastMessage).toBe('Done.');
    expect(state).toMatchObject({ agent: 'tester 2.0', mode: 'default', sessionId: SESSION });
  });

  it.each([
    ['another version', [{ id: 1, result: { protocolVersion: 2 } }], 'speaks version 2 of ACP'],
    ['no version', [{ id: 1, result: {} }], 'without saying which version'],
    ['no session', [GREETING, { id: 2, result: {} }], 'opened a session without an id'],
    ['no reason', [...BEGUN, { id: 4, result: null }], 'ended its turn without saying why'],
  ])('fails with %s', (_, messages, message) => {
    expect(foldSession(messages).state.end).toMatchObject({
      kind: 'unfit',
      message: expect.stringContaining(message),
    });
  });

  it('fails with the error of whichever request is open', () => {
    const error = { code: -32_000, message: 'Authentication required' };
    expect(foldSession([GREETING, { id: 2, error }]).state.end).toMatchObject({
      kind: 'failed',
      phase: 'session/new',
      error,
    });
  });

  it('takes no answer to what was not asked, and none twice', () => {
    const { state, said } = foldSession([
      { id: 4, result: {} },
      GREETING,
      GREETING,
      { id: 99, error: { code: 1 } },
    ]);
    expect(state).toMatchObject({ phase: 'session/new', end: null });
    expect(said).toHaveLength(2);
  });

  it('can be called off only while its turn lasts', () => {
    const wish = { method: 'session/cancel', params: { sessionId: SESSION } };
    expect(cancelTurn(foldSession([GREETING]).state).send).toEqual([]);
    expect(cancelTurn(foldSession(BEGUN).state).send.map((line) => JSON.parse(line))).toMatchObject([wish]);
    expect(cancelTurn(foldSession([...BEGUN, ended()]).state).send).toEqual([]);
  });

  it('allows nothing any more once it was called off', () => {
    const begun = foldSession(BEGUN);
    const asked = readMessage(question({ kind: 'read', title: 'Look' }));
    if (asked === null) throw new Error('not a message');
    const { state, send: say } = foldMessage(cancelTurn(begun.state).state, SETTINGS, asked, 0);
    expect(say.map((line) => JSON.parse(line))).toMatchObject([
      { id: 'q1', result: { outcome: { outcome: 'cancelled' } } },
    ]);
    expect(state).toMatchObject({ end: null, answers: { allowed: 0 } });
  });
});

describe('the model of a session', () => {
  const option = { id: 'model', category: 'model', type: 'select', currentValue: 'small' };

  it.each([
    [
      'as an option',
      { configOptions: [option] },
      'session/set_config_option',
      { configId: 'model', value: 'big' },
    ],
    ['as a model', { models: { currentModelId: 'small' } }, 'session/set_model', { modelId: 'big' }],
  ])('is set before the prompt %s', (_, offered, method, params) => {
    const opened = { id: 2, result: { sessionId: SESSION, ...offered } };
    const { said, state } = foldSession([GREETING, opened, { id: 3, result: {} }], { model: 'big' });
    expect(said.slice(2)).toMatchObject([
      { id: 3, method, params: { sessionId: SESSION, ...params } },
      { id: 4, method: 'session/prompt' },
    ]);
    expect(state.model).toBe('big');
  });

  it('is left alone where it is already that one, or where none is asked for', () => {
    const opened = { id: 2, result: { sessionId: SESSION, configOptions: [option] } };
    for (const model of ['small', null])
      expect(foldSession([GREETING, opened], { model }).said.at(-1)).toMatchObject({
        method: 'session/prompt',
      });
  });

  it("is not passed over in silence where it can't be chosen", () => {
    expect(foldSession(BEGUN, { model: 'big' }).state.end).toEqual({
      kind: 'unfit',
      message: 'offers no choice of a model, and big is asked for',
    });
  });
});

describe('a question of the agent', () => {
  it('is answered by what the call has reported before', () => {
    const { said, state, entries } = foldSession([
      ...BEGUN,
      update('tool_call', { toolCallId: 't1', title: 'Edit', kind: 'edit', locations: [{ path: '/etc/x' }] }),
      question({}),
    ]);
    expect(said.at(-1)).toMatchObject({
      id: 'q1',
      result: { outcome: { outcome: 'selected', optionId: 'reject_once' } },
    });
    expect(state.answers).toMatchObject({ allowed: 0, refused: 1, denied: [{ subject: 'Edit' }] });
    expect(entries.at(-1)).toEqual({
      kind: 'notice',
      text: 'refused: Edit: outside_workspace: /etc/x: /etc/x is outside the workspace',
    });
  });

  it('is in the transcript with its answer', () => {
    const { entries, state } = foldSession([
      ...BEGUN,
      question({ title: 'ls', kind: 'execute', rawInput: { command: 'ls' } }, 0),
    ]);
    expect(entries.slice(1)).toEqual([
      { kind: 'tool_use', name: 'execute', input: 'ls' },
      { kind: 'notice', text: 'allowed: ls: the policy lets the command through' },
    ]);
    expect(state.answers.allowed).toBe(1);
  });

  it('that only a user can answer is cancelled, and so is the turn', () => {
    const { said, state } = foldSession([...BEGUN, question({ title: 'Deploy', kind: 'other' })]);
    expect(said.slice(-2)).toMatchObject([
      { id: 'q1', result: { outcome: { outcome: 'cancelled' } } },
      { method: 'session/cancel' },
    ]);
    expect(state.end).toMatchObject({ kind: 'prompted', message: expect.stringContaining('Deploy') });
  });

  it('is answered only a limited number of times', () => {
    const ask = question({ title: 'ls', kind: 'execute', rawInput: { command: 'ls' } });
    const { state } = foldSession([...BEGUN, ...Array<unknown>(2_001).fill(ask)]);
    expect(state.answers.allowed).toBe(2_000);
    expect(state.end).toMatchObject({ kind: 'unfit' });
  });

  it('is turned down where it is none, or about something that is not offered', () => {
    const { said, entries } = foldSession(
      [
        ...BEGUN,
        { id: 7, method: 'session/request_permission', params: {} },
        { id: 8, method: 'fs/write_text_file', params: { path: '/etc/passwd', content: '' } },
      ],
      { policy: policyOf({ approval: 'bounded_auto_approve' }) },
    );
    expect(said.slice(-2)).toMatchObject([
      { id: 7, error: { code: -32_602 } },
      { id: 8, error: { code: -32_601 } },
    ]);
    expect(entries.at(-1)).toMatchObject({
      kind: 'notice',
      text: expect.stringContaining('fs/write_text_file'),
    });
  });
});

describe('a value on the stream', () => {
  it.each([
    ['a request', { id: 'a', method: 'x' }, 'request'],
    ['a notification', { method: 'x', params: 1 }, 'notification'],
    ['a notification with an empty id', { id: null, method: 'x' }, 'notification'],
    ['a result', { id: 0, result: null }, 'result'],
    ['an error', { id: 0, error: { code: 1, message: 'm' } }, 'error'],
    ['an error that is only half of one', { error: {} }, 'error'],
  ])('is %s', (_, value, kind) => {
    expect(readMessage(value)?.kind).toBe(kind);
  });

  it.each([[{}], [{ id: 1 }], [[]], ['text'], [null], [{ id: {}, result: 1 }]])(
    'is no message: %j',
    (value) => {
      expect(readMessage(value)).toBeNull();
    },
  );

  it('of an unknown kind is ignored', () => {
    const { state } = foldSession([
      ...BEGUN,
      update('a_kind_of_the_future', { anything: 1 }),
      { method: 'session/update', params: 7 },
      { method: '_vendor/x', params: {} },
      OPENED,
    ]);
    expect(state).toMatchObject({ phase: 'session/prompt', end: null });
  });
});

describe('a session that continues another', () => {
  const settings = { resume: { id: SESSION, prompt: 'only this is new' } };
  const LOADS = {
    ...GREETING,
    result: { ...GREETING.result, agentCapabilities: { loadSession: true } },
  };
  const cost = (amount: number) => update('usage_update', { cost: { amount, currency: 'USD' } });
  const promptOf = (said: readonly { readonly [key: string]: unknown }[]) => said.at(-1)?.params;

  it('is loaded, gets only what is new, and hears nothing of what is repeated', () => {
    const repeated = [textChunk('I wrote it long ago.'), cost(2)];
    const { state, said, entries } = foldSession(
      [LOADS, ...repeated, { id: 5, result: null }, textChunk('Done.'), cost(3.5), ended()],
      settings,
    );
    expect(said.map(({ method }) => method)).toEqual(['initialize', 'session/load', 'session/prompt']);
    expect(said[1]?.params).toEqual({ sessionId: SESSION, cwd: '/w', mcpServers: [] });
    expect(promptOf(said)).toEqual({
      sessionId: SESSION,
      prompt: [{ type: 'text', text: 'only this is new' }],
    });
    expect(entries.map((entry) => ('text' in entry ? entry.text : ''))).toEqual(['tester 2.0', 'Done.']);
    expect(state).toMatchObject({ isResumed: true, lost: null, usage: { cost_usd: 1.5 } });
  });

  it.each([
    ['offers no way to', [GREETING], 'the agent offers no session/load'],
    [
      'knows nothing of it',
      [LOADS, { id: 5, error: { code: -32_002, message: 'unknown session' } }],
      'unknown session',
    ],
  ])('is a fresh one with the whole prompt if the agent %s', (_, messages, lost) => {
    const { state, said } = foldSession([...messages, OPENED], settings);
    expect(said.at(-2)).toMatchObject({ id: 2, method: 'session/new' });
    expect(promptOf(said)).toMatchObject({ prompt: [{ type: 'text', text: 'do it' }] });
    expect(state).toMatchObject({ isResumed: false, lost });
  });
});
