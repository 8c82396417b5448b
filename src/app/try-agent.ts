import { join } from 'node:path';
import { addCost, sumUsage } from '../agents/prices.ts';
import type { AgentConfig, Config } from '../contracts/config/config.ts';
import { ownValue } from '../contracts/own-value.ts';
import type { AgentFailure } from '../contracts/run/agent-failure.ts';
import type { Usage } from '../contracts/run/agent-result.ts';
import { didYouMean } from '../diagnostics/did-you-mean.ts';
import { maskSecrets } from '../policy/secrets/secrets.ts';
import type { Agent, AgentRequest, AgentResult } from '../ports/agent.ts';
import type { FindAgentProgram } from '../ports/agent-program.ts';
import type { TemporaryCheckout } from '../ports/workspace/temporary-checkout.ts';
import type { RunDeps } from '../runtime/run-context.ts';
import { type Opened, refuse } from './opened.ts';

export interface TrialRequest {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

/** Keys are spelt as in the JSON output of the command. */
export interface AgentTrial {
  readonly ok: boolean;
  readonly agent: string;
  readonly kind: AgentConfig['kind'];
  readonly version: string | null;
  /** Null if it was not started. */
  readonly termination: string | null;
  readonly wrote_file: boolean | null;
  readonly duration_ms: number | null;
  readonly usage: Usage | null;
  readonly final: string | null;
  readonly reason: string | null;
  readonly failure: AgentFailure | null;
  readonly sandboxed: boolean;
  /** Whether a second start continued the first one's session; null if the agent can't, or was not asked to. */
  readonly continues_session: boolean | null;
  /** Why it did not; null otherwise. */
  readonly session_reason: string | null;
}

export interface TrialDeps {
  /** The agents and settings of a run in the repository. */
  readonly run: Pick<RunDeps, 'project' | 'sweep'>;
  readonly agents: Config['agents'];
  readonly findProgram: FindAgentProgram;
  readonly makeCheckout: () => Promise<TemporaryCheckout>;
  /** A random string that the agent can't guess. */
  readonly newToken: () => string;
}

const TRIAL_FILE = 'conductor-check.txt';

/** The task is trivial; an agent that takes longer is stuck. */
const LIMIT_MS = 60_000;

/** Lets an agent write one file in a temporary checkout, with the same settings as in a step. */
export async function tryAgent(deps: TrialDeps, request: TrialRequest): Promise<Opened<AgentTrial>> {
  const { name } = request;
  const { project } = deps.run;
  const configured = ownValue(deps.agents, name);
  const agent = project.agent(name);
  if (configured === undefined || agent === null) return refuseUnknown(deps.agents, name);
  const version =
    configured.kind === 'replay' ? null : (await deps.findProgram(configured, { mayStart: true })).version;
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
  const checkout = await deps.makeCheckout();
  try {
    const missing = await agent.explainUnavailable(checkout.exists, 'check');
    // A recording can't answer this prompt; that the recorded run exists is all that can be checked.
    if (missing !== null || configured.kind === 'replay')
      return { ok: true, value: { ...base, ok: missing === null, reason: missing } };
    const trial = await runTrial(deps, request, { agent, checkout, base });
    const { final, reason, session_reason } = trial;
    const masked = (text: string | null) => (text === null ? null : maskSecrets(text, project.secrets ?? []));
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
    await checkout.remove();
  }
}

function refuseUnknown(agents: Config['agents'], name: string): Opened<never> {
  const near = didYouMean(name, Object.keys(agents));
  return refuse(
    `agent "${name}" is not configured`,
    near === null ? 'conductor doctor lists the configured agents' : `did you mean ${near}?`,
  );
}

interface Trial {
  readonly agent: Agent;
  readonly checkout: TemporaryCheckout;
  /** The result if the agent is not started. */
  readonly base: AgentTrial;
}

async function runTrial(
  { run: { project, sweep }, newToken }: TrialDeps,
  { name, signal, onLine }: TrialRequest,
  { agent, checkout, base }: Trial,
): Promise<AgentTrial> {
  const { path, runDir } = checkout;
  const token = newToken();
  const mark = `self-check-${token}`;
  const stepSandbox = await project.sandbox?.({
    runner: 'agent',
    policies: [],
    checkoutPath: path,
    runDir: runDir,
    harnessDir: join(runDir, 'harness'),
  });
  if ((stepSandbox?.refusal ?? null) !== null) return { ...base, reason: stepSandbox?.refusal ?? null };
  const evidenceDir = join(runDir, 'artifacts', 'check');
  await checkout.makeFolder(evidenceDir);
  const request: AgentRequest = {
    runId: mark,
    stepId: 'check',
    attempt: 1,
    visit: 1,
    prompt: writePrompt(token),
    checkoutPath: path,
    runDir: runDir,
    inputs: {},
    evidenceDir,
    confinement: stepSandbox?.confinement ?? null,
    policy: project.policy([]).effective,
    env: project.environment,
    timeoutMs: LIMIT_MS,
    idleTimeoutMs: LIMIT_MS,
    mark,
    signal,
    onStop: async () => {},
    onLine,
    ...(agent.canResume === true ? { session: { folder: join(runDir, 'sessions/1'), resume: null } } : {}),
  };
  const result = await agent.run(request);
  await sweep(mark);
  const written = await checkout.read(TRIAL_FILE);
  const wroteFile = written?.trim() === token;
  const ok = result.termination === 'completed' && wroteFile;
  const second =
    result.termination === 'completed' ? await visitAgain(agent, checkout, request, result) : null;
  await sweep(mark);
  const usage = sumUsage([result, second].map((start) => start?.result?.usage ?? null));
  return {
    ...base,
    ...describeSession(agent, result, second),
    ok,
    termination: result.termination,
    wrote_file: wroteFile,
    duration_ms: result.durationMs,
    usage: addCost(usage, project.agentSettings?.(name).price ?? null),
    final: result.finalResponse,
    reason: explainResult(result, wroteFile),
    failure: result.failure ?? null,
    sandboxed: (stepSandbox?.confinement ?? null) !== null,
  };
}

const QUESTION = `Which line did you write into ${TRIAL_FILE}? Answer with that line alone. Use no tool, and change nothing.`;

/** Visits the same step a second time, as a run would; null if there is no session to continue. */
async function visitAgain(
  agent: Agent,
  checkout: TemporaryCheckout,
  request: AgentRequest,
  { sessionId }: AgentResult,
): Promise<AgentResult | null> {
  const { session, runDir } = request;
  if (session === undefined || sessionId === null || sessionId === undefined) return null;
  const evidenceDir = join(runDir, 'artifacts', 'check@2');
  await checkout.makeFolder(evidenceDir);
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

function describeSession(
  agent: Agent,
  first: AgentResult,
  second: AgentResult | null,
): Pick<AgentTrial, 'continues_session' | 'session_reason'> {
  if (
    agent.canResume !== true ||
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

function writePrompt(token: string): string {
  return [
    `Create a file called ${TRIAL_FILE} in the current folder. It has exactly one line, and this is the line:`,
    '',
    token,
    '',
    'Change nothing else, and say "done" when it is there.',
  ].join('\n');
}

function explainResult({ reason, termination }: AgentResult, wroteFile: boolean): string | null {
  if (reason !== null) return reason;
  return termination === 'completed' && !wroteFile
    ? 'it ended without an error, but did not write the requested file'
    : null;
}
