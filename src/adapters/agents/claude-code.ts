import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLAUDE_ENVIRONMENT } from '../../agents/claude-environment.ts';
import { claudeStream } from '../../agents/claude-stream.ts';
import { listPolicyDocuments } from '../../agents/policy-documents.ts';
import type { EffectivePolicy } from '../../policy/assemble.ts';
import type { Agent, AgentRequest } from '../../ports/agent.ts';
import type { ConversationDeps } from './agent-conversation.ts';
import { missingProgram } from './agent-process.ts';
import { type OwnFolder, ownFolderOf, reachOf } from './own-folder.ts';
import { keepSessionOf, runStreamAgent, type StreamStart, usageInStream } from './stream-agent.ts';

export interface ClaudeCodeDeps extends ConversationDeps {
  /** Unlimited if unset or null. */
  readonly maxTurns?: number | null;
  /** Program and arguments that check a tool call; the policy files and the folder are appended. */
  readonly hook: readonly [string, ...string[]];
  readonly home: string;
  /** The folder with settings and login, if not the default one. */
  readonly configDir: string | undefined;
}

/** Tool calls that are not explicitly allowed are refused without a prompt. */
const PERMISSION_MODE = 'dontAsk';

/**
 * Tools that neither run commands nor write files. Claude Code ignores names that its version does not know.
 */
const READ_TOOLS = [
  'Read',
  'Glob',
  'Grep',
  'LS',
  'NotebookRead',
  'TodoWrite',
  'Task',
  'Agent',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskUpdate',
  'TaskOutput',
  'TaskStop',
  'BashOutput',
  'KillShell',
  'Skill',
  'ToolSearch',
];
const WEB_TOOLS = ['WebFetch', 'WebSearch'];
const WRITE_TOOLS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];
const HOOKED_TOOLS = ['Bash', ...WRITE_TOOLS];

/** Credentials of the agent; they are removed from the environment of the shells that its tools start. */
const CREDENTIAL_VARIABLES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
  'CLAUDE_CODE_OAUTH_TOKEN',
];

/** Settings are written only by the user; the agent renews its login from time to time. */
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

/** Claude Code, driven through `--output-format stream-json`. */
export function createClaudeCodeAgent(deps: ClaudeCodeDeps): Agent {
  const program = {
    stream: claudeStream,
    sessions: {
      home: join(ownFolderOf(deps.configDir, join(deps.home, '.claude')), 'projects'),
      name: 'projects',
    },
    start: (request: AgentRequest, resumeId: string | null) => startOf(deps, request, resumeId),
  };
  return {
    family: 'claude-code',
    capabilities: ['commands'],
    explainUnavailable: (isInBase) => missingProgram(deps, isInBase),
    run: (request) => runStreamAgent(deps, program, request),
    canResume: true,
    keepSession: (folder) => keepSessionOf(deps, program, folder),
    readUsage: (folder) => usageInStream(program, folder),
  };
}

async function startOf(
  deps: ClaudeCodeDeps,
  request: AgentRequest,
  resumeId: string | null,
): Promise<StreamStart> {
  const { policy } = request;
  const folder = join(request.evidenceDir, 'policy');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const shellStart = join(folder, 'shell.sh');
  await writeFile(shellStart, `unset ${CREDENTIAL_VARIABLES.join(' ')}\n`, { flag: 'wx' });
  const hook = policy === undefined ? null : hookLine(deps, request, await writePolicy(folder, policy));
  const tools = toolsOf(policy, hook !== null);
  return {
    args: [...argsOf(tools, hook, deps), ...(resumeId === null ? [] : ['--resume', resumeId])],
    env: { ...CLAUDE_ENVIRONMENT, CLAUDE_ENV_FILE: shellStart },
    ...mountedPaths(deps),
    controls: {
      requested: {
        execution: policy?.execution ?? null,
        commands: policy?.commands ?? null,
        max_turns: deps.maxTurns ?? null,
      },
      effective: {
        permission_mode: PERMISSION_MODE,
        max_turns: deps.maxTurns ?? null,
        tools: tools.known,
        allowed_tools: tools.allowed,
        judged_by_hook: hook === null ? [] : HOOKED_TOOLS,
        hook,
      },
    },
  };
}

interface Tools {
  /**
   * All other tools are disabled: they would leave the checkout, wait for a user, or continue after the step
   * has ended.
   */
  readonly known: readonly string[];
  readonly allowed: readonly string[];
}

/** With a hook, only the hook allows writing and running commands: if it fails, nothing is allowed. */
function toolsOf(policy: EffectivePolicy | undefined, hasHook: boolean): Tools {
  const hooked = policy?.execution === 'read_only' ? ['Bash'] : HOOKED_TOOLS;
  const readTools = [...READ_TOOLS, ...(policy?.network === 'deny' ? [] : WEB_TOOLS)];
  return { known: [...readTools, ...hooked], allowed: hasHook ? readTools : [...readTools, ...hooked] };
}

function argsOf(
  { known, allowed }: Tools,
  hook: string | null,
  { model, maxTurns = null }: ClaudeCodeDeps,
): string[] {
  // Settings in the repository, which an agent can change, must not disable the hook.
  const settings = hook === null ? {} : { disableAllHooks: false, hooks: { PreToolUse: [hookEntry(hook)] } };
  return [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--permission-mode',
    PERMISSION_MODE,
    '--tools',
    known.join(','),
    '--allowedTools',
    allowed.join(','),
    // MCP servers run outside of the policy, so none is started.
    '--strict-mcp-config',
    '--settings',
    JSON.stringify(settings),
    ...(model === null ? [] : ['--model', model]),
    ...(maxTurns === null ? [] : ['--max-turns', String(maxTurns)]),
  ];
}

function mountedPaths({ home, configDir }: ClaudeCodeDeps): Pick<StreamStart, 'readable' | 'writable'> {
  const { readable, writable } = reachOf(OWN_FOLDER, configDir, join(home, '.claude'));
  return { readable: [...readable, join(home, '.claude.json')], writable };
}

/** Writes one document for each list of allowed paths; the hook combines them again. */
async function writePolicy(folder: string, policy: EffectivePolicy): Promise<string[]> {
  return Promise.all(
    listPolicyDocuments(policy).map(async (document, index) => {
      const path = join(folder, `${index + 1}.json`);
      await writeFile(path, `${JSON.stringify(document, null, 2)}\n`, { flag: 'wx' });
      return path;
    }),
  );
}

function hookLine(
  { hook }: ClaudeCodeDeps,
  { checkoutPath }: AgentRequest,
  policies: readonly string[],
): string {
  const words = [...hook, '--repo', checkoutPath, ...policies.flatMap((path) => ['--policy', path])];
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}

function hookEntry(command: string) {
  return { matcher: HOOKED_TOOLS.join('|'), hooks: [{ type: 'command', command }] };
}
