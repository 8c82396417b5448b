import type { AgentFailure } from '../contracts/agent-failure.ts';
import type { AgentResultFile, Usage } from '../contracts/agent-result.ts';
import type { StopCause } from '../contracts/process-end.ts';
import type { MechanicalOutcome } from '../contracts/vocabulary.ts';
import type { EffectivePolicy } from '../policy/assemble.ts';
import type { AgentCapability } from '../policy/enforcement.ts';
import type { Violation } from '../policy/violation.ts';
import type { Confinement } from './sandbox.ts';

/** One coding agent behind its adapter. */
export interface Agent {
  /** Shown in status and events: `command`, `claude-code`, … */
  readonly family: string;
  /** What of a policy it keeps by itself; left out, nothing. */
  readonly capabilities?: readonly AgentCapability[];
  /**
   * Null when it can be started here; otherwise what is missing, for the user. A program of the repository is
   * looked for in the commit that the run starts from.
   */
  readonly unavailable: (
    isInBase: (path: string) => Promise<boolean>,
    stepId: string,
  ) => Promise<string | null>;
  readonly run: (request: AgentRequest) => Promise<AgentResult>;
  /** Whether a later visit can continue its session; if it is missing, every start is a fresh one. */
  readonly resumes?: boolean;
  /** Brings the session files of a start that was cut off into the run. Called before `usedIn`. */
  readonly keepSession?: (evidenceDir: string) => Promise<void>;
  /** What a start that was cut off had told of its use, by what is in its folder; left out, nobody can tell. */
  readonly usedIn?: (evidenceDir: string) => Promise<Usage | null>;
}

export interface AgentRequest {
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
  /** The n-th time the workflow led to the step; recovery attempts are no visits. */
  readonly visit: number;
  readonly prompt: string;
  readonly worktreePath: string;
  readonly runDir: string;
  /** Missing if the caller does not want to continue the session later. */
  readonly session?: SessionRequest;
  /** Typed inputs of the step; written to the file that `CONDUCTOR_INPUTS` names. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Absolute folder for what the adapter captures. */
  readonly evidenceDir: string;
  /** What it gets of the machine, to which an adapter adds what it needs; null where nothing shuts it in. */
  readonly confinement: Confinement | null;
  /** What holds for the step, for an adapter to turn into controls of its agent; left out, nothing is known of it. */
  readonly policy?: EffectivePolicy | undefined;
  /** The allowlisted environment; an adapter adds its own variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly mark: string;
  readonly signal: AbortSignal;
  /** Told which limit was passed before the process is asked to end. */
  readonly onStop: (cause: StopCause) => Promise<void>;
  readonly onLine: (line: string) => void;
  /** Told what this start has used so far, each time the agent says so; the sum, not the difference. */
  readonly onUsage?: (usage: Usage) => void;
}

/** Where the session of one start is kept, and which one it continues. */
export interface SessionRequest {
  /** Absolute folder for the agent's session files, in the folder of the run. */
  readonly folder: string;
  /** Null: a fresh session. */
  readonly resume: {
    readonly id: string;
    /** The `folder` of the start that left the session. It stays as it is: several starts may continue from it. */
    readonly from: string;
    /** What is new, instead of the whole `prompt`. */
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
  /** The agent's last word, one line or more; empty when it said nothing. */
  readonly finalResponse: string;
  /** What the agent wrote to `CONDUCTOR_RESULT`, when it did and it fits. */
  readonly result: AgentResultFile | null;
  /** Why what it wrote there does not count, for people; left out or null, it counts or there is nothing. */
  readonly resultProblem?: string | null;
  /** Why it did not end well, for people; null when it did. */
  readonly reason: string | null;
  readonly notes: readonly string[];
  /** What broke the policy before any file was looked at; left out, nothing did. */
  readonly violations?: readonly Violation[];
  /** What kind of failure it was, where the adapter can tell; left out, it can't. */
  readonly failure?: AgentFailure | null;
  /** What it printed as it printed it, where the transcript was made from that. */
  readonly streamPath?: string | null;
  /** By which the agent's own program knows what was said; null where it has none. */
  readonly sessionId?: string | null;
  /** Missing if the request asked for no session. */
  readonly session?: SessionResult;
  /** How the policy was told to the agent's own controls. */
  readonly controls?: AgentControls;
}

export interface SessionResult {
  /** Whether it continued the session it was asked to, with only the new instructions. */
  readonly resumed: boolean;
  /** Why it started a fresh session with the whole prompt instead; null if it did not have to. */
  readonly note: string | null;
}

/** What was asked of an agent's own controls, and what of it holds. */
export interface AgentControls {
  readonly requested: Readonly<Record<string, unknown>>;
  readonly effective: Readonly<Record<string, unknown>>;
}
