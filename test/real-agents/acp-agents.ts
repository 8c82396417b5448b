import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { claudeEnvironment } from './real-agents.ts';

const INSTALLED = join(import.meta.dirname, 'acp', 'node_modules');
const BIN = join(resolve(process.env.CONDUCTOR_REAL_ACP_AGENTS ?? INSTALLED), '.bin');

/** No real key: only something that must not turn up in any file. */
const ACP_KEY = 'key-of-a-test-0123456789';

/** An agent as a user configures it, and the variables by which it asks a server on loopback. */
export interface AcpAgent {
  readonly command: readonly [string, ...string[]];
  readonly environment: (url: string) => Record<string, string>;
  /** What it reports of a turn of three answers, of 1,000 and 50 tokens each. */
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  /** Whether it loads a session that was cancelled; both where that depends on what it had saved by then. */
  readonly resumes: readonly boolean[];
  readonly model?: string;
}

const WHOLE_TURN = { input_tokens: 3_000, output_tokens: 150 };

export const ACP_AGENTS: Readonly<Record<string, AcpAgent>> = {
  claude: {
    command: [join(BIN, 'claude-agent-acp')],
    environment: (url) => {
      const { PATH: _path, HOME: _home, ...own } = claudeEnvironment(url, '');
      return { ...own, ANTHROPIC_API_KEY: ACP_KEY };
    },
    usage: WHOLE_TURN,
    resumes: [true],
  },
  copilot: {
    command: [join(BIN, 'copilot'), '--acp'],
    environment: (url) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: ACP_KEY,
      COPILOT_MODEL: 'scripted',
    }),
    usage: WHOLE_TURN,
    resumes: [true],
  },
  gemini: {
    command: [join(BIN, 'gemini'), '--acp'],
    environment: (url) => ({ GEMINI_API_KEY: ACP_KEY, GOOGLE_GEMINI_BASE_URL: url }),
    // Left to itself it asks another model which one to ask.
    model: 'gemini-2.5-pro',
    usage: WHOLE_TURN,
    // It answers session/load with an internal error unless it had saved the session before it was ended.
    resumes: [true, false],
  },
  opencode: {
    command: [join(BIN, 'opencode'), 'acp'],
    environment: (url) => ({
      OPENCODE_CONFIG_CONTENT: openCodeConfig(url),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    }),
    // It reports only its last answer.
    usage: { input_tokens: 1_000, output_tokens: 50 },
    resumes: [true],
  },
  qwen: {
    command: [join(BIN, 'qwen'), '--acp'],
    environment: (url) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: ACP_KEY,
      OPENAI_MODEL: 'scripted',
    }),
    usage: WHOLE_TURN,
    resumes: [true],
  },
};

/** The names of those that are installed here. */
export const ACP_HERE = Object.entries(ACP_AGENTS).flatMap(([name, { command }]) =>
  existsSync(command[0]) ? [name] : [],
);

if (ACP_HERE.length === 0)
  process.stderr.write(
    'tests of real ACP agents are left out: node scripts/install-agents.mjs --acp installs them\n',
  );

function openCodeConfig(url: string): string {
  const options = { baseURL: `${url}/v1`, apiKey: ACP_KEY };
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'scripted',
    options,
    models: { m: { name: 'm' } },
  };
  return JSON.stringify({
    provider: { scripted: provider },
    model: 'scripted/m',
    small_model: 'scripted/m',
    autoupdate: false,
    share: 'disabled',
    permission: { edit: 'ask', bash: 'ask' },
  });
}
