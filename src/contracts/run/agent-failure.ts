import * as z from 'zod';

/** Why an agent failed. Failures that need different reactions have different classes. */
export const FAILURE_CLASSES = [
  'overloaded',
  'rate_limited',
  'quota_exhausted',
  'authentication',
  'network',
  'crash',
  'refused_tool',
  'no_result',
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

export const agentFailureSchema = z.object({
  class: z.enum(FAILURE_CLASSES).describe('The class of the failure.'),
  message: z.string().describe('The message of the agent or its provider.'),
  /** Null if unknown. */
  reset_at: z.iso.datetime().nullable().describe('When it can be retried, if the provider says so.'),
  help: z.string().nullable().describe('What a user can do about it.'),
});
export type AgentFailure = Readonly<z.infer<typeof agentFailureSchema>>;

/** The raw facts about a failure before it is classified. */
export interface FailureTraces {
  /** HTTP status of the provider; null if unknown. */
  readonly status: number | null;
  /** The provider's own error code, such as `overloaded_error` or `usage_limit_reached`. */
  readonly code: string | null;
  readonly message: string;
  readonly retryAfterMs: number | null;
  /** When a limit ends, if the provider reported a time. */
  readonly resetAt: string | null;
  /** Tools that the agent was not allowed to use. */
  readonly deniedTools: readonly string[];
}
