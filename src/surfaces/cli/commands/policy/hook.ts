import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import * as z from 'zod';
import { checkCommand } from '../../../../policy/shell/check-command.ts';
import { lineOfWords } from '../../../../policy/shell/line-of-words.ts';
import { temporaryFolders } from '../../../../policy/shell/write-rules.ts';
import type { Violation } from '../../../../policy/violation.ts';
import { formatJson } from '../../../../text/outside-text.ts';
import { singleQuoted } from '../../../../text/shell-words.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openPolicy } from '../../open.ts';
import { printable } from '../../output/terminal.ts';

interface HookOptions {
  readonly policies: readonly string[];
}

/** What surrounds the call; tests bring their own. */
export interface HookSurroundings {
  readonly readInput: () => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const AROUND_PROCESS: HookSurroundings = { readInput: () => readAll(process.stdin), env: process.env };

/** An agent goes on when a hook fails in any other way than this. */
const BLOCK: ExitCode = EXIT.usage;

const lineSchema = z.union([z.string(), z.array(z.string()).min(1)]);
const callSchema = z.looseObject({
  hook_event_name: z.string().optional(),
  tool_name: z.string().optional(),
  tool_input: z
    .looseObject({
      command: lineSchema.optional(),
      file_path: z.string().optional(),
      notebook_path: z.string().optional(),
      cwd: z.string().optional(),
      workdir: z.string().optional(),
    })
    .optional(),
  command: lineSchema.optional(),
  cwd: z.string().optional(),
});
type HookCall = z.infer<typeof callSchema>;

/** Answers an agent that asks before it runs a shell line. Whatever goes wrong, the line does not run. */
export async function hook(
  context: VerbContext,
  options: HookOptions,
  around: HookSurroundings = AROUND_PROCESS,
): Promise<ExitCode> {
  try {
    const call = await readCall(around);
    if (call === null) return block(context, 'the call is not JSON with a command in it');
    if (!isLook(call) && lineOf(call) === null) return block(context, withoutCommand(call));
    if (isLook(call)) return context.json ? answer(context, call, []) : EXIT.success;
    const violations = await judge(context, call, options, around.env);
    return answer(context, call, violations);
  } catch (error) {
    return block(context, error instanceof Error ? error.message : String(error));
  }
}

async function readCall({ readInput }: HookSurroundings): Promise<HookCall | null> {
  const text = await readInput();
  try {
    return callSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function withoutCommand({ tool_name: tool }: HookCall): string {
  return tool === undefined
    ? 'the call is not JSON with a command in it'
    : `the call of ${tool} has no command to judge, so it is refused; ask only about tools that run or write`;
}

/** Tools that run and write nothing are none of our business, where an agent asks about every tool. */
const LOOKS = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'TodoWrite']);
const WRITES = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

function isLook({ tool_name: tool = '', tool_input: input, command }: HookCall): boolean {
  return LOOKS.has(tool) && input?.command === undefined && command === undefined;
}

function lineOf({ tool_name: tool = '', tool_input: input, command }: HookCall): string | null {
  const given = input?.command ?? command ?? null;
  const path = input?.file_path ?? input?.notebook_path;
  // What writes a file is judged as a redirection into it would be.
  if (given === null && WRITES.has(tool) && path !== undefined) return `> ${singleQuoted(path)}`;
  return given === null || typeof given === 'string' ? given : lineOfWords(given);
}

async function judge(
  context: VerbContext,
  call: HookCall,
  { policies }: HookOptions,
  env: HookSurroundings['env'],
): Promise<readonly Violation[]> {
  const opened = await openPolicy(context, policies);
  const start = resolve(await folderAt(context.startDir), call.cwd ?? '.');
  const cwd = resolve(start, call.tool_input?.cwd ?? call.tool_input?.workdir ?? '.');
  return checkCommand(opened.policy, lineOf(call) ?? '', {
    workspace: opened.workspace,
    cwd: await folderAt(cwd),
    home: env.HOME ?? null,
    writable: harnessFolders(opened.workspace, env),
    temporary: temporaryFolders(env.TMPDIR),
    protectedBranches: opened.protectedBranches,
  }).violations;
}

function folderAt(path: string): Promise<string> {
  return realpath(path).catch(() => {
    throw new Error(`the folder ${path} can't be found, so nobody can tell where the command would run`);
  });
}

/** The harness folder of a run is open to its agents, by either of the two ways that lead there. */
function harnessFolders(workspace: string, env: HookSurroundings['env']): string[] {
  const { CONDUCTOR_RUN_DIR: directory, CONDUCTOR_RUN_ID: runId } = env;
  return [
    ...(directory === undefined || directory === '' ? [] : [join(directory, 'harness')]),
    ...(runId === undefined || runId === '' ? [] : [join(workspace, '.tnh', 'run', runId, 'harness')]),
  ];
}

function answer(context: VerbContext, call: HookCall, violations: readonly Violation[]): ExitCode {
  const allowed = violations.length === 0;
  const reason = violations.map(({ class: kind, message }) => `${kind}: ${message}`).join('\n');
  if (context.json) {
    printJson(context, { allowed, violations });
    return allowed ? EXIT.success : BLOCK;
  }
  if (!wantsDecision(call)) return allowed ? EXIT.success : block(context, reason);
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

/** Only who asks in this form reads the answer; everybody else goes by the exit code. */
function wantsDecision({ hook_event_name: event, tool_input: input }: HookCall): boolean {
  return input !== undefined && (event === undefined || event === 'PreToolUse');
}

function block(context: VerbContext, reason: string): ExitCode {
  if (context.json) throw new CliError(printable(reason), 'the line does not run', BLOCK);
  context.terminal.err(`${printable(reason)}\n`);
  return BLOCK;
}
