import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type AgentResultFile, agentResultFileSchema } from '../../contracts/run/agent-result.ts';
import type { Agent, AgentRequest, AgentResult } from '../../ports/agent.ts';
import type { ProcessResult, Supervisor } from '../../ports/supervisor.ts';
import { parseJson } from '../../text/json.ts';
import {
  type FoundVisit,
  findRecordedRun,
  findRecordedVisit,
  type RecordedRuns,
} from './recorded-answers.ts';

export interface ReplayAgentDeps {
  /** The id of a recorded run, or a prefix of it. */
  readonly run: string;
  readonly store: RecordedRuns;
  readonly supervisor: Supervisor;
  readonly captureLimitBytes: number;
  readonly graceMs: number;
}

/**
 * Answers a step as a recorded run did: with the same output, the same outcome and the same changes to files.
 */
export function createReplayAgent(deps: ReplayAgentDeps): Agent {
  return {
    family: 'replay',
    explainUnavailable: async (_isInBase, stepId) => {
      const found = await findRecordedRun(deps.store, deps.run, null);
      if (!found.ok) return found.message;
      if (found.entries.some((entry) => entry.stepId === stepId)) return null;
      return `run ${found.runId} has not recorded the end of an agent in a step "${stepId}"`;
    },
    run: (request) => replayEntry(deps, request),
  };
}

async function replayEntry(deps: ReplayAgentDeps, request: AgentRequest): Promise<AgentResult> {
  const files = await prepareFiles(request);
  const found = await findRecordedVisit(deps.store, deps.run, request);
  if (!found.ok) return refuse(files, found.message);
  const recording = await readRecording(found);
  if (!recording.ok) return refuse(files, recording.message);
  if (recording.transcript !== null) await copyFile(recording.transcript, files.transcript);
  if (recording.stderr !== null) await copyFile(recording.stderr, files.stderr);
  const applied = recording.patch === null ? null : await applyPatch(deps, request, recording.patch, files);
  if (applied?.end.kind === 'cancelled')
    return { ...refusalOf(files, 'cancelled'), termination: 'cancelled' };
  if (applied !== null && !(applied.end.kind === 'exited' && applied.end.exitCode === 0))
    return refuse(files, describeConflict(found, applied));
  const { outcome, reason, usage } = found.entry.end.payload;
  if (recording.final !== '') request.onLine(recording.final);
  return {
    termination: outcome,
    exitCode: recording.exitCode,
    durationMs: applied?.durationMs ?? 0,
    transcriptPath: files.transcript,
    stderrPath: recording.stderr === null ? null : files.stderr,
    finalResponse: recording.final,
    result: usage === null ? recording.result : { ...recording.result, usage },
    reason,
    notes: [...recording.notes, `answered from entry ${found.entry.visit} of run ${found.directory.runId}`],
  };
}

interface AnswerFiles {
  readonly transcript: string;
  readonly stderr: string;
  readonly applyOut: string;
  readonly applyErr: string;
}

async function prepareFiles(request: AgentRequest): Promise<AnswerFiles> {
  await mkdir(request.evidenceDir, { recursive: true });
  const file = (name: string) => join(request.evidenceDir, name);
  // Remove what another process left at these paths: it may be a link to anywhere.
  for (const name of ['transcript.txt', 'stderr.txt']) await rm(file(name), { force: true, recursive: true });
  await writeFile(file('transcript.txt'), '', { flag: 'wx' });
  return {
    transcript: file('transcript.txt'),
    stderr: file('stderr.txt'),
    applyOut: file('apply.stdout.txt'),
    applyErr: file('apply.stderr.txt'),
  };
}

function refusalOf(files: AnswerFiles, reason: string): AgentResult {
  return {
    termination: 'error',
    exitCode: null,
    durationMs: 0,
    transcriptPath: files.transcript,
    stderrPath: null,
    finalResponse: '',
    result: null,
    reason,
    notes: [],
  };
}

/** Refuses to answer, and discards what was copied so far. */
async function refuse(files: AnswerFiles, reason: string): Promise<AgentResult> {
  await writeFile(files.transcript, '');
  await rm(files.stderr, { force: true });
  return refusalOf(files, reason);
}

function describeConflict({ runId, entry, baseSha }: FoundVisit, applied: ProcessResult): string {
  const detail = applied.stderr.lastLine ?? 'git apply failed';
  return `the change that step "${entry.stepId}" made in run ${runId} does not fit the files here (${detail}); start from the commit that run started from, with --base-ref ${baseSha}`;
}

type Recording =
  | {
      readonly ok: true;
      readonly transcript: string | null;
      readonly stderr: string | null;
      /** Null if the step changed no files. */
      readonly patch: string | null;
      readonly exitCode: number | null;
      readonly final: string;
      readonly result: AgentResultFile | null;
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

const runnerMetadataSchema = z.object({
  ...agentResultFileSchema.shape,
  exit_code: z.int().nullable(),
  final: z.string(),
  usage: z.unknown(),
  failure: z.unknown(),
  notes: z.array(z.string()),
});

/** Reads the artifacts of a recorded attempt. An agent that never started, or was abandoned, has none. */
async function readRecording({ directory, artifacts }: FoundVisit): Promise<Recording> {
  const paths = new Map<string, string>();
  for (const { role, path, sha256, bytes } of artifacts) {
    if (!ROLES.includes(role)) continue;
    const digest = await directory.digest(directory.resolve(path)).catch(() => null);
    if (digest?.sha256 !== sha256)
      return {
        ok: false,
        message: `${path} of run ${directory.runId} is not as it was recorded; conductor verify ${directory.runId} shows more`,
      };
    if (bytes > 0) paths.set(role, path);
  }
  const resolve = (role: string): string | null => {
    const path = paths.get(role);
    return path === undefined ? null : directory.resolve(path);
  };
  const metadataPath = paths.get('runner_metadata');
  const metadata = runnerMetadataSchema.safeParse(
    metadataPath === undefined ? null : parseJson((await directory.read(metadataPath)) ?? ''),
  );
  return {
    ok: true,
    transcript: resolve('runner_transcript'),
    stderr: resolve('runner_stderr'),
    patch: resolve('workspace_diff'),
    ...responseOf(metadata.success ? metadata.data : null),
  };
}

const ROLES: readonly string[] = ['runner_transcript', 'runner_stderr', 'runner_metadata', 'workspace_diff'];

function responseOf(metadata: z.infer<typeof runnerMetadataSchema> | null) {
  if (metadata === null) return { exitCode: null, final: '', result: null, notes: [] };
  const { exit_code, notes, usage: _usage, failure: _failure, ...result } = metadata;
  return { exitCode: exit_code, final: result.final, result, notes };
}

/** Settings under which the same patch has the same effect everywhere. */
const GIT = ['git', '-c', 'core.hooksPath=/dev/null', '-c', 'apply.ignoreWhitespace=no'] as const;

/** Applies all of the patch or nothing: git checks that everything fits before it changes a file. */
async function applyPatch(
  deps: ReplayAgentDeps,
  request: AgentRequest,
  patch: string,
  files: AnswerFiles,
): Promise<ProcessResult> {
  const applied = await deps.supervisor.run({
    argv: [...GIT, 'apply', '--binary', '--whitespace=nowarn', patch],
    cwd: request.checkoutPath,
    // git runs outside of the sandbox because it reads the patch from the directory of another run.
    confinement: null,
    env: { ...request.env, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    stdin: null,
    stdoutPath: files.applyOut,
    stderrPath: files.applyErr,
    captureLimitBytes: deps.captureLimitBytes,
    timeoutMs: request.timeoutMs,
    idleTimeoutMs: null,
    graceMs: deps.graceMs,
    mark: request.mark,
    signal: request.signal,
    onStop: null,
    onLine: null,
  });
  // The output of git is not evidence of the step; its last line is in the reason if it fails.
  await rm(files.applyOut, { force: true });
  await rm(files.applyErr, { force: true });
  return applied;
}
