import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfigDocument } from '../../../src/contracts/config/config.ts';
import { CONFIG_DEFAULTS } from '../../../src/contracts/config/config-defaults.ts';
import { checkConfig } from '../../../src/workflow/config/config-document.ts';
import { mergeConfigs } from '../../../src/workflow/config/config-merge.ts';
import { places } from './check.ts';

const BOUNDS = { memory: '16GB', processes: 1000, written_bytes: '10GB' };

const check = (text: string) => checkConfig({ name: 'config.yaml', bytes: new TextEncoder().encode(text) });

describe('checkConfig', () => {
  it.each(['', '# nothing\n', '{}', 'agents:\n'])('%j is valid and gives every default', (text) => {
    const { diagnostics, config } = check(text);
    expect(diagnostics).toEqual([]);
    const retention = { ...CONFIG_DEFAULTS.retention, is_configured: false };
    expect(config).toEqual({ ...CONFIG_DEFAULTS, retention, validators: {}, prices: {}, notify: [] });
  });

  it.each([
    ['{}', { keep_runs: 200, keep_days: 30, is_configured: false }],
    ['{ keep_runs: 5 }', { keep_runs: 5, keep_days: 0, is_configured: true }],
    ['{ keep_days: 7 }', { keep_runs: 0, keep_days: 7, is_configured: true }],
    ['{ keep_runs: 5, keep_days: 7 }', { keep_runs: 5, keep_days: 7, is_configured: true }],
  ])('retention %s: a limit that is set alone decides alone', (text, retention) => {
    expect(check(`retention: ${text}\n`).config?.retention).toEqual(retention);
  });

  it('reads the example of the documentation', () => {
    const text = readFileSync(join(import.meta.dirname, '../../golden/config/valid.yaml'), 'utf8');
    expect(check(text).config).toMatchObject({
      agents: {
        'claude-code': { kind: 'claude-code', command: 'claude', model: null },
        codex: { kind: 'codex' },
        gemini: { kind: 'acp', command: ['gemini', '--acp'] },
        fixer: { kind: 'command', command: ['node', 'tools/fix.mjs'], env: ['HOME'] },
        rehearsal: { kind: 'replay', run: '0199ab' },
      },
      validators: { tests: { command: ['npm', 'test'], timeout: '15m', report: 'junit:reports/*.xml' } },
      notify: [
        {
          kind: 'ntfy',
          url: 'https://ntfy.example/topic',
          token_env: 'NTFY_TOKEN',
          on: ['gate', 'question', 'end'],
        },
        { kind: 'slack', url: null, url_env: 'SLACK_WEBHOOK' },
        { kind: 'webhook', url: 'https://hooks.example/conductor', secret_env: 'HOOK_SECRET' },
        { kind: 'desktop' },
        { kind: 'command', command: ['tools/notify.sh'], on: ['gate', 'failed'] },
      ],
      sandbox: 'auto',
    });
  });

  it('reads the earlier form of `notify` as one command for gate, end and parked', () => {
    expect(check('notify: { command: [notify-send, --stdin] }\n').config?.notify).toEqual([
      { kind: 'command', command: ['notify-send', '--stdin'], on: ['gate', 'end', 'parked'] },
    ]);
  });

  it('adds the targets of a repository to those of the user, each once', () => {
    const desktop = { kind: 'desktop' } as const;
    const user: ConfigDocument = { notify: [desktop] };
    const repository: ConfigDocument = { notify: [desktop, { kind: 'command', command: ['x'] }] };
    expect(mergeConfigs(user, repository).notify.map(({ kind }) => kind)).toEqual(['desktop', 'command']);
    expect(mergeConfigs(user, repository, { notify: [] }).notify).toEqual([]);
  });

  it('has prices by name and retries by agent, and merges prices by name', () => {
    const { config, document } = check(
      'agents:\n  codex: { retries: 0 }\n  claude-code: { max_turns: 7 }\nprices:\n  gpt-5.5: { input_per_mtok: 1.25, output_per_mtok: 10 }\n',
    );
    expect(config?.agents.codex).toMatchObject({ retries: 0 });
    expect(config?.agents['claude-code']).toMatchObject({ max_turns: 7 });
    const other = { mine: { input_per_mtok: 0, output_per_mtok: 0 } };
    expect(mergeConfigs({ prices: other }, document).prices).toEqual({
      ...other,
      'gpt-5.5': { input_per_mtok: 1.25, output_per_mtok: 10 },
    });
  });

  it.each([
    'prices: { m: { input_per_mtok: -1, output_per_mtok: 1 } }',
    'prices: { m: { input_per_mtok: 1 } }',
    'prices: { m: { input_per_mtok: 1, output_per_mtok: 1, cached: 1 } }',
    'agents: { codex: { retries: -1 } }',
    'agents: { codex: { max_turns: 3 } }',
    'agents: { claude-code: { max_turns: 0 } }',
    'agents: { codex: { retries: 1.5 } }',
  ])('%s is refused', (text) => {
    expect(check(text).config).toBeNull();
  });

  it('has the roles of work items, and merges them by name', () => {
    const { config, document } = check(
      'agents: { mine: { kind: command, command: x } }\nwork: { agents: { reviewer: mine }, jobs: 5 }\n',
    );
    expect(config?.work).toEqual({
      provider: 'local',
      agents: { planner: 'claude-code', implementor: 'claude-code', reviewer: 'mine' },
      specs: ['docs/specs/**/*.md'],
      jobs: 5,
      max_rounds: 2,
      branch: null,
    });
    const user = {
      work: {
        agents: { planner: 'codex', reviewer: 'codex' },
        specs: ['specs/*.md'],
        jobs: 1,
        branch: 'trunk',
      },
    };
    expect(mergeConfigs(user, document).work).toEqual({
      provider: 'local',
      agents: { planner: 'codex', implementor: 'claude-code', reviewer: 'mine' },
      specs: ['specs/*.md'],
      jobs: 5,
      max_rounds: 2,
      branch: 'trunk',
    });
  });

  it.each(['work: { jobs: 0 }', 'work: { agents: { tester: codex } }', 'work: { specs: docs }'])(
    '%s is refused',
    (text) => {
      expect(check(text).config).toBeNull();
    },
  );

  it('a role of work items that is given to an unknown agent is refused with its place', () => {
    const { diagnostics } = check('work:\n  agents: { planner: codexx }\n');
    expect(diagnostics).toMatchObject([
      {
        code: 'CF101',
        message: 'the planner of work items is the agent `codexx`, which is not configured',
        help: 'did you mean `codex`?',
        span: { line: 2 },
      },
    ]);
  });

  it('a built-in agent need not repeat its kind', () => {
    expect(check('agents:\n  codex: { model: gpt-5.5 }').config?.agents.codex).toEqual({
      kind: 'codex',
      command: 'codex',
      model: 'gpt-5.5',
      env: [],
    });
  });

  it('x- keys are free where keys are known, and are names where names are chosen', () => {
    const { diagnostics, config } = check(
      'x-a: 1\nlimits: { x-b: 2 }\nvalidators:\n  x-c: { command: [c], x-d: 1 }',
    );
    expect(diagnostics).toEqual([]);
    expect(Object.keys(config?.validators ?? {})).toEqual(['x-c']);
  });

  it.each<[string, string[]]>([
    ['sandbox: on', ['CF010 1:10']],
    ['limits: { max_visits: 0 }', ['CF011 1:23']],
    ['limits: { timeout: 5 m }', ['CF011 1:20']],
    ['agents:\n  a: { kind: replay, run: 0199 }', ['CF009 2:27']],
    ['agents:\n  a: { kind: command }', ['CF008 2:3']],
    ['agents:\n  a: { kind: acp, command: [] }', ['CF011 2:28']],
    ['agents:\n  a: { kid: acp, command: x }', ['CF007 2:8']],
    ['policy: workspace', ['CF011 1:9']],
    ['planner: { kind: model, provider: anthropic }', ['CF008 1:1']],
    ['planner: { kind: model, provider: mistral, model: m }', ['CF010 1:35']],
    ['planner: { kind: model, provider: openai, model: m, retries: -1 }', ['CF011 1:62']],
    ['planner: { kind: model, provider: openai, model: m, base_url: "ftp://x/v1" }', ['CF104 1:63']],
    ['planner: { kind: model, provider: openai-compatible, model: m, base_url: "http://x/v1" }', []],
    ['- a', ['CF009 1:1']],
    ['paths: { worktrees: trees }', ['CF105 1:10']],
    ['paths: { workspaces: ws }', ['CF106 1:22']],
    ['paths: { workspaces: ./ws/../../repo/ws }', []],
    ['paths: { workspaces: ../ws }', []],
    ['paths: { workspaces: ~/ws }', []],
    ['paths: { workspaces: /srv/ws }', []],
    ['paths: { runs: /srv, workspaces: /srv/ws }', ['CF102 1:34']],
    ['setup: { ports: -1 }', ['CF011 1:17']],
    ['setup: { ports: 1001 }', ['CF011 1:17']],
    ['setup: { run: [npm, ci] }', ['CF009 1:15']],
    ['setup: { run: [[]] }', ['CF011 1:16']],
    ['setup: { run: [[x]], cache: { key: [], paths: [a] } }', ['CF011 1:36']],
    ['setup: { run: [[x]], cache: { key: ["*.lock"], paths: ["packages/*/node_modules"] } }', []],
    ['setup: { run: [[x]], cache: { key: [a], paths: [/a] } }', ['CF011 1:49']],
    ['setup: { run: [[x]], cache: { key: [a], paths: [.git/x] } }', ['CF011 1:49']],
    ['setup: { run: [[x]], cache: { key: [a], paths: ["**"] } }', ['CF011 1:49']],
    ['setup: { copy: [.tnh/run] }', ['CF011 1:17']],
    ['setup: { cache: { key: [a], paths: [b] } }', ['CF107 1:10']],
    ['setup: { run: [], cache: { key: [a], paths: [b] } }', ['CF107 1:19']],
    ['setup: { copy: [.env.test] }', []],
    ['setup: { run: [[x]], cache: { key: [a], paths: ["p/*/b"] }, copy: [./p/c/b/d] }', ['CF011 1:68']],
    ['baseline: true', ['CF010 1:11']],
    ['baseline: on', []],
    ['tests: "*.test.ts"', ['CF009 1:8']],
    ['paths: { runs: .tnh/runs }', []],
    ['validators: { t: { command: [x], report: "junit:../r.xml" } }', ['CF011 1:42']],
    ['validators: { t: { command: [x], report: "junit:/r.xml" } }', ['CF011 1:42']],
    ['validators: { t: { command: [x], report: "junit: r.xml" } }', ['CF011 1:42']],
    ['validators: { t: { command: [x], artifacts: [a, "{b,../c}"] } }', ['CF011 1:49']],
    ['validators: { t: { command: [x], artifacts: ["a..b/*", "${run_dir}/c"], report: harness:a..b } }', []],
  ])('%s gives %j', (text, expected) => {
    expect(places(check(text))).toEqual(expected);
  });
});

describe('the setup of a configuration', () => {
  it('has a default for everything but its commands', () => {
    expect(check('setup: { run: [[npm, ci]] }\nbaseline: off\ntests: ["**/*.spec.ts"]').config).toMatchObject(
      {
        setup: { run: [['npm', 'ci']], cache: null, copy: [], ports: 0, timeout: '15m' },
        baseline: 'off',
        tests: ['**/*.spec.ts'],
      },
    );
  });

  it('is taken whole from one file', () => {
    const user = check('setup: { run: [[npm, ci]], copy: [.env] }').document;
    const repo = check('setup: { run: [[pnpm, install]] }').document;
    expect(mergeConfigs(user, repo).setup).toMatchObject({ run: [['pnpm', 'install']], copy: [] });
  });

  it('keeps an ignored paths.worktrees out of the configuration', () => {
    expect(check('paths: { worktrees: trees }').config?.paths).toEqual({
      runs: '.tnh/run',
      workspaces: null,
    });
  });
});

describe('mergeConfigs', () => {
  it.each([
    ['required', 'off', undefined, 'required'],
    ['required', 'auto', undefined, 'required'],
    ['auto', 'off', undefined, 'auto'],
    ['off', 'required', undefined, 'required'],
    ['auto', 'required', undefined, 'required'],
    [undefined, 'off', undefined, 'off'],
    [undefined, undefined, undefined, 'auto'],
    ['required', undefined, 'off', 'off'],
  ] as const)('sandbox: user %s, repository %s, environment %s: %s', (user, repository, around, expected) => {
    const said = (sandbox: 'required' | 'auto' | 'off' | undefined) =>
      sandbox === undefined ? {} : { sandbox };
    expect(mergeConfigs(said(user), said(repository), said(around)).sandbox).toBe(expected);
  });

  it.each([
    ['policy.mine.v1', 'policy.loose.v1', undefined, ['policy.mine.v1', 'policy.loose.v1']],
    ['policy.mine.v1', 'policy.mine.v1', undefined, ['policy.mine.v1']],
    [undefined, 'policy.loose.v1', undefined, ['policy.loose.v1']],
    [undefined, undefined, undefined, ['policy.workspace.v1']],
    ['policy.mine.v1', 'policy.loose.v1', 'policy.now.v1', ['policy.now.v1']],
  ] as const)('policy: user %s, repository %s, environment %s: %j', (user, repository, around, expected) => {
    const said = (policy: string | undefined) => (policy === undefined ? {} : { policy });
    expect(mergeConfigs(said(user), said(repository), said(around)).policy).toEqual(expected);
  });

  it('takes answers and trusted from the user alone, and adds protected branches', () => {
    const repository: ConfigDocument = { answers: 'any', trusted: ['/**'], protected_branches: ['trunk'] };
    const merged = (user: ConfigDocument) => mergeConfigs(user, repository);
    expect(merged({})).toMatchObject({ answers: 'any', trusted: [], protected_branches: ['trunk'] });
    expect(
      merged({ answers: 'interactive', trusted: ['~/src'], protected_branches: ['release'] }),
    ).toMatchObject({
      answers: 'interactive',
      trusted: ['~/src'],
      protected_branches: ['release', 'trunk'],
    });
  });

  it('lets the repository win key by key and merges maps by name', () => {
    const user = check(
      'limits: { timeout: 1h, max_visits: 3 }\nsandbox: off\nvalidators:\n  lint: { command: [eslint] }\n  tests: { command: [jest] }',
    ).document;
    const repo = check('limits: { timeout: 5m }\nvalidators:\n  tests: { command: [npm, test] }').document;
    const merged = mergeConfigs(user, repo);
    expect(merged.limits).toEqual({
      timeout: '5m',
      idle_timeout: '5m',
      max_visits: 3,
      park: '12h',
      ...BOUNDS,
    });
    expect(merged.sandbox).toBe('off');
    expect(merged.validators.lint?.command).toEqual(['eslint']);
    expect(merged.validators.tests?.command).toEqual(['npm', 'test']);
  });

  it.each<[string, object]>([
    ['kind: rules', { kind: 'rules' }],
    [
      'kind: model, provider: anthropic, model: m',
      {
        kind: 'model',
        provider: 'anthropic',
        model: 'm',
        base_url: null,
        api_key_env: 'ANTHROPIC_API_KEY',
        timeout: '2m',
        retries: 2,
      },
    ],
    ['kind: model, provider: openai, model: m', { api_key_env: 'OPENAI_API_KEY' }],
    [
      'kind: model, provider: openai-compatible, model: m, base_url: "http://x", timeout: 5, retries: 0',
      { api_key_env: null, base_url: 'http://x', timeout: 5, retries: 0 },
    ],
    ['kind: agent, agent: codex', { kind: 'agent', agent: 'codex', timeout: '5m' }],
  ])('completes a planner of %s', (fields, expected) => {
    expect(mergeConfigs(check(`planner: { ${fields} }`).document).planner).toMatchObject(expected);
  });

  it.each<[string, string, string, object | null]>([
    [
      'the endpoint of a repository if the user has none',
      '{}',
      '{ endpoint: "http://r" }',
      { endpoint: 'http://r' },
    ],
    [
      'without headers and payloads of anybody',
      '{ headers_env: KEY, payloads: true }',
      '{ endpoint: "http://r", headers_env: OTHER, payloads: true }',
      { endpoint: 'http://r', headers_env: null, payloads: false },
    ],
    [
      "the user's endpoint, which a repository can't redirect",
      '{ endpoint: "http://u", headers_env: KEY }',
      '{ endpoint: "http://r", headers_env: OTHER, payloads: true }',
      { endpoint: 'http://u', headers_env: 'KEY', payloads: false },
    ],
    ['nothing without an endpoint', '{ payloads: true }', '{}', null],
  ])('telemetry: %s', (_name, user, repository, expected) => {
    const documents = [user, repository].map((text) => check(`telemetry: ${text}\n`).document);
    const { telemetry } = mergeConfigs(documents[0] ?? null, documents[1] ?? null);
    if (expected === null) expect(telemetry).toBeNull();
    else expect(telemetry).toMatchObject(expected);
  });

  it('telemetry: the environment replaces the endpoint of both files', () => {
    const layers = ['u', 'r', 'e'].map(
      (host) => check(`telemetry: { endpoint: "http://${host}" }\n`).document,
    );
    const [user = null, repository = null, environment = null] = layers;
    expect(mergeConfigs(user, repository, environment).telemetry?.endpoint).toBe('http://e');
  });
});
