import { describe, expect, it } from 'vitest';
import { classifyFailure } from '../../../src/agents/failure.ts';
import {
  composeResult,
  decideVerdict,
  NO_RESULT,
  type StreamProblem,
} from '../../../src/agents/stream-verdict.ts';
import type { ProcessEnd } from '../../../src/contracts/run/process-end.ts';

const LIMITS = { timeoutMs: 60_000, idleTimeoutMs: 5_000 };
const problem = (change: Partial<StreamProblem> = {}): StreamProblem => ({
  message: 'failed: boom',
  status: 500,
  code: 'server_error',
  resets: null,
  deniedTools: [],
  ...change,
});
const silent = problem({ message: 'ended without a result', status: null, code: NO_RESULT });
const exited = (exitCode: number): ProcessEnd => ({ kind: 'exited', exitCode });

describe('the verdict on an agent', () => {
  it.each([
    ['tells of success and exits with 0', null, exited(0), 'completed', null],
    [
      'tells of success and exits with 1',
      null,
      exited(1),
      'error',
      'the agent exited with code 1: last words',
    ],
    ['tells of failure and exits with 0', problem(), exited(0), 'error', 'the agent failed: boom'],
    ['tells of failure and exits with 1', problem(), exited(1), 'error', 'the agent failed: boom'],
    [
      'tells nothing and exits with 0',
      silent,
      exited(0),
      'error',
      'the agent ended without a result: last words',
    ],
    [
      'tells nothing and exits with 2',
      silent,
      exited(2),
      'error',
      'the agent exited with code 2: last words',
    ],
    [
      'tells of success and is ended by a signal',
      null,
      { kind: 'signalled', signal: 'SIGKILL' },
      'error',
      'the agent was killed by SIGKILL: last words',
    ],
    [
      'tells of success and is ended for its time',
      null,
      { kind: 'timeout' },
      'killed_timeout',
      'the agent timed out after 60 s',
    ],
    [
      'tells of failure and is ended for silence',
      problem(),
      { kind: 'idle' },
      'killed_idle',
      'the agent printed nothing for 5 s',
    ],
    ['is cancelled', null, { kind: 'cancelled' }, 'cancelled', 'the agent was cancelled'],
    [
      'was never started',
      silent,
      { kind: 'spawn_failed', code: 'ENOENT', message: 'command not found: claude' },
      'error',
      'command not found: claude',
    ],
  ] as const)('that %s', (_what, report, end, termination, reason) => {
    const verdict = decideVerdict({ problem: report }, end, ' last words ', LIMITS);
    expect(verdict).toMatchObject({ termination, reason });
    expect(verdict.traces === null).toBe(termination !== 'error');
  });

  it("keeps the provider's message, from which the kind of failure follows", () => {
    const report = problem({ deniedTools: ['Bash'] });
    expect(decideVerdict({ problem: report }, exited(1), null, LIMITS).traces).toEqual({
      status: 500,
      resetAt: null,
      code: 'server_error',
      message: 'the agent failed: boom',
      retryAfterMs: null,
      deniedTools: ['Bash'],
    });
    expect(decideVerdict({ problem: silent }, exited(0), null, LIMITS).traces?.code).toBeNull();
  });

  it.each([
    [
      'a refused tool',
      problem({
        status: null,
        code: 'refused_tool',
        deniedTools: ['Bash'],
        message: 'was refused a tool: Bash',
      }),
      exited(0),
      'refused_tool',
    ],
    ['no result', silent, exited(0), 'no_result'],
    ['a crash', silent, exited(139), 'crash'],
    ['a key that is not taken', problem({ status: 401 }), exited(1), 'authentication'],
    ['a provider with too much to do', problem({ status: 529 }), exited(1), 'overloaded'],
  ] as const)('is classed as %s', (_what, report, end, kind) => {
    const { traces } = decideVerdict({ problem: report }, end, null, LIMITS);
    expect(traces && classifyFailure({ ...traces, resetAt: null }, end).class).toBe(kind);
  });
});

describe('the result of an agent that writes no file', () => {
  it.each([
    [null, null, null],
    [{ claims: ['fixed'] }, null, { claims: ['fixed'] }],
    [null, { input_tokens: 1 }, { usage: { input_tokens: 1 } }],
    [
      { claims: ['fixed'], usage: { input_tokens: 9 } },
      { input_tokens: 1 },
      { claims: ['fixed'], usage: { input_tokens: 1 } },
    ],
  ])('of the tail %j and the use %j is %j', (tail, usage, result) => {
    expect(composeResult(tail, usage)).toEqual(result);
  });
});
