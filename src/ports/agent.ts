import type { AgentFailure } from '../contracts/run/agent-failure.ts';
import type { AgentResultFile, Usage } from '../contracts/run/agent-result.ts';
import type { StopCause } from '../contracts/run/process-end.ts';
import type { MechanicalOutcome } from '../contracts/vocabulary.ts';
import type { EffectivePolicy } from '../policy/assemble.ts';
import type { AgentCapability } from '../policy/enforcement.ts';
import type { PolicyViolation } from '../policy/violation.ts';
import type { Confinement } from './sandbox.ts';

/** One coding agent behind its adapter. */
export interface Agent {
  /** Shown in status and events: `command`, `claude-code`, … */
  readonly family: string;
  /** The parts of a policy that the agent enforces itself; missing if none. */
  readonly capabilities?: readonly AgentCapability[];
  /**
   * Null if the agent can be started here; otherwise a message for the user about what is missing. A program inside
   * the repository is looked up in the base commit of the run.
   */
  readonly explainUnavailable: (
    isInBase: (path: string) => Promise<boolean>,
    stepId: string,
  ) => Promise<string | null>;
  readonly run: (request: AgentRequest) => Promise<AgentResult>;
  /** Whether a later visit can continue its session; if missing, every start uses a fresh session. */
  readonly canResume?: boolean;
  /** Copies the session files of an interrupted start into the run directory. Called before `readUsage`. */
  readonly keepSession?: (evidenceDir: string) => Promise<void>;
  /** Reads the usage that an interrupted start had reported from its evidence folder; missing if unsupported. */
  readonly readUsage?: (evidenceDir: string) => Promise<Usage | null>;
}

export interface AgentRequest {
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  /** Counts how often the workflow entered the step; recovery attempts are not visits. */
  readonly visit: number;
  readonly prompt: string;
  readonly checkoutPath: string;
  readonly runDir: string;
  /** Missing if the session will not be continued later. */
  readonly session?: SessionRequest;
  /** Typed inputs of the step; written to the file that `CONDUCTOR_INPUTS` names. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Absolute path of the folder for captured output. */
  readonly evidenceDir: string;
  /** The sandbox settings, which an adapter can extend; null without a sandbox. */
  readonly confinement: Confinement | null;
  /** The step's policy, which an adapter translates into its agent's own controls; missing if unknown. */
  readonly policy?: EffectivePolicy | undefined;
  /** The allowlisted environment variables; an adapter adds its own. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly mark: string;
  readonly signal: AbortSignal;
  /** Called with the exceeded limit before the process is asked to stop. */
  readonly onStop: (cause: StopCause) => Promise<void>;
  readonly onLine: (line: string) => void;
  /** Called with the total usage of this start each time the agent reports it. */
  readonly onUsage?: (usage: Usage) => void;
}

/** Where the session of one start is stored, and which session it continues. */
export interface SessionRequest {
  /** Absolute path of the folder for the agent's session files, inside the run directory. */
  readonly folder: string;
  /** Null starts a fresh session. */
  readonly resume: {
    readonly id: string;
    /** The `folder` of the start that created the session. Never modified: several starts may continue from it. */
    readonly from: string;
    /** The new instructions, sent instead of the whole `prompt`. */
    readonly prompt: string;
  } | null;
}

export interface AgentResult {
  readonly termination: MechanicalOutcome | 'cancelled';
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** Absolute paths of captured files. */
  readonly transcriptPath: string;
  readonly stderrPath: string | null;
  /** The agent's last message; empty if there was none. */
  readonly finalResponse: string;
  /** The file that the agent wrote to `CONDUCTOR_RESULT`; null if missing or invalid. */
  readonly result: AgentResultFile | null;
  /** Why the result file is invalid, for display; missing or null if it is valid or missing. */
  readonly resultProblem?: string | null;
  /** Why the agent failed, for display; null if it succeeded. */
  readonly reason: string | null;
  readonly notes: readonly string[];
  /** Policy violations found before any file was compared; missing if none. */
  readonly violations?: readonly PolicyViolation[];
  /** The kind of failure; missing if the adapter can't determine it. */
  readonly failure?: AgentFailure | null;
  /** The raw output, if the transcript was converted from it. */
  readonly streamPath?: string | null;
  /** The agent program's own session id; null if it has none. */
  readonly sessionId?: string | null;
  /** Missing if the request has no `session`. */
  readonly session?: SessionResult;
  /** How the policy was passed to the agent's own controls. */
  readonly controls?: AgentControls;
}

export interface SessionResult {
  /** Whether the agent continued the requested session with only the new instructions. */
  readonly resumed: boolean;
  /** Why the agent started a fresh session with the whole prompt instead; null otherwise. */
  readonly note: string | null;
}

/** The settings requested from the agent's own controls, and those in effect. */
export interface AgentControls {
  readonly requested: Readonly<Record<string, unknown>>;
  readonly effective: Readonly<Record<string, unknown>>;
}
