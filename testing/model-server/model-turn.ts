import type { ModelRequest } from './model-request.ts';
import type { AnswerStep } from './model-script.ts';

/** One answer of a model, before it is put into the words of a wire. */
export interface ModelTurn {
  readonly id: string;
  /** It ends because no more tokens were allowed. */
  readonly cut: boolean;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  readonly said:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'tool'; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
    | { readonly kind: 'custom_tool'; readonly name: string; readonly text: string };
}

const PLAIN_USAGE = { input_tokens: 1_000, output_tokens: 50 };

/** Tools by which programs take a structured answer. */
const OUTPUT_TOOLS = ['StructuredOutput', 'structured_output', 'json'];

type Input = Readonly<Record<string, unknown>>;
type Said = ModelTurn['said'];

const WRITERS: Readonly<Record<string, (path: string, content: string) => Input>> = {
  Write: (path, content) => ({ file_path: path, content }),
  write_file: (path, content) => ({ file_path: path, content }),
  write: (path, content) => ({ filePath: path, content }),
};

const SHELLS: Readonly<Record<string, (command: string) => Input>> = {
  Bash: (command) => ({ command, description: 'scripted' }),
  exec_command: (command) => ({ cmd: command }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
  bash: (command) => ({ command, description: 'scripted' }),
  run_shell_command: (command) => ({ command, is_background: false, description: 'scripted' }),
};

/** A step in the terms of what the request offers. `$DIR` is the folder that the program works in. */
export function turnOf(step: AnswerStep, request: ModelRequest, id: string): ModelTurn {
  const cut = step.kind === 'text' && step.cut === true;
  return { id, cut, usage: step.usage ?? PLAIN_USAGE, said: saidBy(step, request) };
}

/** The words of a text, as the program gets them. */
export function textOf({ text }: Extract<AnswerStep, { kind: 'text' }>, request: ModelRequest): string {
  return placed(text, request);
}

function placed(text: string, { workingDirectory }: ModelRequest): string {
  return text.replaceAll('$DIR', workingDirectory ?? '.');
}

function saidBy(step: AnswerStep, request: ModelRequest): Said {
  const inPlace = (text: string) => placed(text, request);
  switch (step.kind) {
    case 'text':
      return { kind: 'text', text: textOf(step, request) };
    case 'json':
      return structured(step.value, request);
    case 'tool':
      return { kind: 'tool', name: step.name, input: step.input };
    case 'write':
      return written(inPlace(step.path), step.content, request);
    case 'shell':
      return shell(inPlace(step.command), request);
  }
}

function structured(value: unknown, { tools, forcedTool }: ModelRequest): Said {
  const name = forcedTool ?? tools.find((tool) => OUTPUT_TOOLS.includes(tool.name))?.name;
  if (name === undefined) return { kind: 'text', text: JSON.stringify(value) };
  return { kind: 'tool', name, input: value as Input };
}

function written(path: string, content: string, request: ModelRequest): Said {
  for (const [name, inputOf] of Object.entries(WRITERS))
    if (request.tools.some((tool) => tool.name === name))
      return { kind: 'tool', name, input: inputOf(path, content) };
  const patcher = request.tools.find((tool) => tool.name === 'apply_patch');
  if (patcher === undefined)
    return shell(`cat > '${path}' <<'END_OF_FILE'\n${content}\nEND_OF_FILE`, request);
  const patch = patchThatAdds(path, content);
  return patcher.custom
    ? { kind: 'custom_tool', name: patcher.name, text: patch }
    : { kind: 'tool', name: patcher.name, input: { input: patch } };
}

function shell(command: string, { tools }: ModelRequest): Said {
  for (const [name, inputOf] of Object.entries(SHELLS))
    if (tools.some((tool) => tool.name === name)) return { kind: 'tool', name, input: inputOf(command) };
  return { kind: 'text', text: 'there is no tool for that' };
}

function patchThatAdds(path: string, content: string): string {
  const lines = content.replace(/\n$/, '').split('\n');
  return [
    '*** Begin Patch',
    `*** Add File: ${path}`,
    ...lines.map((line) => `+${line}`),
    '*** End Patch',
  ].join('\n');
}
