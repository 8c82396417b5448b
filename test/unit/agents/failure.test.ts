import { describe, expect, it } from 'vitest';
import { classifyFailure, NO_TRACES } from '../../../src/agents/failure.ts';
import {
  agentFailureSchema,
  type FailureClass,
  type FailureTraces,
} from '../../../src/contracts/agent-failure.ts';
import type { ProcessEnd } from '../../../src/contracts/process-end.ts';

const FAILED: ProcessEnd = { kind: 'exited', exitCode: 1 };
const NOW = Date.parse('2026-03-10T12:00:00Z');

type Case = readonly [FailureClass, Partial<FailureTraces>];

const CASES: readonly Case[] = [
  [
    'overloaded',
    {
      status: 529,
      message: 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    },
  ],
  ['overloaded', { code: 'overloaded_error', message: 'Overloaded' }],
  ['overloaded', { status: 529 }],
  ['overloaded', { message: 'exceeded retry limit, last status: 529 <unknown status code>, overloaded' }],
  ['overloaded', { status: 503, message: 'Selected model is at capacity. Please try a different model.' }],
  ['overloaded', { code: 'server_is_overloaded', message: 'Our servers are currently overloaded.' }],
  [
    'rate_limited',
    { status: 429, message: 'This request would exceed your account’s rate limit. Please try again later.' },
  ],
  [
    'rate_limited',
    { code: 'rate_limit_error', message: 'Number of request tokens has exceeded your per-minute limit' },
  ],
  [
    'rate_limited',
    { message: 'exceeded retry limit, last status: 429 Too Many Requests, request id: c4fc59ca' },
  ],
  [
    'rate_limited',
    { code: 'rate_limit_exceeded', message: 'Rate limit reached for gpt-5 on tokens per min (TPM)' },
  ],
  ['quota_exhausted', { message: 'Claude AI usage limit reached|1773151200' }],
  ['quota_exhausted', { message: "You've hit your limit · resets 4:50am (Europe/Rome)" }],
  ['quota_exhausted', { message: "You've hit your session limit · resets 12:50am (America/Los_Angeles)" }],
  [
    'quota_exhausted',
    {
      message:
        "You've hit your usage limit. To get more access now, send a request to your admin or try again at 12:16 PM.",
    },
  ],
  [
    'quota_exhausted',
    { status: 429, code: 'usage_limit_reached', message: 'The usage limit has been reached' },
  ],
  [
    'quota_exhausted',
    {
      status: 429,
      code: 'insufficient_quota',
      message: 'You exceeded your current quota, please check your plan and billing details.',
    },
  ],
  ['quota_exhausted', { message: 'Quota exceeded. Check your plan and billing details.' }],
  [
    'quota_exhausted',
    { status: 400, message: 'Your credit balance is too low to access the Anthropic API.' },
  ],
  ['quota_exhausted', { message: 'Credit balance is too low' }],
  ['authentication', { status: 401, code: 'authentication_error', message: 'invalid x-api-key' }],
  ['authentication', { message: 'Invalid API key · Please run /login' }],
  ['authentication', { message: 'Not logged in · Please run /login' }],
  [
    'authentication',
    { message: 'unexpected status 401 Unauthorized: Missing bearer or basic authentication in header' },
  ],
  ['authentication', { status: 401, message: 'Incorrect API key provided: sk-…' }],
  ['authentication', { status: 403 }],
  ['authentication', { message: 'Missing environment variable: `OPENAI_API_KEY`.' }],
  [
    'authentication',
    { message: 'OAuth token has expired. Please obtain a new token or refresh your existing token.' },
  ],
  ['network', { message: 'API Error: Unable to connect to API (ECONNREFUSED)' }],
  ['network', { message: 'getaddrinfo ENOTFOUND api.anthropic.com' }],
  ['network', { message: 'socket hang up' }],
  [
    'network',
    {
      message:
        'stream disconnected before completion: error sending request for url (http://127.0.0.1:1/v1/responses)',
    },
  ],
  ['network', { message: 'API Error: The socket connection was closed unexpectedly.' }],
  ['network', { status: 500, code: 'api_error', message: 'Internal server error' }],
  ['network', { status: 502 }],
  ['refused_tool', { deniedTools: ['Bash', 'Write'] }],
  ['no_result', { status: 400, message: 'messages: at least one message is required' }],
];

describe('the class of a failure', () => {
  it.each(CASES)('is %s for %j', (expected, traces) => {
    const failure = classifyFailure({ ...NO_TRACES, ...traces }, FAILED, NOW);
    expect(failure.class).toBe(expected);
    expect(agentFailureSchema.parse(failure)).toEqual(failure);
    expect(failure.help).not.toBeNull();
  });

  it.each<[FailureClass, ProcessEnd, string]>([
    ['crash', { kind: 'signalled', signal: 'SIGSEGV' }, 'the agent was ended by SIGSEGV'],
    ['crash', FAILED, 'the agent exited with code 1 without a result'],
    [
      'crash',
      { kind: 'spawn_failed', code: 'ENOENT', message: 'command not found: claude' },
      'command not found: claude',
    ],
    ['no_result', { kind: 'exited', exitCode: 0 }, 'the agent ended without a result'],
    ['no_result', { kind: 'idle' }, 'the agent printed nothing for too long'],
  ])('is %s where only %j is known', (expected, end, message) => {
    expect(classifyFailure(NO_TRACES, end)).toMatchObject({ class: expected, message, reset_at: null });
  });

  it('names the tools that were refused and where to allow them', () => {
    const failure = classifyFailure({ ...NO_TRACES, deniedTools: ['Bash'] }, { kind: 'exited', exitCode: 0 });
    expect(failure).toMatchObject({ message: 'the agent was not allowed to use Bash' });
    expect(failure.help).toContain('allow Bash in the policy');
  });
});

describe('the time at which a limit ends', () => {
  it.each<[string, Partial<FailureTraces>]>([
    ['2026-03-10T14:00:00.000Z', { message: 'Claude AI usage limit reached|1773151200' }],
    ['2026-03-10T14:00:00.000Z', { message: 'limit reached', resetAt: '1773151200', status: 429 }],
    ['2026-03-10T14:00:00.000Z', { message: 'rate limit', resetAt: '2026-03-10T14:00:00Z' }],
    ['2026-03-10T12:00:30.000Z', { status: 429, retryAfterMs: 29_400 }],
    [
      '2026-03-13T05:14:00.000Z',
      { message: "You've hit your usage limit. Upgrade to Pro or try again in 2 days 17 hours 14 minutes." },
    ],
    [
      '2026-03-10T12:00:20.000Z',
      { status: 429, message: 'Rate limit reached for gpt-5. Please try again in 20s.' },
    ],
    ['2026-03-10T12:00:02.000Z', { status: 429, message: 'Rate limit reached. Please try again in 1.898s.' }],
    ['2026-03-10T15:51:12.000Z', { code: 'usage_limit_reached', message: '{"resets_in_seconds":13872}' }],
    ['2026-03-11T03:50:00.000Z', { message: "You've hit your limit · resets 4:50am (Europe/Rome)" }],
    ['2026-03-10T22:00:00.000Z', { message: "You've hit your limit · resets 11pm (Europe/Warsaw)" }],
    [
      '2026-03-16T18:00:00.000Z',
      { message: 'Claude usage limit reached. Your limit will reset at Mar 16, 6pm (UTC).' },
    ],
    ['2026-03-10T14:10:00.000Z', { message: 'usage limit reached; try again at 2:10 PM (UTC)' }],
  ])('is %s for %j', (expected, traces) => {
    expect(classifyFailure({ ...NO_TRACES, ...traces }, FAILED, NOW).reset_at).toBe(expected);
  });

  it.each<[string, Partial<FailureTraces>]>([
    ['nobody said', { status: 429, message: 'Too many requests' }],
    ['the zone is none', { message: "You've hit your limit · resets 4:50am (Europe/Nowhere)" }],
    ['it is no limit', { message: 'connection refused, try again in 20s' }],
  ])('is unknown where %s', (_why, traces) => {
    expect(classifyFailure({ ...NO_TRACES, ...traces }, FAILED, NOW).reset_at).toBeNull();
  });

  it('is unknown for a span when nobody says what time it is', () => {
    const traces = { ...NO_TRACES, status: 429, message: 'try again in 20s', retryAfterMs: 20_000 };
    expect(classifyFailure(traces, FAILED).reset_at).toBeNull();
  });
});
