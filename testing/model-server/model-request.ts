import * as z from 'zod';

/** The three ways in which the command lines and libraries of today talk to a model. */
export type Wire = 'anthropic' | 'responses' | 'chat';

export interface OfferedTool {
  readonly name: string;
  /** Takes a plain text instead of a JSON object. */
  readonly custom: boolean;
}

/** What of a request decides the answer, whichever wire it came by. */
export interface ModelRequest {
  readonly wire: Wire;
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly OfferedTool[];
  /** The tool that the answer has to go through, where the request says so. */
  readonly forcedTool: string | null;
  readonly toolResults: number;
  /** The folder that the asking program says it works in. */
  readonly workingDirectory: string | null;
}

const toolSchema = z.looseObject({
  type: z.string().optional(),
  name: z.string().optional(),
  function: z.looseObject({ name: z.string() }).optional(),
  tools: z.array(z.looseObject({ name: z.string().optional(), type: z.string().optional() })).optional(),
});
const itemSchema = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.unknown().optional(),
});
const bodySchema = z.looseObject({
  model: z.string().default('unknown'),
  stream: z.boolean().default(false),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z.unknown().optional(),
  messages: z.array(itemSchema).nullish(),
  input: z.union([z.string(), z.array(itemSchema)]).nullish(),
});

export function wireOf(path: string): Wire | null {
  if (path.endsWith('/messages')) return 'anthropic';
  if (path.endsWith('/chat/completions')) return 'chat';
  return path.endsWith('/responses') ? 'responses' : null;
}

/** Null when it is no request of that wire. */
export function readModelRequest(wire: Wire, body: unknown): ModelRequest | null {
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success) return null;
  const { model, stream, tools, tool_choice: choice } = parsed.data;
  return {
    wire,
    model,
    stream,
    tools: (tools ?? []).flatMap(offered),
    forcedTool: forcedTool(choice),
    toolResults: countToolResults(wire, parsed.data),
    workingDirectory: workingDirectoryIn(JSON.stringify(body)),
  };
}

function offered(tool: z.infer<typeof toolSchema>): OfferedTool[] {
  if (tool.tools !== undefined) return tool.tools.flatMap((inner) => offered(inner));
  const name = tool.name ?? tool.function?.name;
  return name === undefined ? [] : [{ name, custom: tool.type === 'custom' }];
}

function forcedTool(choice: unknown): string | null {
  const named = z.looseObject({ name: z.string() });
  const direct = named.safeParse(choice);
  if (direct.success) return direct.data.name;
  const nested = z.looseObject({ function: named }).safeParse(choice);
  return nested.success ? nested.data.function.name : null;
}

function countToolResults(wire: Wire, body: z.infer<typeof bodySchema>): number {
  const messages = body.messages ?? [];
  const input = Array.isArray(body.input) ? body.input : [];
  switch (wire) {
    case 'anthropic':
      return messages
        .flatMap(({ content }) => (Array.isArray(content) ? content : []))
        .filter((part: unknown) => itemSchema.safeParse(part).data?.type === 'tool_result').length;
    case 'responses':
      return input.filter(({ type }) => type?.endsWith('_call_output') ?? false).length;
    case 'chat':
      return messages.filter(({ role }) => role === 'tool').length;
  }
}

/** Each agent says it in words of its own. */
function workingDirectoryIn(text: string): string | null {
  const found =
    /<cwd>([^<]+)<\/cwd>/.exec(text) ?? /orking (?:directory|in the directory): ([^\\"\n]+)/.exec(text);
  return found?.[1] ?? null;
}
