import * as z from 'zod';
import { formOf, mapping, textSchema } from './forms.ts';

export const PROMPT_ROLES = ['task', 'planner', 'policy', 'triage', 'risk', 'journal'] as const;
export const PROMPT_STATUSES = ['draft', 'current', 'deprecated', 'archived'] as const;
export const PROMPT_INTENTS = ['implementation', 'review', 'analysis', 'harness'] as const;
export const INPUT_SOURCES = ['workflow_input', 'artifact', 'provenance', 'system'] as const;

export type PromptRole = (typeof PROMPT_ROLES)[number];
export type PromptIntent = (typeof PROMPT_INTENTS)[number];

const input = mapping({
  name: textSchema,
  type: textSchema.optional().describe('`string` where it is left out.'),
  required: z.boolean().optional().describe('Not required where it is left out.'),
  description: z.string().optional(),
  source: z.enum(INPUT_SOURCES).optional(),
});

const outputContract = mapping({
  schema_ref: textSchema.optional().describe('For planner prompts: the schema of the answer.'),
  artifacts: z.array(z.unknown()).optional().describe('For task prompts: what the agent leaves behind.'),
});

/** An id that ends like a version would make references ambiguous. */
const PROMPT_ID = /^(?!.*\.v[0-9]+$)[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** The front matter of a prompt, as written. */
export const promptFrontMatterSchema = mapping({
  prompt_id: formOf('promptId', PROMPT_ID),
  version: z.int().min(1),
  role: z.enum(PROMPT_ROLES),
  summary: z.string().optional(),
  owner: z.string().optional(),
  status: z.enum(PROMPT_STATUSES).optional(),
  inputs: z.array(input).optional(),
  output_contract: outputContract.optional(),
  intent: z.enum(PROMPT_INTENTS).optional(),
  capabilities: z.unknown().optional(),
  model_hints: z.unknown().optional(),
  safety_notes: z.unknown().optional(),
  deprecates: z.unknown().optional(),
});
export type PromptFrontMatter = z.infer<typeof promptFrontMatterSchema>;

export interface PromptInput {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

/** One version of a prompt, ready to be rendered. */
export interface Prompt {
  /** `<prompt_id>.v<version>`, as workflows write it. */
  readonly ref: string;
  readonly promptId: string;
  readonly version: number;
  readonly role: PromptRole;
  readonly status: (typeof PROMPT_STATUSES)[number];
  readonly intent: PromptIntent | null;
  readonly inputs: readonly PromptInput[];
  readonly schemaRef: string | null;
  /** The text after the front matter, without the blank lines around it. */
  readonly body: string;
}
