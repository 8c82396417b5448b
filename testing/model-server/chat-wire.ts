import type { ModelRequest } from './model-request.ts';
import type { ModelTurn } from './model-turn.ts';
import { errorCode, errorType } from './responses-wire.ts';
import { type Piece, slices, type WireForm } from './wire-form.ts';

/** OpenAI chat completions, which most other endpoints speak. */
export const chatWire: WireForm = {
  whole: (turn, request) => ({
    ...headOf(turn, request, 'chat.completion'),
    choices: [{ index: 0, message: messageOf(turn), logprobs: null, finish_reason: reasonOf(turn) }],
    usage: usageOf(turn),
  }),
  pieces: (turn, request) => {
    const head = headOf(turn, request, 'chat.completion.chunk');
    const chunk = (delta: unknown, finish: string | null = null): Piece => ({
      event: null,
      data: { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
    });
    return [
      chunk({ role: 'assistant', content: '' }),
      ...deltasOf(turn).map((delta) => chunk(delta)),
      chunk({}, reasonOf(turn)),
      { event: null, data: { ...head, choices: [], usage: usageOf(turn) } },
      { event: null, data: '[DONE]' },
    ];
  },
  error: (status, message) => ({
    error: { message, type: errorType(status), param: null, code: errorCode(status) },
  }),
};

function headOf({ id }: ModelTurn, { model }: ModelRequest, object: string) {
  return { id: `chatcmpl-${id}`, object, created: 1_700_000_000, model };
}

function reasonOf({ said, cut }: ModelTurn): string {
  if (cut) return 'length';
  return said.kind === 'text' ? 'stop' : 'tool_calls';
}

function usageOf({ usage }: ModelTurn) {
  const { input_tokens, output_tokens } = usage;
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
  };
}

function callOf({ id, said }: ModelTurn) {
  const fields =
    said.kind === 'text'
      ? { name: '', arguments: '' }
      : { name: said.name, arguments: said.kind === 'tool' ? JSON.stringify(said.input) : said.text };
  return { id: `call_${id}`, type: 'function', function: fields };
}

function messageOf(turn: ModelTurn) {
  if (turn.said.kind === 'text') return { role: 'assistant', content: turn.said.text, refusal: null };
  return { role: 'assistant', content: null, refusal: null, tool_calls: [callOf(turn)] };
}

/** The first piece of a call names it; the others only go on with its arguments. */
function deltasOf(turn: ModelTurn): unknown[] {
  if (turn.said.kind === 'text') return slices(turn.said.text).map((content) => ({ content }));
  const { function: called, ...call } = callOf(turn);
  const first = { index: 0, ...call, function: { name: called.name, arguments: '' } };
  return [
    { tool_calls: [first] },
    ...slices(called.arguments).map((part) => ({
      tool_calls: [{ index: 0, function: { arguments: part } }],
    })),
  ];
}
