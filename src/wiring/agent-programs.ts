import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { resolveProgram } from '../adapters/process/program.ts';
import type { AgentConfig } from '../contracts/config/config.ts';
import { askVersion } from './program-version.ts';

export type ProgramAgent = Exclude<AgentConfig, { kind: 'replay' }>;

/** What conductor knows about an agent's program, by the program's name. */
interface KnownProgram {
  readonly install: string;
  /** The version that conductor was tested with. */
  readonly measured: string;
  readonly login: string;
  /** If any of these is set, the user is logged in. Their values aren't read. */
  readonly variables: readonly string[];
  /** If any of these files exists (relative to the home folder), the user is logged in. They are never opened. */
  readonly files: readonly string[];
  /** The variable that moves these files to another folder. */
  readonly folderVariable: string | null;
}

const CLAUDE: KnownProgram = {
  install: 'npm install -g @anthropic-ai/claude-code',
  measured: '2.1.197',
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
  measured: '0.166.0',
  login: 'codex login, or set CODEX_API_KEY',
  variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  files: ['.codex/auth.json'],
  folderVariable: 'CODEX_HOME',
};

export const KNOWN_PROGRAMS: Readonly<Record<string, KnownProgram>> = {
  claude: CLAUDE,
  'claude-agent-acp': {
    ...CLAUDE,
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    measured: '0.49.0',
  },
  codex: CODEX,
  'codex-acp': { ...CODEX, install: 'npm install -g @agentclientprotocol/codex-acp', measured: '2.6.0' },
  gemini: {
    install: 'npm install -g @google/gemini-cli',
    measured: '0.61.0',
    login: 'start gemini once and choose how to log in, or set GEMINI_API_KEY',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
    files: ['.gemini/oauth_creds.json'],
    folderVariable: null,
  },
  opencode: {
    install: 'npm install -g opencode-ai',
    measured: '1.18.33',
    login: 'opencode auth login, or set the key of its provider',
    variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENCODE_CONFIG_CONTENT'],
    files: ['.local/share/opencode/auth.json'],
    folderVariable: null,
  },
  qwen: {
    install: 'npm install -g @qwen-code/qwen-code',
    measured: '0.15.10',
    login: 'start qwen once and log in, or set OPENAI_API_KEY',
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
    files: ['.qwen/oauth_creds.json'],
    folderVariable: null,
  },
  copilot: {
    install: 'npm install -g @github/copilot',
    measured: '1.0.102',
    login: 'start copilot and enter /login, or set GH_TOKEN',
    variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_BASE_URL'],
    files: ['.copilot/config.json'],
    folderVariable: null,
  },
};

export interface AgentProgram {
  /** As configured. */
  readonly program: string;
  /** Null if it isn't on the PATH. */
  readonly path: string | null;
  /** A file at the expected path that isn't executable; null if there is none. */
  readonly locked: string | null;
  /** As the program prints it; null if it prints none or conductor doesn't know the program. */
  readonly version: string | null;
  /** What is wrong with the program, to be read after `it`; null if nothing is. */
  readonly trouble: string | null;
  /** The version that conductor was tested with, if the installed one is older. */
  readonly newer: string | null;
  /** Whether the user seems to be logged in; null if conductor doesn't know the program. */
  readonly login: boolean | null;
  /** How to install it and how to log in; null if conductor doesn't know the program. */
  readonly install: string | null;
  readonly loginHelp: string | null;
}

/** Finds the program of an agent and, if `mayStart`, its version. Reads no credentials and contacts no provider. */
export async function findAgentProgram(
  agent: ProgramAgent,
  env: NodeJS.ProcessEnv,
  { mayStart }: { readonly mayStart: boolean } = { mayStart: true },
): Promise<AgentProgram> {
  const program = programOf(agent);
  const known = KNOWN_PROGRAMS[basename(program)] ?? null;
  const path = await resolveProgram(program, { cwd: '/', path: env.PATH });
  // An unknown program may be an interpreter, whose version says nothing about the agent.
  const { version, trouble } =
    known === null || path === null || !mayStart
      ? { version: null, trouble: null }
      : await askVersion(path, env);
  return {
    program,
    path,
    locked: path === null ? await findLocked(program, env.PATH ?? '') : null,
    version,
    trouble,
    newer: version !== null && known !== null && isOlder(version, known.measured) ? known.measured : null,
    login: known === null ? null : await hasLogin(known, env),
    install: known?.install ?? null,
    loginHelp: known?.login ?? null,
  };
}

async function findLocked(program: string, path: string): Promise<string | null> {
  const isBare = !program.includes('/');
  if (!isBare && !program.startsWith('/')) return null;
  for (const folder of isBare ? path.split(delimiter) : ['']) {
    const candidate = resolve('/', folder, program);
    const found = await stat(candidate).catch(() => null);
    if (found?.isFile() === true) return candidate;
  }
  return null;
}

/** Compares the first dotted numbers in two version strings. */
function isOlder(version: string, measured: string): boolean {
  const [own, other] = [version, measured].map((text) =>
    (/\d+(?:\.\d+)+/.exec(text)?.[0] ?? '').split('.').map(Number),
  );
  for (const [index, number] of (other ?? []).entries()) {
    const difference = (own?.[index] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function programOf({ command }: ProgramAgent): string {
  return typeof command === 'string' ? command : (command[0] ?? '');
}

async function hasLogin(known: KnownProgram, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (known.variables.some((name) => (env[name] ?? '') !== '')) return true;
  const folder = known.folderVariable === null ? undefined : env[known.folderVariable];
  for (const file of known.files) {
    const path = folder === undefined ? join(env.HOME ?? homedir(), file) : join(folder, basename(file));
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) return true;
  }
  return false;
}
