import * as z from 'zod';

/** Why an agent did not do its work, as far as what can be done about it differs. */
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
  class: z.enum(FAILURE_CLASSES).describe('What kind of failure it is.'),
  message: z.string().describe('What the agent or its provider said.'),
  /** Null where nobody said. */
  reset_at: z.iso.datetime().nullable().describe('When it may be tried again, where the provider says so.'),
  help: z.string().nullable().describe('What a person can do about it.'),
});
export type AgentFailure = Readonly<z.infer<typeof agentFailureSchema>>;

/** What is known of a failure before anybody has said what kind it is. */
export interface FailureTraces {
  /** HTTP status of the provider, where one was told. */
  readonly status: number | null;
  /** The provider's own word for it, such as `overloaded_error` or `usage_limit_reached`. */
  readonly code: string | null;
  readonly message: string;
  readonly retryAfterMs: number | null;
  /** When a limit ends, where it was told as a time. */
  readonly resetAt: string | null;
  /** Tools that the agent was not allowed to use. */
  readonly deniedTools: readonly string[];
}
