import type { WorkConfig } from '../contracts/config/config.ts';
import type { DetectedValidator } from '../contracts/config/detected-validator.ts';
import type { HarnessSuite } from '../contracts/documents/harness-suite.ts';
import type { Plan, PlanStep, ScriptValidator } from '../kernel/plan.ts';
import { commandText, createPart, type Part } from './part.ts';

/** Validators that conductor detects, in `package.json` for example, unless the configuration replaces them. */
export function detectedParts(
  detected: readonly DetectedValidator[],
  configured: readonly string[],
): readonly Part[] {
  return detected
    .filter(({ name }) => !configured.includes(name))
    .map(({ name, command, source }) =>
      createPart('validator', name, `${commandText(command)}, found as ${source}`, { command }),
    );
}

/** The agents that a workflow starts and the scripts it runs. Changed prompts need no new approval. */
export function workflowPart({ workflowId, steps, artifactsDir }: Plan): Part {
  const agents = [
    ...new Set(steps.flatMap((step) => (step.opcode === 'RUN_AGENT' ? [step.agent] : []))),
  ].sort();
  const scripts = steps
    .flatMap(scriptsOf)
    .map(({ id, entrypoint, args, cwd }) => ({ id, entrypoint, args, cwd }));
  const text = [
    agents.length === 0 ? 'starts no agent' : `starts ${agents.join(', ')}`,
    ...scripts.map(({ entrypoint, args }) => `runs ${commandText([entrypoint, ...args])}`),
    ...(artifactsDir === null ? [] : [`writes its run records to ${artifactsDir}`]),
  ];
  return createPart('workflow', workflowId, text.join('\n'), { agents, scripts, artifactsDir });
}

function scriptsOf(step: PlanStep): readonly ScriptValidator[] {
  if (step.opcode !== 'RUN_VALIDATION') return [];
  return step.validators.flatMap((validator) => (validator.kind === 'script' ? [validator] : []));
}

/** Work items pass texts of the repository to agents, regardless of the configuration. */
export function workPart({ agents, specs }: WorkConfig): Part {
  const { planner, implementor, reviewer } = agents;
  const names = [...new Set([planner, implementor, reviewer])].join(', ');
  return createPart('work items', 'work items', `starts ${names} for specs in ${specs.join(', ')}`, {
    agents,
    specs,
  });
}

/** The commands of a suite with their inputs. Changed expectations need no new approval. */
export function suitePart(path: string, { cases }: HarnessSuite): Part {
  return createPart('suite', path, cases.map(caseText).join('\n'), cases.map(executionOf));
}

type Case = HarnessSuite['cases'][number];

function caseText(each: Case): string {
  switch (each.kind) {
    case 'cli': {
      const input = each.stdin === undefined ? '' : `, with the input ${JSON.stringify(each.stdin)}`;
      return `${each.id}: ${commandText(each.command)}${input}`;
    }
    case 'web':
      return `${each.id}: ${each.serve === undefined ? '' : `${commandText(each.serve)}, `}opens ${each.url}`;
    case 'docs': {
      const what = each.run === undefined ? 'reads' : `runs the examples (${each.run.join(', ')}) of`;
      return `${each.id}: ${what} ${each.files.join(', ')}`;
    }
  }
}

function executionOf(each: Case): unknown {
  const { kind, id, env } = each;
  switch (each.kind) {
    case 'cli':
      return { kind, id, env, command: each.command, stdin: each.stdin, cwd: each.cwd };
    case 'web':
      return { kind, id, env, serve: each.serve, url: each.url, steps: each.steps, cwd: each.cwd };
    case 'docs':
      return { kind, id, env, files: each.files, run: each.run };
  }
}

/** A settings file that makes agents start programs. */
export interface SettingsFile {
  readonly path: string;
  readonly sha256: string;
}

/** Settings files that make agents start programs, such as hooks and MCP servers, when they work in a checkout. */
export const AGENT_SETTINGS_FILES = [
  '.claude/settings.json',
  '.mcp.json',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.gemini/settings.json',
  '.qwen/settings.json',
  'opencode.json',
  'opencode.jsonc',
] as const;

export function settingsParts(files: readonly SettingsFile[]): readonly Part[] {
  return files.map(({ path, sha256 }) =>
    createPart(
      'agent settings',
      path,
      'agents follow it: it may define hooks and servers that they start',
      sha256,
    ),
  );
}
