import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../src/contracts/config/config.ts';
import { configParts } from '../../../src/trust/config-parts.ts';

const texts = (repository: ConfigDocument, user: ConfigDocument = {}) =>
  configParts(repository, user).map(({ kind, name, text }) => `${kind} ${name}: ${text}`);

describe('parts of a configuration', () => {
  const cases: readonly (readonly [string, ConfigDocument, readonly string[]])[] = [
    [
      'an agent with what it gets',
      {
        agents: {
          a: {
            kind: 'command',
            command: ['sh', '-c', 'x y'],
            env: ['KEY'],
            sees: ['.ssh'],
            writes: ['/etc'],
          },
        },
      },
      ['agent a: sh -c "x y"; gets the variables KEY; may read .ssh; may write /etc'],
    ],
    ['a built-in agent by its own program', { agents: { codex: { kind: 'codex' } } }, ['agent codex: codex']],
    ['a replay', { agents: { r: { kind: 'replay', run: '01' } } }, ['agent r: replays run 01']],
    ['a validator', { validators: { tests: { command: ['npm', 'test'] } } }, ['validator tests: npm test']],
    [
      'setup with the files it copies',
      { setup: { run: [['npm', 'ci'], ['make']], copy: ['.env'] } },
      ['setup setup: npm ci; make; gets copies of .env'],
    ],
    ['notify', { notify: { command: ['mail', 'me'] } }, ['notify notify: mail me']],
    [
      'an endpoint for telemetry, without the headers that a repository can not set',
      { telemetry: { endpoint: 'http://evil', headers_env: 'SECRET', payloads: true } },
      ['telemetry telemetry: sends traces and metrics of runs to http://evil'],
    ],
    ['telemetry without an endpoint', { telemetry: { payloads: true } }, []],
    [
      'a planner with its address and the name of its key',
      {
        planner: {
          kind: 'model',
          provider: 'openai-compatible',
          model: 'm',
          base_url: 'http://evil',
          api_key_env: 'GITHUB_TOKEN',
        },
      },
      ['planner planner: sends evidence and diffs to http://evil, model m, with the key in GITHUB_TOKEN'],
    ],
    [
      'a planner that only names its provider gets the key of that',
      { planner: { kind: 'model', provider: 'anthropic', model: 'm' } },
      [
        'planner planner: sends evidence and diffs to the address of anthropic, model m, with the key in ANTHROPIC_API_KEY',
      ],
    ],
    [
      'a planner that is an agent',
      { planner: { kind: 'agent', agent: 'a' } },
      ['planner planner: asks the agent a'],
    ],
    [
      'variables that the user does not hand out anyway',
      { environment: ['PATH', 'HOME', 'AWS_SECRET_ACCESS_KEY'] },
      ['environment AWS_SECRET_ACCESS_KEY: its value is passed to agents, validators and setup'],
    ],
    [
      'entrypoints',
      { entrypoints: ['node', 'docker'] },
      ['entrypoint docker: workflow scripts may start it'],
    ],
    [
      'another policy',
      { policy: 'policy.loose.v1' },
      ['policy policy.loose.v1: replaces policy.workspace.v1'],
    ],
    [
      'no sandbox',
      { sandbox: 'off' },
      ['sandbox sandbox: off: agents and validators run with all your permissions'],
    ],
    [
      'other paths',
      { paths: { runs: '../runs', workspaces: '/srv/w' } },
      [
        'paths runs: run records are written to ../runs',
        'paths workspaces: run workspaces are created in /srv/w',
      ],
    ],
  ];
  it.each(cases)('%s', (_, document, expected) => {
    expect(texts(document)).toEqual(expected);
  });

  it.each<[string, ConfigDocument, ConfigDocument]>([
    ['nothing', {}, {}],
    ['fewer variables', { environment: ['PATH'] }, {}],
    ['variables that the user allows', { environment: ['PATH', 'KEY'] }, { environment: ['PATH', 'KEY'] }],
    ['a stricter sandbox', { sandbox: 'required' }, {}],
    ["a looser sandbox than the user's, which counts", { sandbox: 'off' }, { sandbox: 'required' }],
    [
      "a policy beside the user's, which applies too",
      { policy: 'policy.loose.v1' },
      { policy: 'policy.mine.v1' },
    ],
    ['the rules as planner', { planner: { kind: 'rules' } }, {}],
    [
      'limits, tests and retention',
      { limits: { timeout: '1m' }, tests: ['t'], retention: { keep_runs: 1 } },
      {},
    ],
    ['branches that are protected too', { protected_branches: ['trunk'] }, {}],
    ['answers and trusted, which do not count there', { answers: 'any', trusted: ['/**'] }, {}],
  ])('%s needs no yes', (_, repository, user) => {
    expect(texts(repository, user)).toEqual([]);
  });

  it('a sandbox that the user switched off as well is still shown', () => {
    expect(texts({ sandbox: 'off' }, { sandbox: 'off' })).toHaveLength(1);
  });

  it('differ by everything that matters, and not by the order of keys', () => {
    const one = configParts({ validators: { t: { command: ['a'], timeout: '1m' } } }, {});
    const same = configParts({ validators: { t: { timeout: '1m', command: ['a'] } } }, {});
    const other = configParts(
      { validators: { t: { command: ['a'], timeout: '1m', report: 'tap:stdout' } } },
      {},
    );
    expect(same).toEqual(one);
    expect(other[0]?.canonical).not.toBe(one[0]?.canonical);
  });
});
