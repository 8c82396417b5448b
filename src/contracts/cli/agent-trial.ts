import * as z from 'zod';
import { AGENT_KINDS } from '../config/config.ts';
import { agentFailureSchema } from '../run/agent-failure.ts';
import { usageSchema } from '../run/agent-result.ts';

/** The result of testing an agent on its own. */
export const agentTrialSchema = z.looseObject({
  ok: z.boolean().describe('It succeeded and wrote the requested file; for a replay, its record exists.'),
  agent: z.string(),
  kind: z.enum(AGENT_KINDS),
  version: z.string().nullable().describe('The version that its program prints; null if unknown.'),
  termination: z.string().nullable().describe('Null if it was not started.'),
  wrote_file: z.boolean().nullable(),
  duration_ms: z.number().nonnegative().nullable(),
  usage: usageSchema.nullable().describe('Null if not reported.'),
  final: z.string().nullable().describe('Its last message.'),
  reason: z.string().nullable().describe('Why the trial failed.'),
  failure: agentFailureSchema.nullable(),
  sandboxed: z.boolean(),
  continues_session: z
    .boolean()
    .nullable()
    .describe(
      'Whether a second visit continued the session; null if the agent has no sessions, or there was no second visit.',
    ),
  session_reason: z.string().nullable().describe('Why the second visit did not continue the session.'),
});
