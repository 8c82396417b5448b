import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import {
  checkHookCall,
  isReadingCall,
  parseHookCall,
  shellLineOf,
} from '../../../../app/policy/check-hook-call.ts';
import type { HookCall } from '../../../../contracts/hook-call.ts';
import type { PolicyViolation } from '../../../../policy/violation.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openPolicy } from '../../open.ts';
import { printable } from '../../output/terminal.ts';

interface HookOptions {
  readonly policies: readonly string[];
}

/** Replaced by tests. */
export interface HookProcess {
  readonly readInput: () => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const THIS_PROCESS: HookProcess = { readInput: () => readAll(process.stdin), env: process.env };

/** The only exit code by which a hook stops an agent's call; after any other failure the call is executed. */
const BLOCK: ExitCode = EXIT.usage;

const NOT_A_CALL = 'the input is not JSON with a command in it';

/** Answers an agent that asks before it executes a shell line. Blocks the line if anything goes wrong. */
export async function hook(
  context: CommandContext,
  options: HookOptions,
  { readInput, env }: HookProcess = THIS_PROCESS,
): Promise<ExitCode> {
  try {
    const call = parseHookCall(await readInput());
    if (call === null) return block(context, NOT_A_CALL);
    if (isReadingCall(call)) return context.json ? answer(context, call, []) : EXIT.success;
    const line = shellLineOf(call);
    if (line === null) return block(context, describeMissingCommand(call));
    const opened = await openPolicy(context, options.policies);
    const cwd = await findFolder(context, call);
    return answer(context, call, checkHookCall(line, { opened, cwd, env }));
  } catch (error) {
    return block(context, error instanceof Error ? error.message : String(error));
  }
}

function describeMissingCommand({ tool_name: tool }: HookCall): string {
  return tool === undefined
    ? NOT_A_CALL
    : `the call of ${tool} has no command to check, so it is refused; ask only about tools that run or write`;
}

async function findFolder(context: CommandContext, { cwd, tool_input: input }: HookCall): Promise<string> {
  const start = resolve(await resolveLinks(context.startDir), cwd ?? '.');
  return resolveLinks(resolve(start, input?.cwd ?? input?.workdir ?? '.'));
}

function resolveLinks(path: string): Promise<string> {
  return realpath(path).catch(() => {
    throw new Error(`the folder ${path} does not exist, so the command can't be checked`);
  });
}

function answer(context: CommandContext, call: HookCall, violations: readonly PolicyViolation[]): ExitCode {
  const allowed = violations.length === 0;
  const reason = violations.map(({ class: kind, message }) => `${kind}: ${message}`).join('\n');
  if (context.json) {
    printJson(context, { allowed, violations });
    return allowed ? EXIT.success : BLOCK;
  }
  if (!expectsDecision(call)) return allowed ? EXIT.success : block(context, reason);
  const decision = {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: allowed ? 'allow' : 'deny',
      permissionDecisionReason: allowed ? 'the policy of this step allows it' : reason,
    },
  };
  context.terminal.out(`${formatJson(decision, 0)}\n`);
  return EXIT.success;
}

/** Whether the agent reads a decision from stdout, as Claude Code does. Others use the exit code. */
function expectsDecision({ hook_event_name: event, tool_input: input }: HookCall): boolean {
  return input !== undefined && (event === undefined || event === 'PreToolUse');
}

function block(context: CommandContext, reason: string): ExitCode {
  if (context.json) throw new CliError(printable(reason), 'the line does not run', BLOCK);
  context.terminal.err(`${printable(reason)}\n`);
  return BLOCK;
}
