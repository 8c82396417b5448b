import type { StopCause } from '../contracts/run/process-end.ts';
import type { MechanicalOutcome } from '../contracts/vocabulary.ts';
import type { ScriptValidator } from '../kernel/plan.ts';
import type { Confinement } from './sandbox.ts';

/** Runs one validator and collects its evidence. The outcome depends on the exit code and required artifacts only. */
export interface ValidatorRunner {
  /** Null if the validator can be started; otherwise a message for the user. Runs nothing. */
  readonly explainUnavailable: (
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
      /** Network access in a sandbox; missing means none. */
      readonly network?: 'none' | 'host';
    };

export interface ValidatorPlace {
  readonly runId: string;
  readonly runDir: string;
  readonly repoRoot: string;
  readonly checkoutPath: string;
  /** Bare commands that script validators may use. */
  readonly entrypoints: readonly string[];
}

export interface ValidatorRequest {
  readonly validator: RunnableValidator;
  readonly place: ValidatorPlace;
  readonly stepId: string;
  readonly attempt: number;
  /** Cases that failed in an earlier try on the same files: if they pass now, the converted report marks them flaky. */
  readonly failedCases?: readonly string[];
  /** Absolute path of `artifacts/<step_id>[@n]` in the run directory. */
  readonly evidenceDir: string;
  /** The sandbox settings; null without a sandbox. */
  readonly confinement: Confinement | null;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly mark: string;
  readonly signal: AbortSignal;
  /** Called with the exceeded limit before the process is asked to stop. */
  readonly onStop: (cause: StopCause) => Promise<void>;
  readonly onLine: (line: string) => void;
}

export interface CapturedArtifact {
  /** Absolute path of the copy under `evidenceDir`. */
  readonly path: string;
  /** As declared or matched, relative to the checkout or the run directory. */
  readonly name: string;
  readonly required: boolean;
}

export interface ValidatorResult {
  readonly id: string;
  readonly outcome: MechanicalOutcome | 'cancelled';
  /** Null if it was killed or never ran. */
  readonly exitCode: number | null;
  /** If the program could not be started, the shell's exit code: 127 if it was not found, otherwise 126. */
  readonly startCode?: 126 | 127;
  /** The signal that killed it, unless conductor sent it. */
  readonly signal?: string;
  readonly durationMs: number;
  readonly stdoutPath: string | null;
  readonly stderrPath: string | null;
  readonly artifacts: readonly CapturedArtifact[];
  /** Declared names of required artifacts that are missing or, for a harness report, unusable. */
  readonly missingArtifacts: readonly string[];
  readonly requiredArtifacts: readonly string[];
  readonly harnessReport: HarnessReportCapture | null;
  /** Files that the report refers to; missing if there is no report. */
  readonly references?: CapturedReferences;
  /** Why the outcome is not `completed`, for display. */
  readonly reason: string | null;
}

export interface HarnessReportCapture {
  readonly path: string;
  /** Parsed JSON with at least the keys that the kernel requires; the planner interprets it. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly proposals: number;
  /** Whether conductor converted it from a test runner's own report. */
  readonly converted?: boolean;
}

/** Screenshots, files of proposed goldens, and other artifacts. */
export type ReferenceRole = 'harness_screenshot' | 'harness_fixture' | 'validation_artifact';

/** A file that a report refers to, as it was when the validator ended. */
export interface CapturedReference {
  /** The reference as written in the report, relative to the run directory. */
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
