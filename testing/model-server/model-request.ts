import * as z from 'zod';

/** The ways in which the command lines and libraries of today talk to a model. */
export type Wire = 'anthropic' | 'responses' | 'chat' | 'gemini';

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
  /** Whether the request ends with the result of a tool, not with a prompt. */
  readonly afterTool: boolean;
  /** What the model has said so far without using a tool, as the program repeats it. */
  readonly saidBefore: readonly string[];
  /** The folder that the asking program says it works in. */
  readonly workingDirectory: string | null;
}

const toolSchema = z.looseObject({
  type: z.string().optional(),
  name: z.string().optional(),
  function: z.looseObject({ name: z.string() }).optional(),
  tools: z.array(z.looseObject({ name: z.string().optional(), type: z.string().optional() })).optional(),
  functionDeclarations: z.array(z.looseObject({ name: z.string() })).optional(),
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
  contents: z
    .array(z.looseObject({ role: z.string().optional(), parts: z.array(z.looseObject({})).optional() }))
    .nullish(),
});

/** Google's wire has in its address what the others have in the request. */
const GEMINI_PATH = /\/models\/([^/:]+):(g|streamG)enerateContent$/;

export function wireOf(path: string): Wire | null {
  if (GEMINI_PATH.test(path)) return 'gemini';
  if (path.endsWith('/messages')) return 'anthropic';
  if (path.endsWith('/chat/completions')) return 'chat';
  return path.endsWith('/responses') ? 'responses' : null;
}

/** Null when it is no request of that wire. */
export function readModelRequest(wire: Wire, body: unknown, path = ''): ModelRequest | null {
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success) return null;
  const { model, stream, tools, tool_choice: choice } = parsed.data;
  const [, named, manner] = GEMINI_PATH.exec(path) ?? [];
  return {
    wire,
    model: named ?? model,
    stream: stream || manner === 'streamG',
    tools: (tools ?? []).flatMap(offered),
    forcedTool: forcedTool(choice),
    toolResults: countToolResults(wire, parsed.data),
    afterTool: countToolResults(wire, lastOf(parsed.data)) > 0,
    saidBefore: saidIn(parsed.data),
    workingDirectory: workingDirectoryIn(JSON.stringify(body)),
  };
}

function offered(tool: z.infer<typeof toolSchema>): OfferedTool[] {
  if (tool.tools !== undefined) return tool.tools.flatMap((inner) => offered(inner));
  if (tool.functionDeclarations !== undefined)
    return tool.functionDeclarations.map(({ name }) => ({ name, custom: false }));
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

/** The request with nothing but the last thing that it says. */
function lastOf(body: z.infer<typeof bodySchema>): z.infer<typeof bodySchema> {
  const { messages, input, contents } = body;
  return {
    ...body,
    messages: messages?.slice(-1),
    input: Array.isArray(input) ? input.slice(-1) : input,
    contents: contents?.slice(-1),
  };
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
    case 'gemini':
      return (body.contents ?? [])
        .flatMap(({ parts }) => parts ?? [])
        .filter((part) => 'functionResponse' in part).length;
  }
}

const textPartSchema = z.looseObject({ text: z.string() });

function saidIn({ messages, input, contents }: z.infer<typeof bodySchema>): string[] {
  const items = [
    ...(messages ?? []),
    ...(Array.isArray(input) ? input : []),
    ...(contents ?? []).map(({ role, parts }) => ({ role, content: parts })),
  ];
  return items.flatMap(({ role, content }) => {
    if (role !== 'assistant' && role !== 'model') return [];
    if (typeof content === 'string') return [content];
    const parts = Array.isArray(content) ? content : [];
    return parts.flatMap((part: unknown) => textPartSchema.safeParse(part).data?.text ?? []);
  });
}

/** Each agent says it in words of its own. */
function workingDirectoryIn(text: string): string | null {
  const found =
    /<cwd>([^<]+)<\/cwd>/.exec(text) ?? /orking (?:directory|in the directory): ([^\\"\n]+)/.exec(text);
  return found?.[1] ?? null;
}
