import * as z from 'zod';

/**
 * The parts of the Agent Client Protocol, version 1, that conductor reads. Agents add fields and kinds as
 * they like, and an invalid optional field counts as missing, so that it can't fail the step.
 */

export const PROTOCOL_VERSION = 1;

/** Error code of an agent that needs a login first. */
export const AUTH_REQUIRED = -32_000;

const text = z.string().nullish().catch(null);
const count = z.number().int().nonnegative().nullish().catch(null);

export const initializedSchema = z.looseObject({
  protocolVersion: z.number(),
  agentCapabilities: z
    .looseObject({ loadSession: z.boolean().nullish().catch(null) })
    .nullish()
    .catch(null),
  agentInfo: z.looseObject({ name: z.string(), version: text }).nullish().catch(null),
  authMethods: z
    .array(z.looseObject({ name: z.string() }))
    .nullish()
    .catch(null),
});

const optionSchema = z.looseObject({ id: z.string(), category: text, currentValue: z.unknown().optional() });
/** The state of a session besides its id; optional when an agent loads a session. */
const sessionState = {
  modes: z.looseObject({ currentModeId: text }).nullish().catch(null),
  models: z.looseObject({ currentModelId: text }).nullish().catch(null),
  configOptions: z.array(optionSchema).nullish().catch(null),
};
export const sessionSchema = z.looseObject({ sessionId: z.string(), ...sessionState });
export const loadedSchema = z.looseObject(sessionState).nullish().catch(null);
export type AcpSession = z.infer<typeof sessionSchema>;

const tokensSchema = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  totalTokens: count,
  thoughtTokens: count,
});
export type AcpTokens = z.infer<typeof tokensSchema>;
const tokens = tokensSchema.nullish().catch(null);

/** Gemini reports its usage in a field of its own. */
const quotaSchema = z.looseObject({
  quota: z.looseObject({
    token_count: z.looseObject({ input_tokens: count, output_tokens: count }),
  }),
});
export const promptedSchema = z.looseObject({
  stopReason: z.string(),
  usage: tokens,
  _meta: quotaSchema.nullish().catch(null),
});

/** The usage that the end of a turn reports; null if it reports none. */
export function tokensOfTurn({ usage, _meta: meta }: z.infer<typeof promptedSchema>): AcpTokens | null {
  if (usage !== null && usage !== undefined) return usage;
  const quota = meta?.quota.token_count;
  if (quota === undefined) return null;
  const { input_tokens: inputTokens, output_tokens: outputTokens } = quota;
  return { inputTokens, outputTokens, totalTokens: null, thoughtTokens: null };
}

const blockSchema = z.looseObject({
  type: z.string().catch(''),
  text,
  path: text,
  content: z.looseObject({ text }).nullish().catch(null),
});
export type AcpBlock = z.infer<typeof blockSchema>;

/** A tool call: complete when it starts, only the changes afterwards. */
export const toolCallSchema = z.looseObject({
  toolCallId: z.string(),
  title: text,
  kind: text,
  status: text,
  content: z.array(blockSchema).nullish().catch(null),
  locations: z
    .array(z.looseObject({ path: z.string() }))
    .nullish()
    .catch(null),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
});
export type AcpToolCall = z.infer<typeof toolCallSchema>;

export const updateSchema = z.looseObject({
  update: z.looseObject({
    sessionUpdate: z.string(),
    /** A content block of a message; that of tool calls is parsed separately. */
    content: z.unknown().optional(),
    messageId: text,
    entries: z
      .array(z.looseObject({ content: z.string(), status: text }))
      .nullish()
      .catch(null),
    cost: z.looseObject({ amount: z.number().nonnegative(), currency: z.string() }).nullish().catch(null),
    currentModeId: text,
    _meta: z.looseObject({ usage: tokens }).nullish().catch(null),
  }),
});
export type AcpUpdate = z.infer<typeof updateSchema>['update'];

export const PERMISSION_KINDS = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const;
export type PermissionKind = (typeof PERMISSION_KINDS)[number];

export const permissionSchema = z.looseObject({
  toolCall: toolCallSchema,
  options: z.array(z.looseObject({ optionId: z.string(), kind: z.string() })),
});
export type AcpPermission = z.infer<typeof permissionSchema>;

/** The text of a message or a thought; empty for images and other blocks. */
export function readTextContent(content: unknown): string {
  return z.looseObject({ text: z.string() }).safeParse(content).data?.text ?? '';
}
