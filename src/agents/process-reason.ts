import type { ProcessEnd } from '../contracts/run/process-end.ts';

export interface TimeLimits {
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** Why the process of an agent did not exit normally, for users; null if it did. */
export function processReason(
  end: ProcessEnd,
  lastError: string | null,
  { timeoutMs, idleTimeoutMs }: TimeLimits,
): string | null {
  switch (end.kind) {
    case 'exited':
      return end.exitCode === 0 ? null : `the agent exited with code ${end.exitCode}${colon(lastError)}`;
    case 'signalled':
      return `the agent was killed by ${end.signal}${colon(lastError)}`;
    case 'spawn_failed':
      return end.message;
    case 'timeout':
      return `the agent timed out after ${timeoutMs / 1000} s`;
    case 'idle':
      return `the agent printed nothing for ${idleTimeoutMs / 1000} s`;
    case 'bound':
      return `the agent was stopped: ${end.message}`;
    case 'cancelled':
      return 'the agent was cancelled';
  }
}

/** The last message after a colon; empty if there is none. */
export function colon(message: string | null): string {
  return message === null || message.trim() === '' ? '' : `: ${message.trim()}`;
}
