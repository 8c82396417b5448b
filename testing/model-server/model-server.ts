import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicWire } from './anthropic-wire.ts';
import { chatWire } from './chat-wire.ts';
import { geminiWire } from './gemini-wire.ts';
import { type ModelRequest, readModelRequest, type Wire, wireOf } from './model-request.ts';
import { chooseStep, isFault, type ModelScript, type ModelStep } from './model-script.ts';
import { textOf, turnOf } from './model-turn.ts';
import { responsesWire } from './responses-wire.ts';
import { sendFault, sendJson, sendOther, sendTurn } from './send-reply.ts';
import type { WireForm } from './wire-form.ts';

/** A model on loopback that says what a script says, by the wires of Anthropic, OpenAI and Google. */
export interface ModelServer {
  /** Of the scenario `default`; others are below `/s/<name>`, or `/s/<name>~<anything>` with counts of its own. */
  readonly url: string;
  readonly urlOf: (scenario: string) => string;
  /** Every request that asked a model something, in the order they came. */
  readonly requests: readonly ReceivedRequest[];
  readonly close: () => Promise<void>;
}

export interface ReceivedRequest {
  readonly scenario: string;
  readonly wire: Wire;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

const FORMS: Readonly<Record<Wire, WireForm>> = {
  anthropic: anthropicWire,
  responses: responsesWire,
  chat: chatWire,
  gemini: geminiWire,
};

const DEFAULT_SCENARIO = 'default';

export async function createModelServer(script: ModelScript, port = 0): Promise<ModelServer> {
  const requests: ReceivedRequest[] = [];
  const faultsMade = new Map<string, Map<number, number>>();
  const server = createServer((incoming, response) => {
    void answer(incoming, response).catch(() => response.destroy());
  });

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { scenario, path } = placeOf(incoming.url ?? '/');
    const body = await readBody(incoming);
    const wire = incoming.method === 'POST' ? wireOf(path) : null;
    if (wire === null) return sendOther(incoming.method, path, response);
    requests.push({ scenario, wire, path, headers: incoming.headers, body });
    const request = readModelRequest(wire, body, path);
    const [name = scenario] = scenario.split('~');
    const steps = ownStepsOf(script, name);
    const form = FORMS[wire];
    if (request === null) return sendJson(response, 400, form.error(400, 'the request is not of this API'));
    if (steps === undefined)
      return sendJson(response, 404, form.error(404, `the script has no scenario ${name}`));
    const made = faultsMade.get(scenario) ?? new Map<number, number>();
    faultsMade.set(scenario, made);
    const step = chooseStep(steps, answersBefore(steps, request), made, request.afterTool);
    if (step === null)
      return sendJson(response, 500, form.error(500, `the scenario ${scenario} has no answer`));
    if (isFault(step)) return sendFault(step, request, form, response);
    sendTurn(turnOf(step, request, String(requests.length).padStart(6, '0')), request, form, response);
  };

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/s/${DEFAULT_SCENARIO}`,
    urlOf: (scenario) => `${origin}/s/${scenario}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Tools that were used, and texts of the script: programs put words into the mouth of a model that it never said. */
function answersBefore(steps: readonly ModelStep[], request: ModelRequest): number {
  const texts = steps.flatMap((step) => (step.kind === 'text' ? textOf(step, request).trim() : []));
  return request.toolResults + request.saidBefore.filter((said) => texts.includes(said.trim())).length;
}

function ownStepsOf(script: ModelScript, name: string): ModelScript[string] | undefined {
  return Object.hasOwn(script, name) ? script[name] : undefined;
}

function placeOf(url: string): { readonly scenario: string; readonly path: string } {
  const { pathname } = new URL(url, 'http://127.0.0.1');
  const [, scenario = DEFAULT_SCENARIO, path = pathname] = /^\/s\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
  return { scenario, path };
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return null;
  }
}
