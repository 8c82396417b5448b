import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLAUDE_ENVIRONMENT } from '../../agents/claude-environment.ts';
import { claudeStream } from '../../agents/claude-stream.ts';
import { policyDocumentsOf } from '../../agents/policy-documents.ts';
import type { EffectivePolicy } from '../../policy/assemble.ts';
import type { Agent, AgentRequest } from '../../ports/agent.ts';
import { missingProgram } from './agent-process.ts';
import { type OwnFolder, reachOf } from './own-folder.ts';
import { runStreamAgent, type StreamAgentDeps, type StreamStart } from './stream-agent.ts';

export interface ClaudeCodeDeps extends StreamAgentDeps {
  /** Program and arguments that judge a tool call; the policy and the folder come after them. */
  readonly hook: readonly [string, ...string[]];
  readonly home: string;
  /** Where its settings and its login are, when not in the usual place. */
  readonly configDir: string | undefined;
}

/** Tools that run and write nothing. */
const LOOKS = ['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'TodoWrite', 'Task', 'TaskOutput'];
const WEB = ['WebFetch', 'WebSearch'];
const WRITES = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];
/** They would leave the worktree, wait for somebody, or go on when the step is over. */
const NEVER = [
  'EnterWorktree',
  'ExitWorktree',
  'AskUserQuestion',
  'CronCreate',
  'CronDelete',
  'CronList',
  'ScheduleWakeup',
];
const JUDGED = ['Bash', ...WRITES];

/** Written by nobody but the user; its login is renewed from time to time. */
const OWN_FOLDER: OwnFolder = {
  settings: [
    'settings.json',
    'settings.local.json',
    'CLAUDE.md',
    'agents',
    'commands',
    'skills',
    'plugins',
    'output-styles',
    'rules',
  ],
  login: ['.credentials.json'],
};

/** Claude Code, by what it prints with `--output-format stream-json`. */
export function createClaudeCodeAgent(deps: ClaudeCodeDeps): Agent {
  return {
    family: 'claude-code',
    capabilities: ['commands'],
    unavailable: (isInBase) => missingProgram(deps, isInBase),
    run: async (request) => runStreamAgent(deps, claudeStream, request, await startOf(deps, request)),
  };
}

async function startOf(deps: ClaudeCodeDeps, request: AgentRequest): Promise<StreamStart> {
  const { policy } = request;
  const readOnly = policy?.execution === 'read_only';
  const offline = policy?.network === 'deny';
  const hook = policy === undefined ? null : hookLine(deps, request, await writePolicy(request, policy));
  // Who may write and run is said by the hook alone: where it fails, nothing is allowed.
  const allowed = [...LOOKS, ...(offline ? [] : WEB), ...(hook === null ? JUDGED : [])];
  const refused = [...NEVER, ...(offline ? WEB : []), ...(readOnly ? WRITES : [])];
  const settings = hook === null ? {} : { disableAllHooks: false, hooks: { PreToolUse: [hookEntry(hook)] } };
  return {
    args: [
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--permission-mode',
      'dontAsk',
      '--allowedTools',
      allowed.join(','),
      '--disallowedTools',
      refused.join(','),
      '--strict-mcp-config',
      '--settings',
      JSON.stringify(settings),
      ...(deps.model === null ? [] : ['--model', deps.model]),
    ],
    env: CLAUDE_ENVIRONMENT,
    ...reach(deps),
    controls: {
      requested: { execution: policy?.execution ?? null, commands: policy?.commands ?? null },
      effective: {
        permission_mode: 'dontAsk',
        allowed_tools: allowed,
        disallowed_tools: refused,
        judged_by_hook: hook === null ? [] : JUDGED,
        hook,
      },
    },
  };
}

function reach({ home, configDir }: ClaudeCodeDeps): Pick<StreamStart, 'readable' | 'writable'> {
  const { readable, writable } = reachOf(OWN_FOLDER, configDir, join(home, '.claude'));
  return { readable: [...readable, join(home, '.claude.json')], writable };
}

/** One document for each list of allowed paths: the hook lays them over each other again. */
async function writePolicy({ evidenceDir }: AgentRequest, policy: EffectivePolicy): Promise<string[]> {
  const folder = join(evidenceDir, 'policy');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return Promise.all(
    policyDocumentsOf(policy).map(async (document, index) => {
      const path = join(folder, `${index + 1}.json`);
      await writeFile(path, `${JSON.stringify(document, null, 2)}\n`, { flag: 'wx' });
      return path;
    }),
  );
}

function hookLine(
  { hook }: ClaudeCodeDeps,
  { worktreePath }: AgentRequest,
  policies: readonly string[],
): string {
  const words = [...hook, '--repo', worktreePath, ...policies.flatMap((path) => ['--policy', path])];
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}

function hookEntry(command: string) {
  return { matcher: JUDGED.join('|'), hooks: [{ type: 'command', command }] };
}
