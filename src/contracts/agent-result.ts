import * as z from 'zod';

/** What an agent reports of its own use. Absent numbers are unknown, not zero. */
export const usageSchema = z.object({
  input_tokens: z.int().nonnegative().optional().describe('Tokens read by the model.'),
  output_tokens: z.int().nonnegative().optional().describe('Tokens written by the model.'),
  cost_usd: z.number().nonnegative().optional().describe('What it cost, in US dollars.'),
});
export type Usage = z.infer<typeof usageSchema>;

/** The JSON file an agent may write to the path in `CONDUCTOR_RESULT`. */
export const agentResultFileSchema = z.object({
  final: z.string().optional().describe('The last word of the agent.'),
  claims: z.array(z.string()).optional().describe('implemented, fixed, tests_pass, or `created PATH`.'),
  blockers: z
    .array(z.object({ code: z.string().min(1), summary: z.string() }))
    .optional()
    .describe('What kept the agent from finishing.'),
  usage: usageSchema.optional(),
});
export type AgentResultFile = z.infer<typeof agentResultFileSchema>;
