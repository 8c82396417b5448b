import { describe, expect, it } from 'vitest';
import { classifyFailure, NO_TRACES } from '../../../src/agents/failure.ts';
import {
  agentFailureSchema,
  type FailureClass,
  type FailureTraces,
} from '../../../src/contracts/run/agent-failure.ts';
import type { ProcessEnd } from '../../../src/contracts/run/process-end.ts';

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
  [
    'refused_tool',
    { code: 'refused_tool', message: 'was refused: rm certificate.pem', deniedTools: ['rm certificate.pem'] },
  ],
  [
    'rate_limited',
    { message: 'API Error: Server is temporarily limiting requests (not your usage limit) · Rate limited' },
  ],
  ['rate_limited', { message: 'API Error: Request rejected (429)' }],
  ['quota_exhausted', { message: 'You have exhausted your daily quota on this model.' }],
  ['quota_exhausted', { message: 'You have exhausted your capacity on this model.' }],
  ['quota_exhausted', { message: "You're out of extra usage · resets 3pm (UTC)" }],
  ['quota_exhausted', { message: "You've hit your Opus weekly limit" }],
  ['quota_exhausted', { message: 'Your account has insufficient balance' }],
  ['authentication', { code: 'authentication_failed', message: 'Invalid bearer token' }],
  [
    'authentication',
    { message: 'Your authentication token has been invalidated. Please try signing in again.' },
  ],
  ['authentication', { message: 'API key expired. Please renew the API key.' }],
  ['authentication', { message: 'No API key found. Set OPENAI_API_KEY' }],
  ['authentication', { status: 400, message: 'This organization has been disabled.' }],
  ['authentication', { message: 'Please set an Auth method in your settings.json' }],
  ['overloaded', { message: "We're currently experiencing high demand, which may cause temporary errors." }],
  ['network', { code: 'server_error', message: 'API Error' }],
  ['network', { message: 'SELF_SIGNED_CERT_IN_CHAIN' }],
  ['network', { message: 'Could not resolve host: api.openai.com' }],
  ['network', { message: 'operation timed out' }],
  ['crash', { message: 'the agent exited with code 1: wrote 429 files' }],
  ['crash', { message: 'the agent exited with code 1: the path is forbidden' }],
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
    ['crash', { kind: 'signalled', signal: 'SIGSEGV' }, 'the agent was killed by SIGSEGV'],
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
    ['2026-03-10T14:00:00.000Z', { message: 'usage limit, resets at 1773151200' }],
    ['2026-03-10T14:00:00.000Z', { status: 429, message: 'x-ratelimit-reset: 1773151200' }],
    ['2026-03-10T14:00:00.000Z', { status: 429, resetAt: '{"resetsAt":1773151200000}' }],
    ['2026-03-10T14:00:00.000Z', { message: 'usage limit, resets 2026-03-10T15:00:00+01:00' }],
    ['2026-03-10T20:00:00.000Z', { message: 'usage limit, resets at 2026-03-10T15:00:00.5-0500' }],
    [
      '2026-04-01T00:00:00.000Z',
      { message: 'usage limits. You will regain access on 2026-04-01 at 00:00 UTC.' },
    ],
    ['2026-03-10T13:30:00.000Z', { status: 429, message: 'Retry-After: Tue, 10 Mar 2026 13:30:00 GMT' }],
    ['2026-03-10T12:02:00.000Z', { status: 429, message: 'Retry-After: 120' }],
    ['2026-03-10T12:00:30.000Z', { status: 429, message: '{"retry_after": 30}' }],
    ['2026-03-10T12:00:02.000Z', { status: 429, message: 'retry-after-ms: 1500' }],
    ['2026-03-10T12:01:30.000Z', { status: 429, message: 'x-ratelimit-reset-requests: 1m30s' }],
    ['2026-03-10T12:06:00.000Z', { status: 429, message: 'Limit 9 in 1 minute. Please try again in 6m0s.' }],
    ['2026-03-10T12:00:01.000Z', { status: 429, message: 'Please try again in 420ms.' }],
    ['2026-03-10T12:01:30.000Z', { status: 429, message: 'wait 90 seconds before retrying' }],
    ['2026-03-10T16:32:10.000Z', { message: 'Your quota will reset after 4h32m10s.' }],
    [
      '2026-03-10T12:05:00.000Z',
      { message: '2026-03-10T11:59:58.000Z usage limit reached; try again in 5m' },
    ],
    ['2026-03-10T12:05:00.000Z', { message: 'usage limit, try again in 5m (at 2026-03-10T11:59:58Z)' }],
    ['2026-03-10T11:00:00.000Z', { message: 'usage limit, resets 2026-03-10T11:00:00Z' }],
    ['2026-03-10T14:00:00.000Z', { message: "You've hit your limit · resets 15:00 (Europe/Berlin)" }],
    ['2026-03-10T15:00:00.000Z', { message: "You've hit your limit · resets at 15:00 UTC" }],
    ['2026-03-10T22:00:00.000Z', { message: "You've hit your limit · resets 3 p.m. PT" }],
    ['2026-03-12T09:00:00.000Z', { message: "You've hit your limit · resets Thursday 9am (UTC)" }],
    ['2026-03-11T18:00:00.000Z', { message: "You've hit your limit · resets tomorrow at 6pm (UTC)" }],
    // The clocks go forward in between.
    ['2026-03-30T16:00:00.000Z', { message: "You've hit your limit · resets Mar 30, 6pm (Europe/Berlin)" }],
    ['2026-03-18T20:15:00.000Z', { message: 'usage limit; try again at Mar 18th, 2026 8:15 PM (UTC).' }],
  ])('is %s for %j', (expected, traces) => {
    expect(classifyFailure({ ...NO_TRACES, ...traces }, FAILED, NOW).reset_at).toBe(expected);
  });

  it.each<[string, Partial<FailureTraces>]>([
    ['nobody said', { status: 429, message: 'Too many requests' }],
    ['the zone is none', { message: "You've hit your limit · resets 4:50am (Europe/Nowhere)" }],
    ['a moment is over and nothing is said of it', { message: '2026-03-10T11:59:58Z usage limit reached' }],
    ['an hour alone is no time', { message: "You've hit your limit · resets 3 times" }],
    ['there is no such time', { message: "You've hit your limit · resets 25:00" }],
    ['it is no limit', { message: 'connection refused, try again in 20s' }],
  ])('is unknown where %s', (_why, traces) => {
    expect(classifyFailure({ ...NO_TRACES, ...traces }, FAILED, NOW).reset_at).toBeNull();
  });

  it('is unknown for a duration without the current time', () => {
    const traces = { ...NO_TRACES, status: 429, message: 'try again in 20s', retryAfterMs: 20_000 };
    expect(classifyFailure(traces, FAILED).reset_at).toBeNull();
  });
});
