import { describe, expect, it } from 'vitest';
import { type CliEnd, STRUCTURED_CLIS } from '../../../src/adapters/planner/structured-cli.ts';

const FILES = { schema: '/x/schema.json', answer: '/x/answer.json' };
const ended = (fields: Partial<CliEnd>): CliEnd => ({
  exitCode: 0,
  stdout: '',
  stderr: '',
  answer: null,
  ...fields,
});

const USED = {
  input_tokens: 10,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 30,
  output_tokens: 5,
};
const claudeSays = (fields: object) =>
  JSON.stringify({ type: 'result', is_error: false, usage: USED, total_cost_usd: 0.5, ...fields });

describe('the answer of Claude Code', () => {
  const { read, args } = STRUCTURED_CLIS['claude-code'];

  it('is asked for without tools and without servers of the user', () => {
    expect(args('{}', FILES, 'opus')).toEqual([
      '-p',
      '--tools',
      '',
      '--strict-mcp-config',
      '--no-session-persistence',
      '--output-format',
      'json',
      '--json-schema',
      '{}',
      '--model',
      'opus',
    ]);
  });

  it('is its structured output, with all tokens that it read', () => {
    const stdout = claudeSays({ result: '{}', structured_output: { status: 'success' } });
    expect(read(ended({ stdout }))).toEqual({
      reply: { kind: 'proposal', proposal: { status: 'success' } },
      usage: { input_tokens: 60, output_tokens: 5, cost_usd: 0.5 },
    });
  });

  it('is one that does not fit where it turned down its own answers', () => {
    const subtype = 'error_max_structured_output_retries';
    const { reply, usage } = read(
      ended({
        exitCode: 1,
        stdout: claudeSays({ subtype, is_error: true, errors: ['not after 5 attempts'] }),
      }),
    );
    expect(reply).toMatchObject({
      kind: 'no_proposal',
      code: 'planner_reply_invalid',
      summary: expect.stringContaining('not after 5 attempts'),
    });
    expect(usage).toMatchObject({ output_tokens: 5 });
  });

  it('is its prose where the structured output is missing, so that it is refused', () => {
    const { reply } = read(ended({ stdout: claudeSays({ result: 'All good.' }) }));
    expect(reply).toEqual({ kind: 'proposal', proposal: 'All good.' });
  });

  it.each([
    [
      'an API error reported as a success',
      ended({ stdout: claudeSays({ is_error: true, result: 'API 500' }) }),
      'API 500',
    ],
    ['an exit code', ended({ exitCode: 1, stdout: claudeSays({ result: 'no login' }) }), 'no login'],
    ['no JSON', ended({ exitCode: 2, stdout: 'usage: claude' }), 'usage: claude'],
    ['nothing but stderr', ended({ exitCode: 2, stderr: 'unknown option' }), 'unknown option'],
  ])('is none after %s', (_what, end, message) => {
    const { reply } = read(end);
    expect(reply).toMatchObject({ kind: 'no_proposal', code: 'planner_unavailable' });
    expect(JSON.stringify(reply)).toContain(message);
  });
});

describe('the answer of Codex', () => {
  const { read, args } = STRUCTURED_CLIS.codex;
  const completed = `${JSON.stringify({
    type: 'turn.completed',
    usage: { input_tokens: 7, output_tokens: 3 },
  })}\n`;

  it('is asked for with the schema and the prompt on standard input', () => {
    expect(args('{}', FILES, null).slice(-5)).toEqual([
      '--output-schema',
      FILES.schema,
      '-o',
      FILES.answer,
      '-',
    ]);
  });

  it('is what it wrote, whether it fits or not', () => {
    expect(read(ended({ stdout: completed, answer: '{"a":1}' }))).toEqual({
      reply: { kind: 'proposal', proposal: { a: 1 } },
      usage: { input_tokens: 7, output_tokens: 3 },
    });
    const prose = read(ended({ stdout: completed, answer: 'Fine.' }));
    expect(prose.reply).toEqual({ kind: 'proposal', proposal: 'Fine.' });
  });

  it.each([
    [
      'a turn that failed',
      ended({ exitCode: 1, stdout: '{"type":"turn.failed","error":{"message":"401"}}\n' }),
      '401',
    ],
    ['an end without a turn', ended({ stdout: '{"type":"turn.started"}\n', stderr: 'gone' }), 'gone'],
  ])('is none after %s', (_what, end, message) => {
    const { reply } = read(end);
    expect(reply).toMatchObject({ kind: 'no_proposal', code: 'planner_unavailable' });
    expect(JSON.stringify(reply)).toContain(message);
  });
});
