import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ModelScript } from '../../testing/model-server/model-script.ts';
import { createModelServer, type ModelServer } from '../../testing/model-server/model-server.ts';

const LONG = 'A sentence that is long enough to come in several pieces of a stream.';
const USAGE = { input_tokens: 12, output_tokens: 7 };

const SCRIPT: ModelScript = {
  default: [{ kind: 'text', text: 'hello' }],
  speaks: [{ kind: 'text', text: LONG, usage: USAGE }],
  tires: [{ kind: 'text', text: 'And so', cut: true }],
  works: [
    { kind: 'tool', name: 'add', input: { left: 2, right: 3 } },
    { kind: 'text', text: 'It is five.' },
  ],
  closes: [
    { kind: 'text', text: 'Done.', after_tool: true },
    { kind: 'tool', name: 'add', input: { left: 2, right: 3 } },
    { kind: 'text', text: 'It is five.', after_tool: true },
  ],
  loops: [{ kind: 'tool', name: 'add', input: { left: 1, right: 1 } }],
  overloaded: [
    { kind: 'status', status: 529, times: 1 },
    { kind: 'text', text: 'better' },
  ],
  limited: [{ kind: 'status', status: 429, retry_after_seconds: 7 }],
};

let server: ModelServer;
beforeAll(async () => {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  server = await createModelServer(SCRIPT);
});
afterAll(() => server.close());

const MODELS: Readonly<Record<string, (scenario: string) => LanguageModel>> = {
  'the Messages API': (scenario) =>
    createAnthropic({ baseURL: `${server.urlOf(scenario)}/v1`, apiKey: 'x' })('some-model'),
  'the Responses API': (scenario) =>
    createOpenAI({ baseURL: `${server.urlOf(scenario)}/v1`, apiKey: 'x' }).responses('some-model'),
  'chat completions': (scenario) =>
    createOpenAICompatible({
      name: 'scripted',
      baseURL: `${server.urlOf(scenario)}/v1`,
      includeUsage: true,
    })('some-model'),
};

const add = tool({
  description: 'Adds.',
  inputSchema: z.object({ left: z.number(), right: z.number() }),
  execute: ({ left, right }) => left + right,
});

describe.each(Object.entries(MODELS))('the scripted model, by %s', (name, modelAt) => {
  it('says a text in one piece, with what it used', async () => {
    const { text, usage } = await generateText({ model: modelAt('speaks'), prompt: 'go' });
    expect(text).toBe(LONG);
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 7 });
  });

  it('says the same text in many pieces', async () => {
    const result = streamText({ model: modelAt('speaks'), prompt: 'go' });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(LONG);
    expect(await result.usage).toMatchObject({ inputTokens: 12, outputTokens: 7 });
  });

  it('ends in the middle when no more tokens are allowed', async () => {
    const whole = await generateText({ model: modelAt('tires'), prompt: 'go' });
    const streamed = streamText({ model: modelAt('tires'), prompt: 'go' });
    expect([whole.finishReason, await streamed.finishReason]).toEqual(['length', 'length']);
  });

  it.each(['whole', 'streamed'])('calls a tool and continues with its result, %s', async (how) => {
    const request = { model: modelAt('works'), prompt: 'go', tools: { add }, stopWhen: stepCountIs(5) };
    const result = how === 'whole' ? await generateText(request) : streamText(request);
    expect(await result.text).toBe('It is five.');
    const outputs = (await result.steps).flatMap((step) => step.toolResults).map(({ output }) => output);
    expect(outputs).toEqual([5]);
  });

  it('gives a closing text to the result of a tool alone, and the next step to a prompt', async () => {
    const request = { model: modelAt('closes'), prompt: 'go', tools: { add }, stopWhen: stepCountIs(5) };
    const { text, steps } = await generateText(request);
    expect(text).toBe('It is five.');
    expect(steps.map((step) => step.text)).not.toContain('Done.');
  });

  it('calls its last tool without end', async () => {
    const result = await generateText({
      model: modelAt('loops'),
      prompt: 'go',
      tools: { add },
      stopWhen: stepCountIs(4),
    });
    expect(result.steps.map((step) => step.finishReason)).toEqual(Array(4).fill('tool-calls'));
  });

  it('fails as often as the script says, with an error that its client understands', async () => {
    const scenario = `overloaded~${name.replaceAll(' ', '-')}`;
    const { text } = await generateText({ model: modelAt(scenario), prompt: 'go', maxRetries: 1 });
    expect(text).toBe('better');
    expect(server.requests.filter((request) => request.scenario === scenario)).toHaveLength(2);
  });

  it('says when to retry', async () => {
    const asked = generateText({ model: modelAt('limited'), prompt: 'go', maxRetries: 0 });
    await expect(asked).rejects.toMatchObject({
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after': '7' },
    });
  });
});

describe("the scripted model, by Google's API", () => {
  const ask = async (scenario: string, method: string, body: object) => {
    const address = `${server.urlOf(scenario)}/v1beta/models/some-model:${method}`;
    const response = await fetch(address, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  const tools = [{ functionDeclarations: [{ name: 'add' }] }];
  const result = { functionResponse: { name: 'add', response: { output: 5 } } };

  it('says a text in one piece, with what it used', async () => {
    expect(JSON.parse((await ask('speaks', 'generateContent', {})).text)).toMatchObject({
      candidates: [{ content: { role: 'model', parts: [{ text: LONG }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 7, totalTokenCount: 19 },
      modelVersion: 'some-model',
    });
  });

  it('says the same text in many pieces', async () => {
    const { text } = await ask('speaks', 'streamGenerateContent', {});
    const pieces = text
      .trim()
      .split('\n\n')
      .map((piece) => JSON.parse(piece.replace(/^data: /, '')));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.map(({ candidates: [{ content }] }) => content.parts[0].text).join('')).toBe(LONG);
    expect(pieces.map(({ candidates: [{ finishReason }] }) => finishReason).at(-1)).toBe('STOP');
  });

  it('calls a tool and continues with its result', async () => {
    const first = JSON.parse((await ask('works', 'generateContent', { tools })).text);
    expect(first.candidates[0].content.parts).toEqual([
      { functionCall: { name: 'add', args: { left: 2, right: 3 } } },
    ]);
    const contents = [{ role: 'user', parts: [result] }];
    const second = JSON.parse((await ask('works', 'generateContent', { tools, contents })).text);
    expect(second.candidates[0].content.parts).toEqual([{ text: 'It is five.' }]);
  });

  it('fails with its own error message', async () => {
    const { status, text } = await ask('limited', 'generateContent', {});
    expect(status).toBe(429);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } });
  });
});

describe('the scripted model', () => {
  const post = (path: string, body: string) =>
    fetch(`${new URL(server.url).origin}${path}`, { method: 'POST', body });

  it('keeps what it was asked', async () => {
    await post('/s/speaks/v1/messages', '{"model":"m","messages":[{"role":"user","content":"what?"}]}');
    expect(server.requests.at(-1)).toMatchObject({
      scenario: 'speaks',
      wire: 'anthropic',
      body: { messages: [{ content: 'what?' }] },
    });
  });

  it.each([
    ['a scenario that the script does not have', '/s/none/v1/messages', '{"messages":[]}', 404],
    ['what is no JSON', '/s/speaks/v1/responses', 'hello', 400],
    ['an address that it does not have', '/s/speaks/v1/images', '{}', 404],
    ['the default scenario without a prefix', '/v1/chat/completions', '{"messages":[]}', 200],
    ['how long a text is', '/s/speaks/v1/messages/count_tokens', '{}', 200],
  ])('answers to %s as a model would', async (_what, path, body, status) => {
    expect((await post(path, body)).status).toBe(status);
  });
});
