import { join } from 'node:path';
import { type HookCall, hookCallSchema } from '../../contracts/hook-call.ts';
import { checkCommand } from '../../policy/shell/check-command.ts';
import { formatCommandLine } from '../../policy/shell/line-of-words.ts';
import { temporaryFolders } from '../../policy/shell/write-rules.ts';
import type { PolicyViolation } from '../../policy/violation.ts';
import { parseJson } from '../../text/json.ts';
import { singleQuote } from '../../text/shell-words.ts';
import type { OpenPolicy } from './open-policy.ts';

/** Tools that neither run nor write anything. Some agents ask about every tool. */
const READING_TOOLS = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'TodoWrite']);
const WRITING_TOOLS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

/** Null if the text is not a call. */
export function parseHookCall(text: string): HookCall | null {
  return hookCallSchema.safeParse(parseJson(text)).data ?? null;
}

export function isReadingCall({ tool_name: tool = '', tool_input: input, command }: HookCall): boolean {
  return READING_TOOLS.has(tool) && input?.command === undefined && command === undefined;
}

/** The shell line of a call; a tool that writes a file counts as a redirection into it. Null if there is none. */
export function shellLineOf({ tool_name: tool = '', tool_input: input, command }: HookCall): string | null {
  const given = input?.command ?? command ?? null;
  const path = input?.file_path ?? input?.notebook_path;
  if (given === null && WRITING_TOOLS.has(tool) && path !== undefined) return `> ${singleQuote(path)}`;
  return given === null || typeof given === 'string' ? given : formatCommandLine(given);
}

export interface HookSituation {
  readonly opened: OpenPolicy;
  /** Where the line would run, without symbolic links. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The violations of the policy that a shell line would commit. */
export function checkHookCall(line: string, { opened, cwd, env }: HookSituation): readonly PolicyViolation[] {
  return checkCommand(opened.policy, line, {
    workspace: opened.workspace,
    cwd,
    home: env.HOME ?? null,
    writable: harnessFolders(opened.workspace, env),
    temporary: temporaryFolders(env.TMPDIR),
    protectedBranches: opened.protectedBranches,
  }).violations;
}

/** Agents may write to the harness folder of their run, under both of its paths. */
function harnessFolders(workspace: string, env: HookSituation['env']): string[] {
  const { CONDUCTOR_RUN_DIR: directory, CONDUCTOR_RUN_ID: runId } = env;
  return [
    ...(directory === undefined || directory === '' ? [] : [join(directory, 'harness')]),
    ...(runId === undefined || runId === '' ? [] : [join(workspace, '.tnh', 'run', runId, 'harness')]),
  ];
}
