/** Every value that holds where nobody says anything. */
export const CONFIG_DEFAULTS = {
  agents: {
    'claude-code': { kind: 'claude-code', command: 'claude', model: null, env: [] },
    codex: { kind: 'codex', command: 'codex', model: null, env: [] },
  },
  planner: { kind: 'rules' },
  limits: { timeout: '30m', idle_timeout: '5m', max_visits: 10 },
  policy: 'policy.workspace.v1',
  protected_branches: ['main', 'master'],
  entrypoints: ['node', 'python3', 'bash', 'sh'],
  environment: ['PATH', 'HOME', 'LANG', 'TERM'],
  paths: { runs: '.tnh/run', worktrees: '.tnh/worktrees' },
  retention: { keep_runs: 200, keep_days: 30 },
  sandbox: 'auto',
  work: {
    agents: { planner: 'claude-code', implementor: 'claude-code', reviewer: 'claude-code' },
    specs: ['docs/specs/**/*.md'],
    jobs: 2,
    branch: null,
  },
} as const;

/** How often a step starts an agent again after a failure that may pass. */
export const AGENT_RETRIES = 2;

/** Of planners that ask somebody. */
export const PLANNER_DEFAULTS = {
  model: { timeout: '2m', retries: 2 },
  agent: { timeout: '5m' },
  api_key_env: {
    anthropic: 'ANTHROPIC_API_KEY',
    openai: 'OPENAI_API_KEY',
    'openai-compatible': null,
  },
} as const;
