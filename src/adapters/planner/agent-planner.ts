import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { excerptReply } from '../../planner/table/floor.ts';
import type { Planner } from '../../ports/planner.ts';
import type { PromptCatalog } from '../../ports/prompts.ts';
import type { ProcessResult, ResolveProgram, Supervisor } from '../../ports/supervisor.ts';
import { type AskResult, createPromptedPlanner, type Question } from './prompted-planner.ts';
import { STRUCTURED_CLIS, type StructuredAgent, type StructuredCli } from './structured-cli.ts';

export interface AgentPlannerDeps {
  /** The agent's name in the configuration. */
  readonly agent: string;
  readonly kind: StructuredAgent;
  readonly command: readonly [string, ...string[]];
  readonly model: string | null;
  /** The complete environment of its process. */
  readonly env: Readonly<Record<string, string>>;
  readonly prompts: PromptCatalog;
  readonly secrets: readonly string[];
  readonly timeoutMs: number;
  readonly supervisor: Supervisor;
  readonly resolveProgram: ResolveProgram;
  readonly captureLimitBytes: number;
  readonly graceMs: number;
}

/** Asks the command line of an agent, in an empty folder and without tools if the agent can disable them. */
export function createAgentPlanner(deps: AgentPlannerDeps): Planner {
  return createPromptedPlanner({
    name: `agent:${deps.agent}`,
    family: 'agent',
    prompts: deps.prompts,
    secrets: deps.secrets,
    explainUnavailable: () => missingProgram(deps),
    ask: (question) => askAgent(deps, question),
  });
}

async function missingProgram({ command, env, resolveProgram }: AgentPlannerDeps): Promise<string | null> {
  const [program] = command;
  const found = await resolveProgram(program, { cwd: '/', path: env.PATH });
  return found === null ? `command not found: ${program}` : null;
}

async function askAgent(deps: AgentPlannerDeps, question: Question): Promise<AskResult> {
  const folder = await mkdtemp(join(tmpdir(), 'conductor-planner-'));
  try {
    return { ...(await answerIn(folder, deps, question)), attempts: 1 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function answerIn(
  folder: string,
  deps: AgentPlannerDeps,
  question: Question,
): Promise<Omit<AskResult, 'attempts'>> {
  const cli = STRUCTURED_CLIS[deps.kind];
  const files = { schema: join(folder, 'schema.json'), answer: join(folder, 'answer.json') };
  const cwd = join(folder, 'empty');
  await mkdir(cwd);
  const schema = JSON.stringify(question.schema);
  await writeFile(files.schema, schema);
  const limitMs = Math.min(deps.timeoutMs, question.asking.timeoutMs ?? Number.POSITIVE_INFINITY);
  const idleMs = cli.printsProgress ? (question.asking.idleTimeoutMs ?? null) : null;
  const [program, ...args] = deps.command;
  const ran = await deps.supervisor.run({
    argv: [program, ...args, ...cli.args(schema, files, deps.model)],
    cwd,
    confinement: null,
    env: { ...cli.env, ...deps.env },
    stdin: question.prompt,
    stdoutPath: join(folder, 'stdout.txt'),
    stderrPath: join(folder, 'stderr.txt'),
    captureLimitBytes: deps.captureLimitBytes,
    timeoutMs: limitMs,
    idleTimeoutMs: idleMs,
    graceMs: deps.graceMs,
    mark: question.asking.mark ?? `planner/${randomUUID()}`,
    signal: question.signal,
    onStop: null,
    onLine: null,
  });
  const reason = describeAbnormalEnd(ran, limitMs, idleMs);
  question.signal.throwIfAborted();
  if (reason === null) return readAnswer(cli, ran, files.answer);
  const summary = `the agent "${deps.agent}" gave no decision: ${reason}`;
  return { reply: { kind: 'no_proposal', code: 'planner_unavailable', summary }, usage: null };
}

async function readAnswer(
  cli: StructuredCli,
  { end, stdout, stderr }: ProcessResult,
  answerPath: string,
): Promise<Omit<AskResult, 'attempts'>> {
  return cli.read({
    exitCode: end.kind === 'exited' ? end.exitCode : 1,
    stdout: await readFile(stdout.path, 'utf8'),
    stderr: await readFile(stderr.path, 'utf8'),
    answer: await readFile(answerPath, 'utf8').catch(() => null),
  });
}

/** Null if the process exited by itself. */
function describeAbnormalEnd(
  { end, stderr }: ProcessResult,
  limitMs: number,
  idleMs: number | null,
): string | null {
  const lastLine = stderr.lastLine === null ? '' : `: ${excerptReply(stderr.lastLine)}`;
  switch (end.kind) {
    case 'exited':
      return null;
    case 'signalled':
      return `it was killed by ${end.signal}${lastLine}`;
    case 'spawn_failed':
      return end.message;
    case 'timeout':
      return `it timed out after ${limitMs / 1_000} s`;
    case 'idle':
      return `it printed nothing for ${(idleMs ?? 0) / 1_000} s`;
    case 'bound':
      return `it was stopped: ${end.message}`;
    case 'cancelled':
      return 'it was cancelled';
  }
}
