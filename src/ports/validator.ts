import type { StopCause } from '../contracts/process-end.ts';
import type { MechanicalOutcome } from '../contracts/vocabulary.ts';
import type { ScriptValidator } from '../kernel/plan.ts';
import type { Confinement } from './sandbox.ts';

/** Runs one validator and gathers what it left as evidence. It judges nothing but its exit code. */
export interface ValidatorRunner {
  /** Null when the validator can be started; otherwise what is wrong, for the user. Runs nothing. */
  readonly unavailable: (
    validator: RunnableValidator,
    place: ValidatorPlace,
    isInBase: (path: string) => Promise<boolean>,
  ) => Promise<string | null>;
  readonly run: (request: ValidatorRequest) => Promise<ValidatorResult>;
}

/** A validator with its name resolved against the configuration. */
export type RunnableValidator =
  | (ScriptValidator & { readonly timeoutMs: number | null })
  | {
      readonly kind: 'command';
      readonly id: string;
      readonly command: readonly [string, ...string[]];
      readonly artifacts: readonly string[];
      readonly timeoutMs: number | null;
      /** As in the configuration, such as `junit:reports/*.xml`. */
      readonly report: string | null;
      readonly retries: number | null;
      /** In a sandbox; left out, it has none. */
      readonly network?: 'none' | 'host';
    };

export interface ValidatorPlace {
  readonly runId: string;
  readonly runDir: string;
  readonly repoRoot: string;
  readonly worktreePath: string;
  /** Bare commands that script validators may use. */
  readonly entrypoints: readonly string[];
}

export interface ValidatorRequest {
  readonly validator: RunnableValidator;
  readonly place: ValidatorPlace;
  readonly stepId: string;
  readonly attempt: number;
  /** Cases that failed when it was tried before on the same files: a report made here calls them flaky when they pass. */
  readonly failedCases?: readonly string[];
  /** `artifacts/<step_id>[@n]` of the run directory, absolute. */
  readonly evidenceDir: string;
  /** What it gets of the machine; null where nothing shuts it in. */
  readonly confinement: Confinement | null;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly mark: string;
  readonly signal: AbortSignal;
  /** Told which limit was passed before the process is asked to end. */
  readonly onStop: (cause: StopCause) => Promise<void>;
  readonly onLine: (line: string) => void;
}

export interface CapturedArtifact {
  /** Absolute path of the copy under `evidenceDir`. */
  readonly path: string;
  /** As declared or matched, relative to the worktree or the run directory. */
  readonly name: string;
  readonly required: boolean;
}

export interface ValidatorResult {
  readonly id: string;
  readonly outcome: MechanicalOutcome | 'cancelled';
  /** Null when it was killed or never ran. */
  readonly exitCode: number | null;
  /** For a program that could not be started, the code that a shell gives: 127 if it was not found, otherwise 126. */
  readonly startCode?: 126 | 127;
  /** The signal that ended it, if one did and conductor did not send it. */
  readonly signal?: string;
  readonly durationMs: number;
  readonly stdoutPath: string | null;
  readonly stderrPath: string | null;
  readonly artifacts: readonly CapturedArtifact[];
  /** Declared names of required artifacts that are missing or, for a harness report, unusable. */
  readonly missingArtifacts: readonly string[];
  readonly requiredArtifacts: readonly string[];
  readonly harnessReport: HarnessReportCapture | null;
  /** What its report refers to; left out where there is no report. */
  readonly references?: CapturedReferences;
  /** Why it is not `completed`, for people. */
  readonly reason: string | null;
}

export interface HarnessReportCapture {
  readonly path: string;
  /** Parsed JSON with at least the keys the kernel requires; its meaning is the planner's business. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly proposals: number;
  /** Made by the conductor from what a runner wrote, and from nothing else. */
  readonly converted?: boolean;
}

/** Pictures, what belongs to proposed goldens, and the rest. */
export type ReferenceRole = 'harness_screenshot' | 'harness_fixture' | 'validation_artifact';

/** A file that a report refers to, as it was when the validator ended. */
export interface CapturedReference {
  /** As the report has it, relative to the run directory. */
  readonly reference: string;
  readonly role: ReferenceRole;
  /** Absolute path of the copy under `evidenceDir`. */
  readonly path: string;
}

export interface CapturedReferences {
  readonly files: readonly CapturedReference[];
  /** References that were not followed, and why. */
  readonly problems: readonly string[];
}
