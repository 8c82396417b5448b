import * as z from 'zod';
import { CLAUDE_ENVIRONMENT } from '../../agents/claude-environment.ts';
import type { Usage } from '../../contracts/run/agent-result.ts';
import { excerptReply } from '../../planner/table/floor.ts';
import { parseJson } from '../../text/json.ts';
import type { PlannerReply } from './prompted-planner.ts';

/** Agents whose command line gives structured answers. */
export const STRUCTURED_AGENTS = ['claude-code', 'codex'] as const;
export type StructuredAgent = (typeof STRUCTURED_AGENTS)[number];

/** Paths of the files that a command line reads and writes. */
export interface CliFiles {
  readonly schema: string;
  readonly answer: string;
}

/** The output of a command line that exited by itself. */
export interface CliEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The content of the file for its final answer; null if it wrote none. */
  readonly answer: string | null;
}

export interface CliAnswer {
  readonly reply: PlannerReply;
  readonly usage: Usage | null;
}

export interface StructuredCli {
  /**
   * Arguments after the program; the prompt comes on standard input. The JSON Schema of the answer is given as text
   * and as a file, because agents take one or the other.
   */
  readonly args: (schemaText: string, files: CliFiles, model: string | null) => readonly string[];
  /** Environment that keeps it from doing anything besides answering. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether it prints output while it works, so that an idle timeout makes sense. */
  readonly printsProgress: boolean;
  readonly read: (end: CliEnd) => CliAnswer;
}

const claudeResultSchema = z.looseObject({
  type: z.literal('result'),
  subtype: z.string().optional(),
  is_error: z.boolean().optional(),
  errors: z.array(z.string()).optional(),
  result: z.string().optional(),
  structured_output: z.unknown().optional(),
  total_cost_usd: z.number().nonnegative().optional(),
  usage: z
    .looseObject({
      input_tokens: z.int().nonnegative().default(0),
      cache_creation_input_tokens: z.int().nonnegative().default(0),
      cache_read_input_tokens: z.int().nonnegative().default(0),
      output_tokens: z.int().nonnegative().default(0),
    })
    .optional(),
});

/**
 * Claude Code checks each answer against the schema itself and asks the model again. It reports this subtype when no
 * answer was valid, without the rejected answers.
 */
const NO_VALID_ANSWER = 'error_max_structured_output_retries';

function createInvalidReply(output: string): PlannerReply {
  const summary = `the agent gave no reply that fits the schema of a decision: ${excerptReply(output)}`;
  return { kind: 'no_proposal', code: 'planner_reply_invalid', summary };
}

const claude: StructuredCli = {
  args: (schemaText, _files, model) => [
    '-p',
    '--tools',
    '',
    '--strict-mcp-config',
    '--no-session-persistence',
    '--output-format',
    'json',
    '--json-schema',
    schemaText,
    ...(model === null ? [] : ['--model', model]),
  ],
  env: CLAUDE_ENVIRONMENT,
  printsProgress: false,
  read: (end) => {
    const parsed = claudeResultSchema.safeParse(parseJson(end.stdout));
    if (!parsed.success) return { reply: createFailureReply(end, end.stdout), usage: null };
    const { usage, total_cost_usd: cost, result = '', structured_output: output } = parsed.data;
    const used: Usage | null =
      usage === undefined
        ? null
        : {
            input_tokens:
              usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens,
            output_tokens: usage.output_tokens,
            ...(cost === undefined ? {} : { cost_usd: cost }),
          };
    const { subtype, is_error: isError, errors = [] } = parsed.data;
    const messages = [result, ...errors].filter((text) => text.trim() !== '').join('; ');
    if (subtype === NO_VALID_ANSWER) return { reply: createInvalidReply(messages), usage: used };
    const hasFailed = isError === true || end.exitCode !== 0;
    // A reply in prose is a success without this field; the prose is then rejected as the proposal.
    const reply: PlannerReply = hasFailed
      ? createFailureReply(end, messages)
      : { kind: 'proposal', proposal: output ?? result };
    return { reply, usage: used };
  },
};

const codexEventSchema = z.looseObject({
  type: z.string(),
  error: z.looseObject({ message: z.string() }).optional(),
  usage: z
    .looseObject({ input_tokens: z.int().nonnegative(), output_tokens: z.int().nonnegative() })
    .optional(),
});

const codex: StructuredCli = {
  args: (_schemaText, files, model) => [
    'exec',
    '--json',
    '--skip-git-repo-check',
    '--ephemeral',
    '-s',
    'read-only',
    '--output-schema',
    files.schema,
    '-o',
    files.answer,
    ...(model === null ? [] : ['-m', model]),
    '-',
  ],
  env: {},
  printsProgress: true,
  read: (end) => {
    const events = end.stdout.split('\n').flatMap((line) => {
      const parsed = codexEventSchema.safeParse(parseJson(line));
      return parsed.success ? [parsed.data] : [];
    });
    const completed = events.findLast((event) => event.type === 'turn.completed');
    const usage = completed?.usage ?? null;
    const used = usage && { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens };
    if (end.exitCode === 0 && completed !== undefined)
      return {
        reply: { kind: 'proposal', proposal: parseJson(end.answer ?? '') ?? end.answer },
        usage: used,
      };
    const message = events.findLast((event) => event.error !== undefined)?.error?.message;
    return { reply: createFailureReply(end, message ?? ''), usage: used };
  },
};

export const STRUCTURED_CLIS: Readonly<Record<StructuredAgent, StructuredCli>> = {
  'claude-code': claude,
  codex,
};

function createFailureReply({ exitCode, stderr }: CliEnd, message: string): PlannerReply {
  const output = message.trim() === '' ? stderr : message;
  const summary = `the agent ended with code ${exitCode} and no decision; it said: ${excerptReply(output)}`;
  return { kind: 'no_proposal', code: 'planner_unavailable', summary };
}
