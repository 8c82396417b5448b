import * as z from 'zod/mini';
import { described, formOf, mapping, textSchema, wholeNumber } from './forms.ts';

export const PROMPT_ROLES = ['task', 'planner', 'policy', 'triage', 'risk', 'journal'] as const;
export const PROMPT_STATUSES = ['draft', 'current', 'deprecated', 'archived'] as const;
export const PROMPT_INTENTS = ['implementation', 'review', 'analysis', 'harness'] as const;
const INPUT_SOURCES = ['workflow_input', 'artifact', 'provenance', 'system'] as const;

export type PromptRole = (typeof PROMPT_ROLES)[number];
export type PromptIntent = (typeof PROMPT_INTENTS)[number];

const input = mapping({
  name: textSchema,
  type: described(z.optional(textSchema), '`string` where it is left out.'),
  required: described(z.optional(z.boolean()), 'Not required where it is left out.'),
  description: z.optional(z.string()),
  source: z.optional(z.enum(INPUT_SOURCES)),
});

const outputContract = mapping({
  schema_ref: described(z.optional(textSchema), 'For planner prompts: the schema of the answer.'),
  artifacts: described(z.optional(z.array(z.unknown())), 'For task prompts: what the agent leaves behind.'),
});

/** An id that ends like a version would make references ambiguous. */
const PROMPT_ID = /^(?!.*\.v[0-9]+$)[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** The front matter of a prompt, as written. */
export const promptFrontMatterSchema = mapping({
  prompt_id: formOf('promptId', PROMPT_ID),
  version: wholeNumber(1),
  role: z.enum(PROMPT_ROLES),
  summary: z.optional(z.string()),
  owner: z.optional(z.string()),
  status: z.optional(z.enum(PROMPT_STATUSES)),
  inputs: z.optional(z.array(input)),
  output_contract: z.optional(outputContract),
  intent: z.optional(z.enum(PROMPT_INTENTS)),
  capabilities: z.optional(z.unknown()),
  model_hints: z.optional(z.unknown()),
  safety_notes: z.optional(z.unknown()),
  deprecates: z.optional(z.unknown()),
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
