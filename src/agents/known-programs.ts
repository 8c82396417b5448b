/** What conductor knows about an agent's program, by the program's name. */
export interface KnownProgram {
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

/** Compares the first dotted numbers in two version strings. */
export function isOlderVersion(version: string, measured: string): boolean {
  const [own, other] = [version, measured].map((text) =>
    (/\d+(?:\.\d+)+/.exec(text)?.[0] ?? '').split('.').map(Number),
  );
  for (const [index, number] of (other ?? []).entries()) {
    const difference = (own?.[index] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
