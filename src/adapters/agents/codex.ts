import { join } from 'node:path';
import { codexStream, usageInRollout } from '../../agents/codex-stream.ts';
import type { Agent, AgentRequest } from '../../ports/agent.ts';
import type { ConversationDeps } from './agent-conversation.ts';
import { missingProgram } from './agent-process.ts';
import { type OwnFolder, ownFolderOf, reachOf } from './own-folder.ts';
import { readSessionLines } from './session-files.ts';
import { keepSessionOf, runStreamAgent, type StreamStart, usageInStream } from './stream-agent.ts';

export interface CodexDeps extends ConversationDeps {
  readonly home: string;
  /** `CODEX_HOME`, when its settings and its login are not in the usual place. */
  readonly configDir: string | undefined;
}

const OWN_FOLDER: OwnFolder = {
  settings: ['config.toml', 'AGENTS.md', 'AGENTS.override.md', 'prompts', 'skills', 'rules', 'hooks.json'],
  login: ['auth.json'],
};

/** Codex, driven through `exec --json`. */
export function createCodexAgent(deps: CodexDeps): Agent {
  const program = {
    stream: codexStream,
    sessions: {
      home: join(ownFolderOf(deps.configDir, join(deps.home, '.codex')), 'sessions'),
      name: 'sessions',
      // Codex counts the usage of a session as a whole, over all of its starts.
      usedBy: async (folder: string, id: string) => usageInRollout(await readSessionLines(folder, id)),
    },
    start: (request: AgentRequest, resumeId: string | null) => startOf(deps, request, resumeId),
  };
  return {
    family: 'codex',
    explainUnavailable: (isInBase) => missingProgram(deps, isInBase),
    run: (request) => runStreamAgent(deps, program, request),
    canResume: true,
    keepSession: (folder) => keepSessionOf(deps, program, folder),
    readUsage: (folder) => usageInStream(program, folder),
  };
}

function startOf(
  deps: CodexDeps,
  { policy, confinement }: AgentRequest,
  resumeId: string | null,
): StreamStart {
  const wanted = policy?.execution === 'read_only' ? 'read-only' : 'workspace-write';
  // Inside conductor's sandbox Codex can't create its own, and does not need it.
  const mode = confinement === null ? wanted : 'danger-full-access';
  const network = policy?.network !== 'deny';
  return {
    args: [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--ignore-rules',
      '-s',
      mode,
      ...setting('approval_policy', 'never'),
      // Variables with KEY, SECRET or TOKEN in their names are not passed to the shells that its tools start.
      ...setting('shell_environment_policy.ignore_default_excludes', false),
      ...setting('sandbox_workspace_write.network_access', network),
      ...setting('sandbox_workspace_write.writable_roots', []),
      ...(deps.model === null ? [] : ['-m', deps.model]),
      ...(resumeId === null ? [] : ['resume', resumeId]),
      '-',
    ],
    env: {},
    ...reachOf(OWN_FOLDER, deps.configDir, join(deps.home, '.codex')),
    controls: {
      requested: { sandbox: wanted, approval: 'never', network },
      effective: {
        sandbox: mode,
        approval: 'never',
        shut_in_by: confinement === null ? 'codex' : 'conductor',
      },
    },
  };
}

function setting(name: string, value: unknown): string[] {
  return ['-c', `${name}=${JSON.stringify(value)}`];
}
