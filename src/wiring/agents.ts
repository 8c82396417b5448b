import { type CommandAgentDeps, createCommandAgent } from '../adapters/agents/command-agent.ts';
import { createReplayAgent } from '../adapters/agents/replay-agent.ts';
import type { AgentConfig, Config } from '../contracts/config.ts';
import { ownValue } from '../contracts/own-value.ts';
import type { Agent } from '../ports/agent.ts';
import type { RunStore } from '../ports/run-store.ts';
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
  return { ...command, run: (request) => command.run({ ...request, env: { ...request.env, ...declared } }) };
}

function unsupported(kind: string): Agent {
  const reason = `agents of kind ${kind} can't be started by this version; use kind: command`;
  return {
    family: kind,
    unavailable: () => Promise.resolve(reason),
    run: () => Promise.reject(new Error(reason)),
  };
}
