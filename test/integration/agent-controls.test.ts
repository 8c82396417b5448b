import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClaudeCodeAgent } from '../../src/adapters/agents/claude-code.ts';
import { createCodexAgent } from '../../src/adapters/agents/codex.ts';
import type { PolicyOverride } from '../../src/contracts/documents/policy.ts';
import { assemblePolicy } from '../../src/policy/assemble.ts';
import type { AgentRequest } from '../../src/ports/agent.ts';
import type { Confinement } from '../../src/ports/sandbox.ts';
import type { ProcessSpec, Supervisor } from '../../src/ports/supervisor.ts';

const SHUT_IN: Confinement = { writable: [], readable: [], hidden: [], network: 'allow' };

let folder: string;
let started: ProcessSpec[];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'conductor-controls-')));
  await mkdir(join(folder, 'work'));
  started = [];
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Starts nothing, and remembers what it was to start. */
const supervisor: Supervisor = {
  run: (spec) => {
    started.push(spec);
    const stream = (path: string) => ({ path, bytes: 0, cutBytes: 0, lastLine: null });
    return Promise.resolve({
      end: { kind: 'exited', exitCode: 0 },
      durationMs: 1,
      stdout: stream(spec.stdoutPath),
      stderr: stream(spec.stderrPath),
      leftovers: 0,
    });
  },
};

function deps(
  change: { readonly model?: string; readonly configDir?: string; readonly maxTurns?: number } = {},
) {
  return {
    supervisor,
    resolveProgram: () => Promise.resolve(null),
    searchPath: undefined,
    captureLimitBytes: 1_000,
    graceMs: 1,
    secrets: [],
    home: '/place/of/me',
    model: change.model ?? null,
    configDir: change.configDir,
  };
}

function requestOf(policy: PolicyOverride, confinement: Confinement | null): AgentRequest {
  return {
    runId: 'run-1',
    stepId: 'implement',
    attempt: 1,
    visit: 1,
    prompt: 'go\n',
    checkoutPath: join(folder, 'work'),
    runDir: folder,
    inputs: {},
    evidenceDir: join(folder, 'evidence'),
    confinement,
    policy: assemblePolicy([{ source: 'step', policy }]),
    env: {},
    timeoutMs: 1_000,
    idleTimeoutMs: 1_000,
    mark: 'run-1/implement@1',
    signal: new AbortController().signal,
    onStop: () => Promise.resolve(),
    onLine: () => undefined,
  };
}

type Change = Parameters<typeof deps>[0];

async function startClaude(
  policy: PolicyOverride,
  confinement: Confinement | null = null,
  change: Change = {},
) {
  const hook = ['/bin/no de', 'conductor.js', 'hook', 'command'] as const;
  const { maxTurns = null } = change;
  const agent = createClaudeCodeAgent({ ...deps(change), command: ['claude', '--own'], hook, maxTurns });
  return { result: await agent.run(requestOf(policy, confinement)), spec: specStarted() };
}

async function startCodex(
  policy: PolicyOverride,
  confinement: Confinement | null = null,
  change: Change = {},
) {
  const agent = createCodexAgent({ ...deps(change), command: ['codex', '-c', 'own=1'] });
  return { result: await agent.run(requestOf(policy, confinement)), spec: specStarted() };
}

function specStarted(): ProcessSpec {
  const [spec] = started;
  if (spec === undefined) throw new Error('nothing was started');
  return spec;
}

function flagOf({ argv }: ProcessSpec, flag: string): string {
  return argv[argv.indexOf(flag) + 1] ?? '';
}

describe('what claude gets of a policy', () => {
  it('is not to ask the user, and that only the hook lets it write and run', async () => {
    const { spec } = await startClaude({});
    expect(spec.argv.slice(0, 3)).toEqual(['claude', '--own', '-p']);
    expect(spec.stdin).toBe('go\n');
    expect(flagOf(spec, '--permission-mode')).toBe('dontAsk');
    const allowed = flagOf(spec, '--allowedTools').split(',');
    expect(allowed).toEqual(expect.arrayContaining(['Read', 'WebFetch']));
    for (const tool of ['Bash', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit'])
      expect(allowed).not.toContain(tool);
    expect(spec.argv).not.toContain('--model');
    expect(spec.argv).not.toContain('--max-turns');
  });

  it('is how many turns it may take, where the configuration says so', async () => {
    const { spec, result } = await startClaude({}, null, { maxTurns: 7 });
    expect(flagOf(spec, '--max-turns')).toBe('7');
    expect(result.controls).toMatchObject({ requested: { max_turns: 7 }, effective: { max_turns: 7 } });
  });

  it('is a hook that applies the policy of the step', async () => {
    const { spec } = await startClaude({ commands: { deny: ['rm'] } });
    const settings = JSON.parse(flagOf(spec, '--settings'));
    const [{ matcher, hooks }] = settings.hooks.PreToolUse;
    const document = join(folder, 'evidence', 'policy', '1.json');
    expect(settings.disableAllHooks).toBe(false);
    expect(matcher).toBe('Bash|Write|Edit|MultiEdit|NotebookEdit');
    expect(hooks).toEqual([
      {
        type: 'command',
        command: `'/bin/no de' 'conductor.js' 'hook' 'command' '--repo' '${folder}/work' '--policy' '${document}'`,
      },
    ]);
    expect(JSON.parse(await readFile(document, 'utf8')).commands).toEqual({ deny: ['rm'] });
  });

  it.each<[string, PolicyOverride, string[]]>([
    ['that reads only', { execution: 'read_only' }, ['Write', 'Edit', 'MultiEdit', 'NotebookEdit']],
    ['without a network', { network: 'deny' }, ['WebFetch', 'WebSearch']],
  ])('%s takes tools away', async (_what, policy, tools) => {
    const before = flagOf((await startClaude({})).spec, '--tools').split(',');
    started = [];
    const { spec } = await startClaude(policy);
    const now = flagOf(spec, '--tools').split(',');
    expect(before.filter((tool) => !now.includes(tool)).sort()).toEqual([...tools].sort());
    expect(now).toEqual(expect.arrayContaining(['Bash', 'Read']));
    const allowed = flagOf(spec, '--allowedTools').split(',');
    expect(allowed.filter((tool) => tools.includes(tool))).toEqual([]);
  });

  it.each(['EnterWorktree', 'CronCreate', 'ScheduleWakeup', 'AskUserQuestion'])(
    'never has %s among its tools',
    async (tool) => {
      expect(flagOf((await startClaude({})).spec, '--tools').split(',')).not.toContain(tool);
    },
  );

  it('is recorded as requested and as effective, with the model', async () => {
    const { result, spec } = await startClaude({}, null, { model: 'sonnet' });
    expect(flagOf(spec, '--model')).toBe('sonnet');
    expect(result.controls).toMatchObject({
      requested: { execution: 'workspace_write', model: 'sonnet' },
      effective: {
        permission_mode: 'dontAsk',
        judged_by_hook: expect.arrayContaining(['Bash']),
        model: 'sonnet',
      },
    });
  });

  it('keeps its keys from the shells of its tools', async () => {
    const { spec } = await startClaude({});
    const file = await readFile(spec.env.CLAUDE_ENV_FILE ?? '', 'utf8');
    expect(file).toMatch(/^unset .*ANTHROPIC_API_KEY/);
  });
});

describe('what codex gets of a policy', () => {
  it.each<[string, PolicyOverride, Confinement | null, string]>([
    ['a policy that lets it write', {}, null, 'workspace-write'],
    ['a policy that does not', { execution: 'read_only' }, null, 'read-only'],
    ['a sandbox around it', {}, SHUT_IN, 'danger-full-access'],
    ['a sandbox around it that can only be read', { execution: 'read_only' }, SHUT_IN, 'danger-full-access'],
  ])('with %s', async (_what, policy, confinement, mode) => {
    const { result, spec } = await startCodex(policy, confinement, { model: 'gpt-5.5' });
    expect(spec.argv.slice(0, 5)).toEqual(['codex', '-c', 'own=1', 'exec', '--json']);
    expect(spec.argv.at(-1)).toBe('-');
    expect(flagOf(spec, '-s')).toBe(mode);
    expect(flagOf(spec, '-m')).toBe('gpt-5.5');
    expect(spec.argv).toEqual(expect.arrayContaining(['--ignore-rules', 'approval_policy="never"']));
    expect(result.controls?.effective).toMatchObject({ sandbox: mode, model: 'gpt-5.5' });
  });

  it.each<[PolicyOverride, string]>([
    [{}, 'sandbox_workspace_write.network_access=true'],
    [{ network: 'deny' }, 'sandbox_workspace_write.network_access=false'],
  ])('by %j has %s', async (policy, setting) => {
    expect((await startCodex(policy)).spec.argv).toContain(setting);
  });
});

describe('what they reach in a sandbox', () => {
  it('is what they need of their own folder, and of that only the login may be written', async () => {
    const { spec } = await startClaude({}, SHUT_IN);
    expect(spec.confinement?.writable).toEqual(['/place/of/me/.claude/.credentials.json']);
    expect(spec.confinement?.readable).toEqual(
      expect.arrayContaining(['/place/of/me/.claude.json', '/place/of/me/.claude/settings.json']),
    );
    started = [];
    const { spec: other } = await startCodex({}, SHUT_IN);
    expect(other.confinement?.writable).toEqual(['/place/of/me/.codex/auth.json']);
    expect(other.confinement?.readable).toEqual(expect.arrayContaining(['/place/of/me/.codex/config.toml']));
  });

  it('is a folder that the user named, except for its settings', async () => {
    const { spec } = await startCodex({}, SHUT_IN, { configDir: '/opt/codex' });
    expect(spec.confinement?.writable).toEqual(['/opt/codex']);
    expect(spec.confinement?.readable).toContain('/opt/codex/config.toml');
  });

  it('is empty without a sandbox', async () => {
    expect((await startClaude({})).spec.confinement).toBeNull();
  });
});
