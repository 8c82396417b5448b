import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type CommandAgentDeps, createCommandAgent } from '../adapters/agents/command-agent.ts';
import { createReplayAgent } from '../adapters/agents/replay-agent.ts';
import type { AgentConfig, Config } from '../contracts/config.ts';
import { ownValue } from '../contracts/own-value.ts';
import type { Agent } from '../ports/agent.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { Confinement } from '../ports/sandbox.ts';
import { allowlisted } from './environment.ts';

interface AgentDeps extends Omit<CommandAgentDeps, 'command'> {
  /** Where recorded runs are, for agents that answer from one. */
  readonly store: RunStore;
}

/** Agents by name. What this version can't start says so when a run is about to need it. */
export function createAgents(
  config: Config,
  deps: AgentDeps,
  env: NodeJS.ProcessEnv,
): (name: string) => Agent | null {
  return (name) => {
    const agent = ownValue(config.agents, name);
    return agent === undefined ? null : createAgent(agent, deps, env);
  };
}

function createAgent(agent: AgentConfig, deps: AgentDeps, env: NodeJS.ProcessEnv): Agent {
  if (agent.kind === 'replay') return createReplayAgent({ ...deps, run: agent.run });
  if (agent.kind !== 'command') return unsupported(agent.kind);
  const [program, ...args] = typeof agent.command === 'string' ? [agent.command] : agent.command;
  const command = createCommandAgent({ ...deps, command: [program ?? '', ...args] });
  const declared = allowlisted(env, agent.env);
  return {
    ...command,
    run: (request) =>
      command.run({
        ...request,
        env: { ...request.env, ...declared },
        confinement: widen(request.confinement, agent, env.HOME ?? homedir()),
      }),
  };
}

/** Lets it reach what the configuration says it needs: its own settings and login, a cache. */
function widen(
  confinement: Confinement | null,
  { sees = [], writes = [] }: Extract<AgentConfig, { kind: 'command' }>,
  home: string,
): Confinement | null {
  if (confinement === null) return null;
  const inHome = (path: string): string => resolve(home, path.replace(/^~\//, ''));
  return {
    ...confinement,
    readable: [...confinement.readable, ...sees.map(inHome)],
    writable: [...confinement.writable, ...writes.map(inHome)],
  };
}

function unsupported(kind: string): Agent {
  const reason = `agents of kind ${kind} can't be started by this version; use kind: command`;
  return {
    family: kind,
    unavailable: () => Promise.resolve(reason),
    run: () => Promise.reject(new Error(reason)),
  };
}
