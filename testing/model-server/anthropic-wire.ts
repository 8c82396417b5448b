import type { ModelRequest } from './model-request.ts';
import type { ModelTurn } from './model-turn.ts';
import { type Piece, slices, type WireForm } from './wire-form.ts';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** The Messages API. */
export const anthropicWire: WireForm = {
  whole: (turn, request) => messageOf(turn, request),
  pieces: (turn, request) => {
    const { content, stop_reason, usage, ...rest } = messageOf(turn, request);
    const [block] = content;
    const empty = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
    const deltas =
      block.type === 'text'
        ? slices(block.text).map((text) => ({ type: 'text_delta', text }))
        : slices(JSON.stringify(block.input)).map((json) => ({
            type: 'input_json_delta',
            partial_json: json,
          }));
    return [
      named({
        type: 'message_start',
        message: { ...rest, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      }),
      named({ type: 'content_block_start', index: 0, content_block: empty }),
      named({ type: 'ping' }),
      ...deltas.map((delta) => named({ type: 'content_block_delta', index: 0, delta })),
      named({ type: 'content_block_stop', index: 0 }),
      named({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }),
      named({ type: 'message_stop' }),
    ];
  },
  error: (status, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
    request_id: 'req_scripted',
  }),
};

function messageOf({ id, said, usage, cut }: ModelTurn, { model }: ModelRequest) {
  const block =
    said.kind === 'text'
      ? { type: 'text' as const, text: said.text }
      : {
          type: 'tool_use' as const,
          id: `toolu_${id}`,
          name: said.name,
          input: said.kind === 'tool' ? said.input : { input: said.text },
        };
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [block] as const,
    stop_reason: cut ? 'max_tokens' : said.kind === 'text' ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { ...usage, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
}

function named(data: { readonly type: string; readonly [key: string]: unknown }): Piece {
  return { event: data.type, data };
}
