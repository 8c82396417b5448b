import { describe, expect, it } from 'vitest';
import type { TrustedPart } from '../../../src/contracts/config/trust.ts';
import type { ScriptValidator } from '../../../src/kernel/plan.ts';
import { compareParts, isCovered } from '../../../src/trust/compare-parts.ts';
import { detectedParts, suitePart, workflowPart } from '../../../src/trust/file-parts.ts';
import { commandText, createPart } from '../../../src/trust/part.ts';
import { agent, planOf, validation } from '../../../testing/plans.ts';

const digest = (text: string) => `#${text}`;
const trustedAs = (kind: TrustedPart['kind'], name: string, text: string, value: unknown): TrustedPart => ({
  repository: '/r',
  kind,
  name,
  text,
  digest: digest(createPart(kind, name, text, value).canonical),
  trusted_at: '2026-01-01T00:00:00Z',
});

describe('comparing parts with what was trusted', () => {
  const now = createPart('validator', 'tests', 'npm test', { command: ['npm', 'test'] });
  it.each([
    ['never trusted', [], { state: 'new', before: null }],
    [
      'trusted as it is',
      [trustedAs('validator', 'tests', 'npm test', { command: ['npm', 'test'] })],
      { state: 'trusted', before: null },
    ],
    [
      'changed: the last yes is shown',
      [trustedAs('validator', 'tests', 'a', 1), trustedAs('validator', 'tests', 'b', 2)],
      { state: 'changed', before: 'b' },
    ],
    [
      'trusted under another name',
      [trustedAs('validator', 'lint', 'npm test', { command: ['npm', 'test'] })],
      { state: 'new', before: null },
    ],
    [
      'trusted as another kind',
      [trustedAs('agent', 'tests', 'npm test', { command: ['npm', 'test'] })],
      { state: 'new', before: null },
    ],
    [
      'changed back to what was trusted once',
      [
        trustedAs('validator', 'tests', 'npm test', { command: ['npm', 'test'] }),
        trustedAs('validator', 'tests', 'b', 2),
      ],
      { state: 'trusted', before: null },
    ],
  ] as const)('%s', (_, trusted, expected) => {
    expect(compareParts([now], trusted, digest)).toMatchObject([expected]);
  });
});

describe('`trusted` of the configuration', () => {
  it.each([
    ['/src/shop', ['/src/shop'], true],
    ['/src/shop', ['/src'], true],
    ['/src/shop', ['/src/'], true],
    ['/src/shop', ['/src/*'], true],
    ['/src/a/shop', ['/src/*'], false],
    ['/src/a/shop', ['/src/**'], true],
    ['/u/me/shop', ['~/shop'], true],
    ['/u/me/shop', ['~'], true],
    ['/u/me/shop', ['~/sh*'], true],
    ['/u/me2/shop', ['~'], false],
    ['/src/shop', ['src/shop', 'shop', '**'], false],
    ['/src/shop-evil', ['/src/shop'], false],
    ['/src/.shop', ['/src/*'], true],
    ['/src/shop', [], false],
  ])('%s by %j: %s', (repository, globs, expected) => {
    expect(isCovered(globs, repository, '/u/me')).toBe(expected);
  });
});

describe('parts of files', () => {
  it('are the checks that the configuration does not replace', () => {
    const found = [
      { name: 'tests', command: ['npm', 'test'], source: 'script "test"' },
      { name: 'lint', command: ['npm', 'run', 'lint'], source: 'script "lint"' },
    ] as const;
    expect(detectedParts(found, ['tests']).map(({ text }) => text)).toEqual([
      'npm run lint, found as script "lint"',
    ]);
  });

  it('of a suite are its commands with their input, and not what is expected of them', () => {
    const part = (stdin: string, stdout: string) =>
      suitePart('s.yaml', {
        suite_id: 's',
        cases: [{ kind: 'cli', id: 'a', command: ['sh'], stdin, stdout }],
      });
    expect(part('rm -rf ~', 'x').text).toBe('a: sh, with the input "rm -rf ~"');
    expect(part('x', 'one').canonical).toBe(part('x', 'two').canonical);
    expect(part('x', 'one').canonical).not.toBe(part('y', 'one').canonical);
  });

  it('show commands so that they can be distinguished', () => {
    expect(commandText(['a', 'b c', 'd'])).toBe('a "b c" d');
    expect(commandText(['a', 'b', 'c d'])).not.toBe(commandText(['a', 'b c', 'd']));
    expect(commandText('claude')).toBe('claude');
  });

  it('of a workflow are its agents and scripts, and not its prompts', () => {
    const withPrompt = (text: string, entrypoint: string) =>
      workflowPart(
        planOf([
          agent('a', { agent: 'coder', prompt: { kind: 'inline', text } }),
          validation('v', { validators: [script(entrypoint)] }),
        ]),
      );
    const part = withPrompt('Do it.', 'tools/x');
    expect(part.text).toBe('starts coder\nruns tools/x --now');
    expect(withPrompt('Do something else.', 'tools/x').canonical).toBe(part.canonical);
    expect(withPrompt('Do it.', 'tools/y').canonical).not.toBe(part.canonical);
  });
});

function script(entrypoint: string): ScriptValidator {
  const rest = { artifacts: [], timeoutMs: null, report: null, mayProposeGoldens: null, retries: null };
  return { kind: 'script', id: 'own', entrypoint, args: ['--now'], cwd: null, ...rest };
}
