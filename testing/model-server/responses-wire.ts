import type { ModelRequest } from './model-request.ts';
import type { ModelTurn } from './model-turn.ts';
import { type Piece, slices, type WireForm } from './wire-form.ts';

/** The OpenAI Responses API. */
export const responsesWire: WireForm = {
  whole: (turn, request) => responseOf(turn, request),
  pieces: (turn, request) => {
    const response = responseOf(turn, request);
    const begun = { ...response, status: 'in_progress', output: [], usage: null };
    return [
      { type: 'response.created', response: begun },
      { type: 'response.in_progress', response: begun },
      ...itemEvents(itemOf(turn)),
      { type: turn.cut ? 'response.incomplete' : 'response.completed', response },
    ].map((data, index): Piece => ({ event: data.type, data: { ...data, sequence_number: index } }));
  },
  error: (status, message) => ({
    error: { message, type: errorType(status), param: null, code: errorCode(status) },
  }),
};

type Item = ReturnType<typeof itemOf>;
interface WireEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

function itemEvents(item: Item): WireEvent[] {
  const place = { item_id: item.id, output_index: 0 };
  const done: WireEvent = { type: 'response.output_item.done', output_index: 0, item };
  const added = (begun: unknown): WireEvent => ({
    type: 'response.output_item.added',
    output_index: 0,
    item: begun,
  });
  switch (item.type) {
    case 'message': {
      const [part] = item.content;
      const at = { ...place, content_index: 0 };
      return [
        added({ ...item, status: 'in_progress', content: [] }),
        { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
        ...slices(part.text).map((delta) => ({
          type: 'response.output_text.delta',
          ...at,
          delta,
          logprobs: [],
        })),
        { type: 'response.output_text.done', ...at, text: part.text, logprobs: [] },
        { type: 'response.content_part.done', ...at, part },
        done,
      ];
    }
    case 'function_call':
      return [
        added({ ...item, status: 'in_progress', arguments: '' }),
        ...slices(item.arguments).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          ...place,
          delta,
        })),
        { type: 'response.function_call_arguments.done', ...place, arguments: item.arguments },
        done,
      ];
    case 'custom_tool_call':
      return [
        added({ ...item, status: 'in_progress', input: '' }),
        { type: 'response.custom_tool_call_input.delta', ...place, delta: item.input },
        { type: 'response.custom_tool_call_input.done', ...place, input: item.input },
        done,
      ];
  }
}

function itemOf({ id, said }: ModelTurn) {
  const status = 'completed';
  switch (said.kind) {
    case 'text':
      return {
        type: 'message' as const,
        id: `msg_${id}`,
        role: 'assistant',
        status,
        content: [{ type: 'output_text', text: said.text, annotations: [], logprobs: [] }] as const,
      };
    case 'tool':
      return {
        type: 'function_call' as const,
        id: `fc_${id}`,
        call_id: `call_${id}`,
        name: said.name,
        arguments: JSON.stringify(said.input),
        status,
      };
    case 'custom_tool':
      return {
        type: 'custom_tool_call' as const,
        id: `ctc_${id}`,
        call_id: `call_${id}`,
        name: said.name,
        input: said.text,
        status,
      };
  }
}

function responseOf(turn: ModelTurn, { model }: ModelRequest) {
  const { input_tokens, output_tokens } = turn.usage;
  return {
    id: `resp_${turn.id}`,
    object: 'response',
    created_at: 1_700_000_000,
    model,
    status: turn.cut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: turn.cut ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    metadata: {},
    output: [itemOf(turn)],
    parallel_tool_calls: false,
    tool_choice: 'auto',
    tools: [],
    usage: {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + output_tokens,
    },
  };
}

export function errorType(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

export function errorCode(status: number): string | null {
  if (status === 401) return 'invalid_api_key';
  return status === 429 ? 'rate_limit_exceeded' : null;
}
