import { randomBytes } from 'node:crypto';
import { access, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { priced, sumUsage } from '../agents/prices.ts';
import type { AgentTrial, Opened, OpenProject, TrialRequest } from '../app/services.ts';
import type { Config } from '../contracts/config/config.ts';
import { ownValue } from '../contracts/own-value.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import { maskSecrets } from '../policy/secrets.ts';
import type { Agent, AgentRequest, AgentResult } from '../ports/agent.ts';
import { findAgentProgram } from './agent-programs.ts';
import { makeThrowAway, type ThrowAway } from './throw-away.ts';

const FILE = 'conductor-check.txt';

/** The task is trivial; an agent that takes longer is stuck. */
const LIMIT_MS = 60_000;

interface ProjectTrial extends TrialRequest {
  readonly project: OpenProject;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
}

/** Lets an agent write one file in a temporary checkout, with the same settings as in a step. */
export async function tryAgent(request: ProjectTrial): Promise<Opened<AgentTrial>> {
  const { project, config, env, name } = request;
  const configured = ownValue(config.agents, name);
  const agent = project.deps.project.agent(name);
  if (configured === undefined || agent === null) return unknownAgent(config, name);
  const version = configured.kind === 'replay' ? null : (await findAgentProgram(configured, env)).version;
  const base: AgentTrial = {
    ok: false,
    agent: name,
    kind: configured.kind,
    version,
    termination: null,
    wrote_file: null,
    duration_ms: null,
    usage: null,
    final: null,
    reason: null,
    failure: null,
    sandboxed: false,
    continues_session: null,
    session_reason: null,
  };
  const place = await makeThrowAway(project.repoRoot);
  try {
    const missing = await agent.unavailable((path) => pathExists(join(place.worktree, path)), 'check');
    // A recording can't answer this prompt; that the recorded run exists is all that can be checked.
    if (missing !== null || configured.kind === 'replay')
      return { ok: true, value: { ...base, ok: missing === null, reason: missing } };
    const trial = await runTrial(place, request, agent, base);
    const { final, reason, session_reason } = trial;
    const masked = (text: string | null) =>
      text === null ? null : maskSecrets(text, project.deps.project.secrets ?? []);
    return {
      ok: true,
      value: {
        ...trial,
        final: masked(final),
        reason: masked(reason),
        session_reason: masked(session_reason),
      },
    };
  } finally {
    await place.remove();
  }
}

function unknownAgent(config: Config, name: string): Opened<never> {
  const near = didYouMean(name, Object.keys(config.agents));
  const help = near === null ? 'conductor doctor lists those there are' : `did you mean ${near}?`;
  return { ok: false, document: null, obstacle: { message: `there is no agent "${name}"`, help } };
}

async function runTrial(
  place: ThrowAway,
  { project, name, signal, onLine }: ProjectTrial,
  agent: Agent,
  base: AgentTrial,
): Promise<AgentTrial> {
  const { project: setup, sweep } = project.deps;
  const token = randomBytes(8).toString('hex');
  const mark = `self-check-${token}`;
  const enclosure = await setup.enclosure?.({
    runner: 'agent',
    policies: [],
    worktreePath: place.worktree,
    runDir: place.runDir,
    harnessDir: join(place.runDir, 'harness'),
  });
  if ((enclosure?.refusal ?? null) !== null) return { ...base, reason: enclosure?.refusal ?? null };
  const evidenceDir = join(place.runDir, 'artifacts', 'check');
  await mkdir(evidenceDir, { recursive: true });
  const request: AgentRequest = {
    runId: mark,
    stepId: 'check',
    attempt: 1,
    visit: 1,
    prompt: promptFor(token),
    worktreePath: place.worktree,
    runDir: place.runDir,
    inputs: {},
    evidenceDir,
    confinement: enclosure?.confinement ?? null,
    policy: setup.policy([]).effective,
    env: setup.environment,
    timeoutMs: LIMIT_MS,
    idleTimeoutMs: LIMIT_MS,
    mark,
    signal,
    onStop: async () => {},
    onLine,
    ...(agent.resumes === true
      ? { session: { folder: join(place.runDir, 'sessions/1'), resume: null } }
      : {}),
  };
  const result = await agent.run(request);
  await sweep(mark);
  const written = await readFile(join(place.worktree, FILE), 'utf8').catch(() => null);
  const wroteFile = written?.trim() === token;
  const ok = result.termination === 'completed' && wroteFile;
  const second = result.termination === 'completed' ? await visitAgain(agent, request, result) : null;
  await sweep(mark);
  const usage = sumUsage([result, second].map((start) => start?.result?.usage ?? null));
  return {
    ...base,
    ...sessionOf(agent, result, second),
    ok,
    termination: result.termination,
    wrote_file: wroteFile,
    duration_ms: result.durationMs,
    usage: priced(usage, setup.agentCare?.(name).price ?? null),
    final: result.finalResponse,
    reason: reasonOf(result, wroteFile),
    failure: result.failure ?? null,
    sandboxed: (enclosure?.confinement ?? null) !== null,
  };
}

const QUESTION = `Which line did you write into ${FILE}? Answer with that line alone. Use no tool, and change nothing.`;

/** Visits the same step a second time, as a run would; null if there is no session to continue. */
async function visitAgain(
  agent: Agent,
  request: AgentRequest,
  { sessionId }: AgentResult,
): Promise<AgentResult | null> {
  const { session, runDir } = request;
  if (session === undefined || sessionId === null || sessionId === undefined) return null;
  const evidenceDir = join(runDir, 'artifacts', 'check@2');
  await mkdir(evidenceDir, { recursive: true });
  return agent.run({
    ...request,
    attempt: 2,
    visit: 2,
    prompt: QUESTION,
    evidenceDir,
    session: {
      folder: join(runDir, 'sessions/2'),
      resume: { id: sessionId, from: session.folder, prompt: QUESTION },
    },
  });
}

function sessionOf(
  agent: Agent,
  first: AgentResult,
  second: AgentResult | null,
): Pick<AgentTrial, 'continues_session' | 'session_reason'> {
  if (
    agent.resumes !== true ||
    first.termination !== 'completed' ||
    (second === null && first.sessionId != null)
  )
    return { continues_session: null, session_reason: null };
  if (second === null) return { continues_session: false, session_reason: 'it named no session' };
  const continues = second.session?.resumed === true && second.termination === 'completed';
  return {
    continues_session: continues,
    session_reason: continues ? null : (second.session?.note ?? second.reason),
  };
}

function promptFor(token: string): string {
  return [
    `Create a file called ${FILE} in the current folder. It has exactly one line, and this is the line:`,
    '',
    token,
    '',
    'Change nothing else, and say "done" when it is there.',
  ].join('\n');
}

function reasonOf({ reason, termination }: AgentResult, wroteFile: boolean): string | null {
  if (reason !== null) return reason;
  return termination === 'completed' && !wroteFile
    ? 'it ended well and did not write the file it was asked for'
    : null;
}

function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
