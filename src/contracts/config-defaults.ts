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
} as const;
