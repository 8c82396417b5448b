import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import type { Plan } from '../../kernel/plan.ts';
import type { Obstacle } from '../../runtime/obstacle.ts';

/** What this repository and this machine are to a queue of runs. */
export interface EngineSide {
  /** The name of the repository, the same in all of its clones. */
  readonly repository: string;
  /** Digest of everything in configuration, policies and prompts that decides what a run does. */
  readonly digest: string;
  /** Configured agents, by name. */
  readonly agents: readonly string[];
  /** The agent that evaluates, if the planner is one. */
  readonly plannerAgent: string | null;
  /** Whether steps run in a sandbox on this machine. */
  readonly hasSandbox: boolean;
  /** Whether no run may start without one. */
  readonly requiresSandbox: boolean;
}

const SANDBOX = 'sandbox=bubblewrap';
const LABEL = /^[a-z][a-z0-9_-]*=[^\s=]+$/;
const OWN_LABELS = ['digest', 'sandbox'];

/** The labels that a worker needs to drive a run of this plan, submitted from here. */
export function listNeeds({ steps }: Pick<Plan, 'steps'>, side: EngineSide): readonly string[] {
  const agents = steps.flatMap((step) => (step.opcode === 'RUN_AGENT' ? [step.agent] : []));
  const evaluates = steps.some((step) => step.opcode === 'EVALUATE');
  const all = side.plannerAgent !== null && evaluates ? [...agents, side.plannerAgent] : agents;
  return [
    `repo=${side.repository}`,
    `digest=${side.digest}`,
    ...[...new Set(all)].sort().map((name) => `agent=${name}`),
    ...(side.requiresSandbox ? [SANDBOX] : []),
  ];
}

/** The labels of a worker. Without an agent among those given, it has all agents that can be started here. */
export function listLabels(
  side: EngineSide,
  given: readonly string[],
  available: readonly string[],
): readonly string[] {
  const named = given.some((label) => label.startsWith('agent='));
  const all = [
    `repo=${side.repository}`,
    `digest=${side.digest}`,
    ...(side.hasSandbox ? [SANDBOX] : []),
    ...(named ? [] : available.map((name) => `agent=${name}`)),
    ...given,
  ];
  return [...new Set(all)];
}

/** Why a worker can't have this label; null if it can. */
export function refuseLabel(label: string, agents: readonly string[]): Obstacle | null {
  if (!LABEL.test(label))
    return {
      message: `"${label}" is not a label`,
      help: 'write it as name=value, for example agent=claude-code',
    };
  const at = label.indexOf('=');
  const [name, value] = [label.slice(0, at), label.slice(at + 1)];
  if (OWN_LABELS.includes(name))
    return {
      message: `the label ${name} can't be given`,
      help: 'the worker sets it from its configuration and its machine',
    };
  if (name !== 'agent' || agents.includes(value)) return null;
  const near = didYouMean(value, agents);
  return {
    message: `agent "${value}" is not configured`,
    help:
      near === null ? `configured agents: ${[...agents].sort().join(', ')}` : `did you mean agent=${near}?`,
  };
}

/** For messages: a digest is too long to read. */
export function formatLabel(label: string): string {
  return label.startsWith('digest=') ? label.slice(0, 'digest='.length + 12) : label;
}
