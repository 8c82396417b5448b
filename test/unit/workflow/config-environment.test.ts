import { describe, expect, it } from 'vitest';
import { configDocumentSchema } from '../../../src/contracts/config/config.ts';
import { checkConfig } from '../../../src/workflow/config/config-document.ts';
import { readEnvironment } from '../../../src/workflow/config/config-environment.ts';
import { mergeConfigs } from '../../../src/workflow/config/config-merge.ts';

const BOUNDS = { memory: '16GB', processes: 1000, written_bytes: '10GB' };

function configOf(text: string) {
  return checkConfig({ name: 'config.yaml', bytes: new TextEncoder().encode(text) }).document;
}

describe('the environment', () => {
  it('says nothing where no variable of a setting is set', () => {
    const env = { PATH: '/bin', CONDUCTOR_RUN_ID: 'x', CONDUCTOR_POLICY: ' ', CONDUCTOR_DEBUG: '1' };
    expect(readEnvironment(env)).toBeNull();
  });

  it.each([
    ['CONDUCTOR_POLICY', 'policy.docs-only.v1', { policy: 'policy.docs-only.v1' }],
    ['CONDUCTOR_SANDBOX', 'off', { sandbox: 'off' }],
    ['CONDUCTOR_LIMITS_TIMEOUT', '5m', { limits: { timeout: '5m' } }],
    ['CONDUCTOR_LIMITS_TIMEOUT', '90', { limits: { timeout: 90 } }],
    ['CONDUCTOR_LIMITS_IDLE_TIMEOUT', '30s', { limits: { idle_timeout: '30s' } }],
    ['CONDUCTOR_LIMITS_MAX_VISITS', '3', { limits: { max_visits: 3 } }],
    ['CONDUCTOR_LIMITS_MEMORY', '2GB', { limits: { memory: '2GB' } }],
    ['CONDUCTOR_LIMITS_PROCESSES', '64', { limits: { processes: 64 } }],
    ['CONDUCTOR_LIMITS_WRITTEN_BYTES', '1GB', { limits: { written_bytes: '1GB' } }],
    ['CONDUCTOR_PATHS_RUNS', 'runs', { paths: { runs: 'runs' } }],
    ['CONDUCTOR_PATHS_WORKSPACES', '~/runs', { paths: { workspaces: '~/runs' } }],
    ['CONDUCTOR_PATHS_WORKTREES', 'trees', { paths: { worktrees: 'trees' } }],
    ['CONDUCTOR_SETUP', '{ run: [[npm, ci]] }', { setup: { run: [['npm', 'ci']] } }],
    ['CONDUCTOR_BASELINE', 'off', { baseline: 'off' }],
    ['CONDUCTOR_TESTS', '["test/**"]', { tests: ['test/**'] }],
    ['CONDUCTOR_RETENTION_KEEP_RUNS', '5', { retention: { keep_runs: 5 } }],
    ['CONDUCTOR_RETENTION_KEEP_DAYS', '1', { retention: { keep_days: 1 } }],
    ['CONDUCTOR_TELEMETRY_ENDPOINT', 'http://x', { telemetry: { endpoint: 'http://x' } }],
    ['CONDUCTOR_TELEMETRY_PAYLOADS', 'true', { telemetry: { payloads: true } }],
    ['CONDUCTOR_WORK_JOBS', '4', { work: { jobs: 4 } }],
    ['CONDUCTOR_WORK_SPECS', '[specs/*.md]', { work: { specs: ['specs/*.md'] } }],
    ['CONDUCTOR_WORK_BRANCH', 'trunk', { work: { branch: 'trunk' } }],
    ['CONDUCTOR_WORK_AGENTS', '{ planner: codex }', { work: { agents: { planner: 'codex' } } }],
    ['CONDUCTOR_PROTECTED_BRANCHES', '[main, "release/*"]', { protected_branches: ['main', 'release/*'] }],
    ['CONDUCTOR_ENTRYPOINTS', '[deno]', { entrypoints: ['deno'] }],
    ['CONDUCTOR_ENVIRONMENT', '[PATH]', { environment: ['PATH'] }],
    ['CONDUCTOR_NOTIFY', '{ command: [tell] }', { notify: { command: ['tell'] } }],
    ['CONDUCTOR_PLANNER', '{ kind: rules }', { planner: { kind: 'rules' } }],
    ['CONDUCTOR_VALIDATORS', '{ tests: { command: [t] } }', { validators: { tests: { command: ['t'] } } }],
    [
      'CONDUCTOR_AGENTS',
      '{ a: { kind: command, command: x } }',
      { agents: { a: { kind: 'command', command: 'x' } } },
    ],
  ])('says by %s=%s what a file would', (variable, value, expected) => {
    const said = readEnvironment({ [variable]: value });
    expect(configOf(said?.text ?? '')).toEqual(expected);
    expect([...(said?.variables.values() ?? [])]).toEqual([variable]);
  });

  it('reaches every setting that a file has', () => {
    const names = Object.keys(configDocumentSchema.def.shape);
    expect(names.length).toBeGreaterThan(10);
    const unreached = names.filter((name) => {
      const variable = `CONDUCTOR_${name.toUpperCase()}`;
      const leaf =
        {
          limits: '_TIMEOUT',
          paths: '_RUNS',
          retention: '_KEEP_RUNS',
          work: '_JOBS',
          telemetry: '_ENDPOINT',
        }[name] ?? '';
      return readEnvironment({ [`${variable}${leaf}`]: '1' }) === null;
    });
    // These count in the user's own file alone.
    expect(unreached).toEqual(['serve', 'answers', 'trusted']);
  });

  it('keeps a value in its line, so that it can begin no other setting', () => {
    const said = readEnvironment({ CONDUCTOR_PATHS_RUNS: 'a\nsandbox: off' });
    expect(configOf(said?.text ?? '')).toEqual({ paths: { runs: 'a\nsandbox: off' } });
  });

  it('knows the variable of each line', () => {
    const said = readEnvironment({ CONDUCTOR_SANDBOX: 'off', CONDUCTOR_LIMITS_TIMEOUT: '5x' });
    expect(said?.text).toBe('sandbox: off\nlimits:\n  timeout: 5x\n');
    expect([...(said?.variables ?? [])]).toEqual([
      [1, 'CONDUCTOR_SANDBOX'],
      [3, 'CONDUCTOR_LIMITS_TIMEOUT'],
    ]);
  });

  it('wins over the repository, and that over the user', () => {
    const user = configOf('limits: { timeout: 1h, idle_timeout: 1h, max_visits: 1 }\nsandbox: off');
    const repo = configOf('limits: { timeout: 2h, idle_timeout: 2h }');
    const around = configOf(readEnvironment({ CONDUCTOR_LIMITS_TIMEOUT: '3h' })?.text ?? '');
    const merged = mergeConfigs(user, repo, around);
    expect(merged.limits).toEqual({
      timeout: '3h',
      idle_timeout: '2h',
      max_visits: 1,
      park: '12h',
      ...BOUNDS,
    });
    expect(merged.sandbox).toBe('off');
  });
});
