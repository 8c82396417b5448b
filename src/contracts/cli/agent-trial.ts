import * as z from 'zod';
import { AGENT_KINDS } from '../config/config.ts';
import { agentFailureSchema } from '../run/agent-failure.ts';
import { usageSchema } from '../run/agent-result.ts';

/** The result of testing an agent on its own. */
export const agentTrialSchema = z.looseObject({
  ok: z
    .boolean()
    .describe('It ended well and wrote the file it was asked for; of a replay, its record is there.'),
  agent: z.string(),
  kind: z.enum(AGENT_KINDS),
  version: z.string().nullable().describe('What its program says; null where nobody knows how to ask.'),
  termination: z.string().nullable().describe('Null when it was not started.'),
  wrote_file: z.boolean().nullable(),
  duration_ms: z.number().nonnegative().nullable(),
  usage: usageSchema.nullable().describe('Null where nothing was reported.'),
  final: z.string().nullable().describe('Its last word.'),
  reason: z.string().nullable().describe('Why it is not ok.'),
  failure: agentFailureSchema.nullable(),
  sandboxed: z.boolean(),
  continues_session: z
    .boolean()
    .nullable()
    .describe(
      'Whether a second visit continued the session; null if the agent keeps none, or did not get there.',
    ),
  session_reason: z.string().nullable().describe('Why the second visit did not continue the session.'),
});
