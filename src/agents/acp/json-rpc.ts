import * as z from 'zod';

/** JSON-RPC 2.0 between two programs over pipes. Each line is one message. */

export type RpcId = string | number;

export type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'result'; readonly id: RpcId; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: RpcId | null; readonly error: RpcError };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
}

export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;

const idSchema = z.union([z.string(), z.number()]);
const errorSchema = z.looseObject({
  code: z.number().catch(0),
  message: z.string().catch('an error without a message'),
  data: z.unknown().optional(),
});
const callSchema = z.looseObject({
  method: z.string(),
  id: idSchema.nullish(),
  params: z.unknown().optional(),
});
const failureSchema = z.looseObject({ id: idSchema.nullish(), error: errorSchema });
const answerSchema = z.looseObject({ id: idSchema, result: z.unknown() });

/** Parses a message; null if the value is not one. The version is not checked, because some agents omit it. */
export function readMessage(value: unknown): RpcMessage | null {
  const call = callSchema.safeParse(value);
  if (call.success) {
    const { id, method, params } = call.data;
    return id === undefined || id === null
      ? { kind: 'notification', method, params }
      : { kind: 'request', id, method, params };
  }
  const failure = failureSchema.safeParse(value);
  if (failure.success) {
    const { id, error } = failure.data;
    return { kind: 'error', id: id ?? null, error: { ...error, data: error.data } };
  }
  const answer = answerSchema.safeParse(value);
  if (!answer.success || !('result' in answer.data)) return null;
  return { kind: 'result', id: answer.data.id, result: answer.data.result };
}

export function requestLine(id: RpcId, method: string, params: unknown): string {
  return line({ id, method, params });
}

export function notificationLine(method: string, params: unknown): string {
  return line({ method, params });
}

export function resultLine(id: RpcId, result: unknown): string {
  return line({ id, result });
}

export function errorLine(id: RpcId, code: number, message: string): string {
  return line({ id, error: { code, message } });
}

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
}
