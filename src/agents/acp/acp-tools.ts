import * as z from 'zod';
import { singleQuote } from '../../text/shell-words.ts';
import { type TranscriptEntry, truncateEntry } from '../transcript.ts';
import type { AcpBlock, AcpToolCall } from './acp-messages.ts';

/** The state of a tool call that has not ended. */
export interface OpenTool {
  readonly call: AcpToolCall;
  readonly startedMs: number;
  /** Whether it is in the transcript: some agents start a call before they report its input. */
  readonly isRecorded: boolean;
}

export type OpenTools = Readonly<Record<string, OpenTool>>;

/** Otherwise calls that never end would accumulate. */
const OPEN_TOOLS_LIMIT = 256;
/** More than the transcript shows of a tool. */
const EXCERPT_LIMIT = 4_000;
const SUBJECT_LIMIT = 200;

export interface FoldedTools {
  readonly tools: OpenTools;
  readonly entries: readonly TranscriptEntry[];
}

/** Merges an update into a call: fields missing in the update stay as they were. */
export function mergedCall(known: AcpToolCall | undefined, update: AcpToolCall): AcpToolCall {
  if (known === undefined) return update;
  const given = Object.entries(update).filter(([, value]) => value !== undefined && value !== null);
  return { ...known, ...Object.fromEntries(given), toolCallId: known.toolCallId };
}

export function foldToolCall(tools: OpenTools, update: AcpToolCall, atMs: number): FoldedTools {
  const id = update.toolCallId;
  const known = Object.hasOwn(tools, id) ? tools[id] : undefined;
  const call = mergedCall(known?.call, update);
  const tool = { call, startedMs: known?.startedMs ?? atMs, isTold: known?.isRecorded ?? false };
  const hasEnded = call.status === 'completed' || call.status === 'failed';
  const entries = tool.isTold || !(hasEnded || hasDetails(call)) ? [] : [useOf(call)];
  if (!hasEnded)
    return { tools: withTool(tools, { ...tool, isRecorded: tool.isTold || entries.length > 0 }), entries };
  const { [id]: _ended, ...others } = tools;
  // The duration is unknown if the call is reported only at its end.
  return {
    tools: others,
    entries: [...entries, resultOf(call, known === undefined ? null : atMs - tool.startedMs)],
  };
}

/** Adds a call that needs permission to the transcript before the answer. */
export function recordCall(tools: OpenTools, update: AcpToolCall, atMs: number): FoldedTools {
  const id = update.toolCallId;
  const known = Object.hasOwn(tools, id) ? tools[id] : undefined;
  const call = mergedCall(known?.call, update);
  const entries = known?.isRecorded === true ? [] : [useOf(call)];
  return { tools: withTool(tools, { call, startedMs: known?.startedMs ?? atMs, isRecorded: true }), entries };
}

function withTool(tools: OpenTools, tool: OpenTool): OpenTools {
  const id = tool.call.toolCallId;
  const ids = Object.keys(tools);
  if (Object.hasOwn(tools, id) || ids.length < OPEN_TOOLS_LIMIT) return { ...tools, [id]: tool };
  const { [ids[0] ?? '']: _oldest, ...others } = tools;
  return { ...others, [id]: tool };
}

const commandSchema = z.looseObject({
  command: z
    .union([z.string(), z.array(z.string()).min(1)])
    .nullish()
    .catch(null),
  cmd: z
    .union([z.string(), z.array(z.string()).min(1)])
    .nullish()
    .catch(null),
  args: z.array(z.string()).nullish().catch(null),
  cwd: z.string().nullish().catch(null),
  workdir: z.string().nullish().catch(null),
});

interface NamedCommand {
  readonly command: string | readonly string[];
  readonly cwd: string | null;
}

/** The command that a call would run, as a shell line or as words, with its folder; null if it has none. */
export function commandOf(call: AcpToolCall): NamedCommand | null {
  const input = commandSchema.safeParse(call.rawInput).data;
  const named = input?.command ?? input?.cmd ?? titledCommand(call);
  if (named === null) return null;
  return { command: withArguments(named, input?.args ?? []), cwd: input?.cwd ?? input?.workdir ?? null };
}

/**
 * Adds separate arguments to the command. A program name becomes a list of words; a shell line is extended.
 */
function withArguments(command: NamedCommand['command'], args: readonly string[]): NamedCommand['command'] {
  if (args.length === 0) return command;
  if (typeof command !== 'string') return [...command, ...args];
  return /\s/.test(command.trim()) ? [command, ...args.map(singleQuote)].join(' ') : [command, ...args];
}

const pathsSchema = z.record(z.string(), z.unknown());
const PATH_NAMES = ['path', 'file_path', 'filePath', 'filepath', 'file', 'abs_path', 'notebook_path'];
const MOVE_NAMES = ['from', 'to', 'source', 'destination', 'old_path', 'new_path'];

/** Files in the input of a call, under the field names that agents use. */
export function inputPathsOf({ kind, rawInput }: AcpToolCall): string[] {
  const input = pathsSchema.safeParse(rawInput).data ?? {};
  const names = kind === 'move' ? [...PATH_NAMES, ...MOVE_NAMES] : PATH_NAMES;
  return names.flatMap((name) => {
    const value = Object.hasOwn(input, name) ? input[name] : null;
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
}

/**
 * Gemini does not report the input of its tools, but has the command line as the title. A truncated one is
 * unusable.
 */
function titledCommand({ kind, title, rawInput }: AcpToolCall): string | null {
  const line = title?.trim() ?? '';
  if (kind !== 'execute' || (rawInput !== undefined && rawInput !== null)) return null;
  return line === '' || /(?:…|\.\.\.)$/.test(line) ? null : line;
}

function hasDetails(call: AcpToolCall): boolean {
  const input = z.record(z.string(), z.unknown()).safeParse(call.rawInput).data ?? {};
  return (
    Object.keys(input).length > 0 || (call.locations ?? []).length > 0 || (call.content ?? []).length > 0
  );
}

/** A description of the call for users: its command if it has one, since its title may be anything. */
export function subjectOf(call: AcpToolCall): string {
  const [line = ''] = (lineOf(call) ?? '').trim().split('\n');
  return line === '' ? titleOf(call) : truncateEntry(line, SUBJECT_LIMIT);
}

function titleOf({ title, kind, toolCallId }: AcpToolCall): string {
  const [line = ''] = (title ?? '').trim().split('\n');
  return line === '' ? (kind ?? toolCallId) : truncateEntry(line, SUBJECT_LIMIT);
}

function lineOf(call: AcpToolCall): string | null {
  const command = commandOf(call)?.command ?? null;
  return typeof command === 'string' || command === null ? command : command.join(' ');
}

function useOf(call: AcpToolCall): TranscriptEntry {
  const paths = (call.locations ?? []).map(({ path }) => path);
  const about = lineOf(call) ?? (paths.length > 0 ? paths.join('\n') : inputOf(call));
  const title = titleOf(call);
  return {
    kind: 'tool_use',
    name: call.kind ?? 'tool',
    input: about === '' || about === title ? title : `${title}\n${about}`,
  };
}

function inputOf({ rawInput }: AcpToolCall): string {
  return rawInput === undefined || rawInput === null
    ? ''
    : truncateEntry(JSON.stringify(rawInput), EXCERPT_LIMIT);
}

function resultOf(call: AcpToolCall, durationMs: number | null): TranscriptEntry {
  const texts = (call.content ?? []).map(textOf).filter((text) => text !== '');
  const text = texts.length > 0 ? texts.join('\n') : outputOf(call);
  return {
    kind: 'tool_result',
    text: truncateEntry(text, EXCERPT_LIMIT),
    isError: call.status === 'failed',
    durationMs: durationMs === null ? null : Math.round(durationMs),
  };
}

function textOf({ type, content, path }: AcpBlock): string {
  return type === 'diff' ? `changed ${path ?? 'a file'}` : (content?.text ?? '');
}

function outputOf({ rawOutput }: AcpToolCall): string {
  if (rawOutput === undefined || rawOutput === null) return '';
  return typeof rawOutput === 'string' ? rawOutput : truncateEntry(JSON.stringify(rawOutput), EXCERPT_LIMIT);
}
