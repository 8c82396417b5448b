import { describe, expect, it } from 'vitest';
import type { AcpSettings } from '../../../src/agents/acp/acp-session.ts';
import { acpVerdict, type EndedProcess } from '../../../src/agents/acp/acp-verdict.ts';
import { classifyFailure } from '../../../src/agents/failure.ts';
import type { ProcessEnd } from '../../../src/contracts/run/process-end.ts';
import { policyOf } from '../policy/policy-builder.ts';
import { BEGUN, ended, foldSession, GREETING, question, textChunk } from './acp-scene.ts';

const FINE: ProcessEnd = { kind: 'exited', exitCode: 0 };
const LIMITS = { timeoutMs: 60_000, idleTimeoutMs: 30_000 };

function ranTo(change: Partial<EndedProcess>): EndedProcess {
  return { end: FINE, stderr: { lastLine: 'last words' }, stopped: null, hasWorked: false, ...change };
}

function verdict(messages: readonly unknown[], end = FINE, settings: Partial<AcpSettings> = {}) {
  const { state } = foldSession(messages, settings);
  const { termination, reason, traces } = acpVerdict(state, ranTo({ end }), LIMITS);
  const failure = traces === null ? null : classifyFailure(traces, end);
  return { termination, reason, class: failure?.class ?? null };
}

describe('an agent has done its work', () => {
  it.each<[string, ProcessEnd]>([
    ['and goes', FINE],
    ['and has to be signalled to exit', { kind: 'cancelled' }],
    ['and crashes on its way out', { kind: 'signalled', signal: 'SIGSEGV' }],
    ['and exits with a number', { kind: 'exited', exitCode: 3 }],
  ])('when its turn has ended %s', (_, end) => {
    expect(verdict([...BEGUN, textChunk('Done.'), ended()], end)).toEqual({
      termination: 'completed',
      reason: null,
      class: null,
    });
  });
});

describe('an agent that ends its turn without a message', () => {
  it('has done its work where it changed a file', () => {
    const { state } = foldSession([...BEGUN, ended()]);
    expect(acpVerdict(state, ranTo({ hasWorked: true }), LIMITS)).toMatchObject({ termination: 'completed' });
  });
});

describe('an agent has failed', () => {
  it.each<[string, unknown, string, string]>([
    ['at the limit of its model', ended('max_tokens'), 'no_result', 'token limit'],
    ['at its own limit', ended('max_turn_requests'), 'no_result', 'limit of requests'],
    ['when the model refuses', ended('refusal'), 'no_result', 'the model refused'],
    ['when it cancels its own turn', ended('cancelled'), 'no_result', 'cancelled its turn'],
    ['for a reason of the future', ended('toString'), 'no_result', 'ended its turn with toString'],
    ['without a message', ended(), 'no_result', 'without a message'],
  ])('%s', (_, message, kind, expected) => {
    const result = verdict([...BEGUN, message]);
    expect(result).toMatchObject({ termination: 'error', class: kind });
    expect(result.reason).toContain(expected);
  });

  const failed = (code: number, message: string, data?: unknown) => ({
    id: 4,
    error: { code, message, data },
  });
  it.each<[string, unknown, string]>([
    ['a login', { id: 4, error: { code: -32_000, message: 'Authentication required' } }, 'authentication'],
    [
      'claude and 401',
      failed(-32_603, 'Internal error: Failed to authenticate. API Error: 401 x', {
        errorKind: 'authentication_failed',
      }),
      'authentication',
    ],
    [
      'claude and 429',
      failed(-32_603, 'Internal error: API Error: Request rejected (429) · x', { errorKind: 'rate_limit' }),
      'rate_limited',
    ],
    [
      'claude and 500',
      failed(-32_603, 'Internal error: API Error: 500 x', { errorKind: 'server_error' }),
      'network',
    ],
    ['qwen and 401', failed(-32_603, 'Internal error', { details: '401 x' }), 'authentication'],
    ['gemini and 503', failed(503, '{"error":{"message":"x"}}'), 'overloaded'],
    ['a status in its data', failed(-32_603, 'x', { statusCode: 529 }), 'overloaded'],
    ['nothing in particular', failed(-32_603, 'Internal error'), 'no_result'],
  ])('by an error of %s', (_, message, kind) => {
    expect(verdict([...BEGUN, message])).toMatchObject({ termination: 'error', class: kind });
  });

  it.each([
    ['[API Error: 429 too many]', 'rate_limited'],
    ['Error: Authentication failed with provider at x (HTTP 401).\n  Check your key.', 'authentication'],
    ['Info: Request failed due to x. Retrying...Error: x (HTTP 500)', 'network'],
  ])('when its message describes a failure of its provider: %s', (text, kind) => {
    expect(verdict([...BEGUN, textChunk(text), ended()])).toMatchObject({
      termination: 'error',
      class: kind,
    });
  });

  it('and what it says over and over is no riddle', () => {
    const text = 'Info: Request failed due to x. Retrying...'.repeat(20_000);
    expect(verdict([...BEGUN, textChunk(text), ended()]).termination).toBe('completed');
  });

  it.each(['The server answers Error: x (HTTP 500) now.', 'Error: is what it printed.'])(
    'but not when it speaks of an error: %s',
    (text) => {
      expect(verdict([...BEGUN, textChunk(text), ended()]).termination).toBe('completed');
    },
  );

  it('when the policy refused what it asked for, whatever it says afterwards', () => {
    const asked = question({ title: 'Edit x', kind: 'edit', locations: [{ path: '/etc/x' }] });
    expect(verdict([...BEGUN, asked, textChunk('Done.'), ended()])).toEqual({
      termination: 'error',
      reason: expect.stringContaining('the policy does not allow: Edit x (outside_workspace: /etc/x: '),
      class: 'refused_tool',
    });
  });

  it('but not if no user could answer, and the policy says that it continues', () => {
    const settings = { policy: policyOf({ approval: 'deny_interactive' }) };
    const asked = question({ title: 'Deploy', kind: 'other' });
    expect(verdict([...BEGUN, asked, textChunk('Done.'), ended()], FINE, settings).termination).toBe(
      'completed',
    );
  });
});

describe('an agent is ended by the policy', () => {
  it('when it asks what only a user can answer', () => {
    const result = verdict([...BEGUN, question({ title: 'Deploy', kind: 'other' })], { kind: 'cancelled' });
    expect(result).toMatchObject({ termination: 'killed_policy', class: null });
    expect(result.reason).toContain('interactive_prompt_violation');
  });
});

describe('an agent that is gone before its turn has ended', () => {
  it.each<[ProcessEnd, string, string]>([
    [{ kind: 'exited', exitCode: 0 }, 'ended before session/new was answered: last words', 'no_result'],
    [{ kind: 'exited', exitCode: 7 }, 'exited with code 7: last words', 'crash'],
    [{ kind: 'signalled', signal: 'SIGKILL' }, 'killed by SIGKILL: last words', 'crash'],
    [
      { kind: 'spawn_failed', code: 'ENOENT', message: 'command not found: x' },
      'command not found: x',
      'crash',
    ],
  ])('has failed: %j', (end, expected, kind) => {
    const result = verdict([GREETING], end);
    expect(result).toMatchObject({ termination: 'error', class: kind });
    expect(result.reason).toContain(expected);
  });

  it.each([
    ['timeout', 'killed_timeout'],
    ['idle', 'killed_idle'],
    ['cancelled', 'cancelled'],
  ] as const)('by %s is %s, even if it then says that its turn has ended', (stopped, termination) => {
    for (const messages of [BEGUN, [...BEGUN, ended('cancelled')]]) {
      const { state } = foldSession(messages);
      const result = acpVerdict(
        state,
        ranTo({ end: { kind: 'cancelled' }, stopped: { kind: stopped } }),
        LIMITS,
      );
      expect(result).toMatchObject({ termination, traces: null });
    }
  });
});
