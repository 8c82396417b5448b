import type { ModelRequest } from './model-request.ts';
import type { ModelTurn } from './model-turn.ts';
import { type Piece, slices, type WireForm } from './wire-form.ts';

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** Google's generateContent. */
export const geminiWire: WireForm = {
  whole: (turn, request) => answerOf(turn, request, partOf(turn), true),
  pieces: (turn, request) => {
    const parts =
      turn.said.kind === 'text' ? slices(turn.said.text).map((text) => ({ text })) : [partOf(turn)];
    return parts.map(
      (part, index): Piece => ({
        event: null,
        data: answerOf(turn, request, part, index === parts.length - 1),
      }),
    );
  },
  error: (status, message) => ({
    error: { code: status, message, status: STATUS_WORDS[status] ?? 'INTERNAL' },
  }),
};

function partOf({ said }: ModelTurn) {
  if (said.kind === 'text') return { text: said.text };
  return {
    functionCall: { name: said.name, args: said.kind === 'tool' ? said.input : { input: said.text } },
  };
}

/** Only the last piece says why it is the last, and what it all used. */
function answerOf({ id, usage }: ModelTurn, { model }: ModelRequest, part: unknown, isLast: boolean) {
  const { input_tokens, output_tokens } = usage;
  const content = { role: 'model', parts: [part] };
  const metadata = {
    promptTokenCount: input_tokens,
    candidatesTokenCount: output_tokens,
    totalTokenCount: input_tokens + output_tokens,
  };
  return {
    candidates: [{ content, index: 0, ...(isLast ? { finishReason: 'STOP' } : {}) }],
    ...(isLast ? { usageMetadata: metadata } : {}),
    modelVersion: model,
    responseId: `gen_${id}`,
  };
}
