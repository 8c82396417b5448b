import type { ModelRequest } from './model-request.ts';
import type { ModelTurn } from './model-turn.ts';

/** How one API puts an answer, whole or in pieces, and an error. */
export interface WireForm {
  readonly whole: (turn: ModelTurn, request: ModelRequest) => unknown;
  /** Server-sent events in their order; the last one ends the answer. */
  readonly pieces: (turn: ModelTurn, request: ModelRequest) => readonly Piece[];
  readonly error: (status: number, message: string) => unknown;
}

export interface Piece {
  /** The name of the event, where the API gives one. */
  readonly event: string | null;
  /** Already text where the API ends with a word instead of JSON. */
  readonly data: unknown;
}

export function printPiece({ event, data }: Piece): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === null ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

/** Long texts come in several pieces, as they do from a model. */
export function slices(text: string, size = 24): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts.length === 0 ? [''] : parts;
}
