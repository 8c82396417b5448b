import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIG, type Scene, type SceneOptions } from '../e2e/scene.ts';
import { AGENT_KEY, type RealKind } from './real-adapters.ts';
import { AGENTS_BIN, codexArguments } from './real-agents.ts';

const ENDS = 'error: STOP, killed_timeout: STOP, killed_idle: STOP, killed_policy: STOP';

/** An agent, a validation, an evaluation; the same agent fixes what is wrong. */
export const WORKFLOW = (policy: string) => `workflow_id: driven
version: 1
description: A real agent works until its tests pass.
entry_step: implement
defaults: { policy: ${policy}, limits: { timeout: 90s, idle_timeout: 60s } }
steps:
  - id: implement
    opcode: RUN_AGENT
    agent: coder
    prompt: Make the tests pass.
    routes: { completed: check, ${ENDS} }
  - id: check
    opcode: RUN_VALIDATION
    run: [tests]
    routes: { completed: judge, ${ENDS.replace('error: STOP', 'error: judge')} }
  - id: judge
    opcode: EVALUATE
    prompt: planner.evaluate_results.v1
    allowed_next_steps: [implement, STOP]
    routes: { success: STOP, partial: implement, blocked: STOP, unsafe: STOP, needs_human: STOP }
`;

/** A repository whose `coder` is the real program, with the model at this address. */
export function drivenScene(
  kind: RealKind,
  url: string,
  change: Pick<SceneOptions, 'sandbox' | 'files'> & { readonly policy?: string } = {},
): SceneOptions {
  const program = join(AGENTS_BIN ?? '', kind === 'codex' ? 'codex' : 'claude');
  const command = JSON.stringify(kind === 'codex' ? [program, ...codexArguments(url)] : [program]);
  const more = kind === 'codex' ? ', model: gpt-5.5, env: [SCRIPTED_KEY, TMPDIR]' : '';
  const { policy = 'policy.workspace.v1', files = {}, ...options } = change;
  return {
    ...options,
    config: CONFIG.replace(
      'validators:',
      `  coder: { kind: ${kind}, command: ${command}${more} }\nvalidators:`,
    ),
    files: { 'driven.yaml': WORKFLOW(policy), ...files },
  };
}

/** The environment of a user who has logged in with keys; the sandbox is as the scene has it. */
export function keysOf(scene: Scene, kind: RealKind, url: string): Record<string, string> {
  if (kind === 'claude-code')
    return { ANTHROPIC_API_KEY: AGENT_KEY, ANTHROPIC_BASE_URL: url, CLAUDE_CODE_MAX_RETRIES: '0' };
  // Codex can't sandbox its tools if its home is in the folder for temporary files.
  const temporary = join(scene.home, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return { SCRIPTED_KEY: AGENT_KEY, TMPDIR: temporary };
}
