import type { ServerResponse } from 'node:http';
import type { ModelRequest } from './model-request.ts';
import type { FaultStep } from './model-script.ts';
import { type ModelTurn, turnOf } from './model-turn.ts';
import { printPiece, type WireForm } from './wire-form.ts';

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function sendTurn(
  turn: ModelTurn,
  request: ModelRequest,
  form: WireForm,
  response: ServerResponse,
): void {
  if (!request.stream) {
    sendJson(response, 200, form.whole(turn, request));
    return;
  }
  startStream(response);
  for (const piece of form.pieces(turn, request)) response.write(printPiece(piece));
  response.end();
}

/** Programs look around before they ask: which models there are, how long a text is. */
export function sendOther(method: string | undefined, path: string, response: ServerResponse): void {
  if (path.endsWith('/count_tokens')) sendJson(response, 200, { input_tokens: 10 });
  else if (path.endsWith(':countTokens')) sendJson(response, 200, { totalTokens: 10 });
  else if (path.endsWith('/models')) sendJson(response, 200, { object: 'list', data: [], models: [] });
  else sendJson(response, method === 'HEAD' ? 200 : 404, { error: { message: `no such address: ${path}` } });
}

export function sendFault(
  fault: FaultStep,
  request: ModelRequest,
  form: WireForm,
  response: ServerResponse,
): void {
  switch (fault.kind) {
    case 'status': {
      const { status, message = `scripted ${status}`, retry_after_seconds: after } = fault;
      const headers = after === undefined ? {} : { 'retry-after': String(after) };
      sendJson(response, status, form.error(status, message), headers);
      return;
    }
    case 'drop':
      response.destroy();
      return;
    case 'bad_json':
      response.writeHead(200, {
        'content-type': request.stream ? 'text/event-stream' : 'application/json',
      });
      response.end(request.stream ? 'data: {"type": "mess\n\n' : '{"type": "mess');
      return;
    case 'no_answer':
      return;
    case 'silence':
      fallSilent(request, form, response);
      return;
  }
}

/** An answer that begins like any other, and stays where it is. */
function fallSilent(request: ModelRequest, form: WireForm, response: ServerResponse): void {
  if (!request.stream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{');
    return;
  }
  startStream(response);
  const turn = turnOf({ kind: 'text', text: 'I was about to say' }, request, 'silence');
  for (const piece of form.pieces(turn, request).slice(0, 3)) response.write(printPiece(piece));
}

function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}
