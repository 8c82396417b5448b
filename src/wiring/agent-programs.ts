import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { resolveProgram } from '../adapters/process/program.ts';
import type { AgentConfig } from '../contracts/config.ts';

const run = promisify(execFile);

/** Long enough for a program that loads slowly, short enough for somebody who waits. */
const VERSION_TIMEOUT_MS = 5_000;

export type ProgramAgent = Exclude<AgentConfig, { kind: 'replay' }>;

/** What is known of a program that agents are, by the name of the program. */
interface KnownProgram {
  readonly install: string;
  readonly login: string;
  /** Any of these set says that there is a login. Only whether they are set is looked at. */
  readonly variables: readonly string[];
  /** Any of these files, relative to the home, says the same. They are never opened. */
  readonly files: readonly string[];
  /** The variable that names the folder of the files instead. */
  readonly folderVariable: string | null;
}

const CLAUDE: KnownProgram = {
  install: 'npm install -g @anthropic-ai/claude-code',
  login: 'start claude and enter /login, or set ANTHROPIC_API_KEY',
  variables: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
  ],
  files: ['.claude/.credentials.json'],
  folderVariable: 'CLAUDE_CONFIG_DIR',
};
const CODEX: KnownProgram = {
  install: 'npm install -g @openai/codex',
  login: 'codex login, or set CODEX_API_KEY',
  variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  files: ['.codex/auth.json'],
  folderVariable: 'CODEX_HOME',
};

const KNOWN: Readonly<Record<string, KnownProgram>> = {
  claude: CLAUDE,
  'claude-agent-acp': { ...CLAUDE, install: 'npm install -g @agentclientprotocol/claude-agent-acp' },
  codex: CODEX,
  'codex-acp': { ...CODEX, install: 'npm install -g @agentclientprotocol/codex-acp' },
  gemini: {
    install: 'npm install -g @google/gemini-cli',
    login: 'start gemini once and choose how to log in, or set GEMINI_API_KEY',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
    files: ['.gemini/oauth_creds.json'],
    folderVariable: null,
  },
  opencode: {
    install: 'npm install -g opencode-ai',
    login: 'opencode auth login, or set the key of its provider',
    variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENCODE_CONFIG_CONTENT'],
    files: ['.local/share/opencode/auth.json'],
    folderVariable: null,
  },
  qwen: {
    install: 'npm install -g @qwen-code/qwen-code',
    login: 'start qwen once and log in, or set OPENAI_API_KEY',
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
    files: ['.qwen/oauth_creds.json'],
    folderVariable: null,
  },
  copilot: {
    install: 'npm install -g @github/copilot',
    login: 'start copilot and enter /login, or set GH_TOKEN',
    variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_BASE_URL'],
    files: ['.copilot/config.json'],
    folderVariable: null,
  },
};

export interface AgentProgram {
  /** As the configuration has it. */
  readonly program: string;
  /** Null when it is not on the PATH. */
  readonly path: string | null;
  /** In its own words; null where nobody knows how to ask. */
  readonly version: string | null;
  /** Whether there is a sign of a login; null where nobody knows what to look for. */
  readonly login: boolean | null;
  /** How to get it, and how to log in; null where nobody knows. */
  readonly install: string | null;
  readonly loginHelp: string | null;
}

/** Finds the program of an agent and asks for its version. Reads no credentials, and asks no provider. */
export async function findAgentProgram(agent: ProgramAgent, env: NodeJS.ProcessEnv): Promise<AgentProgram> {
  const program = programOf(agent);
  const known = KNOWN[basename(program)] ?? null;
  const path = await resolveProgram(program, { cwd: '/', path: env.PATH });
  return {
    program,
    path,
    // A program that is not known to be an agent may be an interpreter, whose version says nothing.
    version: known === null || path === null ? null : await versionOf(path, env),
    login: known === null ? null : await hasLogin(known, env),
    install: known?.install ?? null,
    loginHelp: known?.login ?? null,
  };
}

function programOf({ command }: ProgramAgent): string {
  return typeof command === 'string' ? command : (command[0] ?? '');
}

async function versionOf(path: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const { stdout } = await run(path, ['--version'], {
      timeout: VERSION_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      env: { PATH: env.PATH, HOME: env.HOME, DISABLE_AUTOUPDATER: '1', NO_COLOR: '1' },
    });
    return stdout.trim().split('\n')[0]?.slice(0, 80) ?? null;
  } catch {
    return null;
  }
}

async function hasLogin(known: KnownProgram, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (known.variables.some((name) => (env[name] ?? '') !== '')) return true;
  const folder = known.folderVariable === null ? undefined : env[known.folderVariable];
  for (const file of known.files) {
    const path = folder === undefined ? join(env.HOME ?? homedir(), file) : join(folder, basename(file));
    const there = await access(path).then(
      () => true,
      () => false,
    );
    if (there) return true;
  }
  return false;
}
