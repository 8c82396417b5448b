/** The defaults of all settings. */
export const CONFIG_DEFAULTS = {
  agents: {
    'claude-code': { kind: 'claude-code', command: 'claude', model: null, env: [] },
    codex: { kind: 'codex', command: 'codex', model: null, env: [] },
  },
  planner: { kind: 'rules' },
  limits: {
    timeout: '30m',
    idle_timeout: '5m',
    max_visits: 10,
    park: '12h',
    memory: '16GB',
    processes: 1000,
    written_bytes: '10GB',
  },
  policy: ['policy.workspace.v1'],
  protected_branches: ['main', 'master'],
  entrypoints: ['node', 'python3', 'bash', 'sh'],
  environment: ['PATH', 'HOME', 'LANG', 'TERM'],
  paths: { runs: '.tnh/run', workspaces: null },
  setup: null,
  baseline: 'on',
  tests: null,
  retention: { keep_runs: 200, keep_days: 30 },
  forge: { kind: 'github', remote: 'origin', repository: null, base_url: null, token_env: null },
  publish: null,
  telemetry: null,
  sandbox: 'auto',
  work: {
    provider: 'local',
    agents: { planner: 'claude-code', implementor: 'claude-code', reviewer: 'claude-code' },
    specs: ['docs/specs/**/*.md'],
    jobs: 2,
    max_rounds: 2,
    branch: null,
  },
  serve: { url: null },
  engine: { kind: 'embedded', url_env: 'CONDUCTOR_DATABASE_URL', hub: null, blobs: null },
  answers: 'any',
  trusted: [],
} as const;

/** Defaults of settings that are missing in `publish`. */
export const PUBLISH_DEFAULTS = { when: 'success', draft: true } as const;

/** Defaults of settings that are missing in `setup`. */
export const SETUP_DEFAULTS = { run: [], copy: [], ports: 0, timeout: '15m' } as const;

/** Where earlier versions kept linked worktrees, relative to the repository. Only used for cleanup. */
export const LEGACY_WORKTREES_DIR = '.tnh/worktrees';

/** How often a step retries an agent after a transient failure. */
export const AGENT_RETRIES = 2;

/** Defaults of planners that call a model or an agent. */
export const PLANNER_DEFAULTS = {
  model: { timeout: '2m', retries: 2 },
  agent: { timeout: '5m' },
  api_key_env: {
    anthropic: 'ANTHROPIC_API_KEY',
    openai: 'OPENAI_API_KEY',
    'openai-compatible': null,
  },
} as const;
