import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIG, type Scene } from './scene.ts';

export const ENDS = 'killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';

export function workflowOf(steps: string): string {
  return `workflow_id: inline\nversion: 1\ndescription: Inline.\nentry_step: a\nsteps:\n${steps}`;
}

/** Runs a workflow that is written here, with agents and validators that are shell scripts. */
export async function runInline(scene: Scene, steps: string, ...args: readonly string[]) {
  const path = join(scene.home, 'workflow.yaml');
  await writeFile(path, workflowOf(steps));
  const result = await scene.conductor('run', path, ...args);
  return { ...result, runId: result.stdout.split('\n')[0] ?? '' };
}

export function agentStep(next: string, more = ''): string {
  return `  - { id: a, opcode: RUN_AGENT, agent: shell, prompt: do it now, ${more}routes: { completed: ${next}, error: STOP, ${ENDS} } }\n`;
}

export const JUDGE =
  '  - { id: j, opcode: EVALUATE, prompt: planner.evaluate_results.v1, allowed_next_steps: [STOP], routes: { success: STOP, partial: STOP, blocked: STOP, unsafe: STOP, needs_human: STOP } }\n';
export const GATE =
  '  - { id: g, opcode: GATE, gate: requires_approval, routes: { gate_approved: STOP, gate_rejected: STOP } }\n';
export const VALIDATE = (next: string) =>
  `  - { id: v, opcode: RUN_VALIDATION, run: [probe], routes: { completed: ${next}, error: ${next}, ${ENDS} } }\n`;

export function config(script: string, probe = 'exit 0'): string {
  return `${CONFIG}  probe: { command: [sh, -c, ${JSON.stringify(probe)}] }\n`.replace(
    'agents:\n',
    `agents:\n  shell: { kind: command, command: [sh, -c, ${JSON.stringify(script)}] }\n`,
  );
}
