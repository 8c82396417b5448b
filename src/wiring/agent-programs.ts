import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { resolveProgram } from '../adapters/process/program.ts';
import type { AgentConfig } from '../contracts/config.ts';
import { askVersion } from './program-version.ts';

export type ProgramAgent = Exclude<AgentConfig, { kind: 'replay' }>;

/** What is known of a program that agents are, by the name of the program. */
interface KnownProgram {
  readonly install: string;
  /** The version that it was driven with. */
  readonly measured: string;
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
  /** As the configuration has it. */
  readonly program: string;
  /** Null when it is not on the PATH. */
  readonly path: string | null;
  /** A file that is where it was looked for and may not be run; null where there is none. */
  readonly locked: string | null;
  /** In its own words; null where it tells none, and where nobody knows how to ask. */
  readonly version: string | null;
  /** What is wrong with it, as in `it …`; null where nothing is. */
  readonly trouble: string | null;
  /** The version it was driven with, where its own is older. */
  readonly newer: string | null;
  /** Whether there is a sign of a login; null where nobody knows what to look for. */
  readonly login: boolean | null;
  /** How to get it, and how to log in; null where nobody knows. */
  readonly install: string | null;
  readonly loginHelp: string | null;
}

/** Finds the program of an agent and, if it may be started, asks for its version. Reads no credentials, and asks no provider. */
export async function findAgentProgram(
  agent: ProgramAgent,
  env: NodeJS.ProcessEnv,
  { mayStart }: { readonly mayStart: boolean } = { mayStart: true },
): Promise<AgentProgram> {
  const program = programOf(agent);
  const known = KNOWN_PROGRAMS[basename(program)] ?? null;
  const path = await resolveProgram(program, { cwd: '/', path: env.PATH });
  // A program that is not known to be an agent may be an interpreter, whose version says nothing.
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

/** By the first numbers with dots in what a program says of itself. */
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
    const there = await access(path).then(
      () => true,
      () => false,
    );
    if (there) return true;
  }
  return false;
}
