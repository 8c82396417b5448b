import * as z from 'zod/mini';
import { defineForm, described, mapping, text, textSchema, wholeNumber } from '../forms.ts';

export const PROMPT_ROLES = ['task', 'planner', 'policy', 'triage', 'risk', 'journal'] as const;
export const PROMPT_STATUSES = ['draft', 'current', 'deprecated', 'archived'] as const;
export const PROMPT_INTENTS = ['implementation', 'review', 'analysis', 'harness'] as const;
const INPUT_SOURCES = ['workflow_input', 'artifact', 'provenance', 'system'] as const;

export type PromptRole = (typeof PROMPT_ROLES)[number];
export type PromptIntent = (typeof PROMPT_INTENTS)[number];

const input = mapping({
  name: described(text(), 'The name of the variable.'),
  type: described(z.optional(textSchema), 'The type. Default: `string`.'),
  required: described(z.optional(z.boolean()), 'Default: false.'),
  description: described(z.optional(z.string()), 'What it means.'),
  source: described(z.optional(z.enum(INPUT_SOURCES)), 'Where it comes from.'),
});

const outputContract = mapping({
  schema_ref: described(z.optional(textSchema), 'For planner prompts: the schema of the answer.'),
  required_fields: described(
    z.optional(z.array(textSchema)),
    'For planner prompts: fields that the answer must have; the answer is checked against `schema_ref`.',
  ),
  artifacts: described(z.optional(z.array(z.unknown())), 'For task prompts: what the agent creates.'),
});

/** Rejects an id that ends in a version, which would make references ambiguous. */
const PROMPT_ID = /^(?!.*\.v[0-9]+$)[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** The front matter of a prompt, as written. */
export const promptFrontMatterSchema = mapping({
  prompt_id: described(defineForm('promptId', PROMPT_ID), 'Workflows write `<prompt_id>.v<version>`.'),
  version: described(wholeNumber(1), 'Do not change a version that is in use.'),
  role: described(
    z.enum(PROMPT_ROLES),
    'Which steps may use it: `task` for RUN_AGENT, `planner` for EVALUATE.',
  ),
  summary: described(z.optional(z.string()), 'What it is for, in one line.'),
  owner: described(z.optional(z.string()), 'Who maintains it.'),
  status: described(z.optional(z.enum(PROMPT_STATUSES)), 'Whether it should still be used.'),
  inputs: described(z.optional(z.array(input)), 'The variables of the text.'),
  output_contract: described(z.optional(outputContract), 'What the agent or planner must return.'),
  intent: described(z.optional(z.enum(PROMPT_INTENTS)), 'The purpose of a step with this prompt.'),
  capabilities: described(z.optional(z.unknown()), 'Capabilities that an agent needs; informational.'),
  model_hints: described(z.optional(z.unknown()), 'Suitable models; informational.'),
  safety_notes: described(z.optional(z.unknown()), 'Safety notes; informational.'),
  deprecates: described(z.optional(z.unknown()), 'The prompts that it replaces; informational.'),
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

/** The result of parsing a prompt template. Offsets refer to the body. */
export interface TemplateReading {
  /** The syntax error, or null. With an error, `variables` is unknown. */
  readonly fault: { readonly message: string; readonly offset: number; readonly length: number } | null;
  /** The variables that the caller must provide, in order of first use. */
  readonly variables: readonly { readonly name: string; readonly offset: number }[];
}

export type ReadTemplate = (body: string) => TemplateReading;
