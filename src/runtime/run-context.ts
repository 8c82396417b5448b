import type { Price } from '../contracts/config/config.ts';
import type { PolicyOverride } from '../contracts/documents/policy.ts';
import type { EventDraft, RunEvent } from '../contracts/run/event.ts';
import type { FileChange, HiddenChange, RefState } from '../contracts/run/workspace-change.ts';
import type { Plan } from '../kernel/plan.ts';
import type { KernelInput, RecordedViolation } from '../kernel/protocol.ts';
import type { EffectivePolicy } from '../policy/assemble.ts';
import type { ApprovalRequest } from '../policy/changes.ts';
import type { Runner } from '../policy/confinement.ts';
import type { Agent } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProjectForge } from '../ports/forge/project-forge.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { Planner } from '../ports/planner.ts';
import type { PromptCatalog } from '../ports/prompts.ts';
import type { DrivenRun, Flush, RunDirectory, RunStore } from '../ports/run-store.ts';
import type { Confinement } from '../ports/sandbox.ts';
import type { Baselines, CredentialWaits } from '../ports/shared-stores.ts';
import type { TelemetryExporter } from '../ports/telemetry-exporter.ts';
import type { RunnableValidator, ValidatorRunner } from '../ports/validator.ts';
import type { Programs } from '../ports/work/scope-sources.ts';
import type { CheckoutSetup } from '../ports/workspace/setup.ts';
import type { StepWatcher } from '../ports/workspace/step-watch.ts';
import type { RunWorkspace, Workspace } from '../ports/workspace/workspace.ts';
import type { Obstacle } from './obstacle.ts';
import type { RunView } from './record/run-view.ts';

/** Everything that a run uses outside the pure core. */
export interface RunDeps {
  readonly clock: Clock;
  readonly store: RunStore;
  readonly workspace: Workspace;
  /** Missing in simulations, which only compare files. */
  readonly watcher?: StepWatcher;
  /** Missing if checkouts are neither set up nor checked for foreign dependencies. */
  readonly setup?: CheckoutSetup;
  /** Cache of baseline results; if it is missing, every run takes its own baseline. */
  readonly baselines?: Baselines;
  readonly validators: ValidatorRunner;
  readonly planner: Planner;
  readonly prompts: PromptCatalog;
  readonly project: Project;
  /** Kills processes that a dead attempt left behind. */
  readonly sweep: (mark: string) => Promise<number>;
  readonly version: string;
  /** Compares the compiled output of two versions. If missing, gates don't report files whose program is unchanged. */
  readonly programs?: Programs;
  /** Usage limits that other runs have hit on the same accounts. If missing, each run finds out for itself. */
  readonly waits?: CredentialWaits;
  /** A random number between 0 and 1: jitter, so that runs that failed together don't retry together. */
  readonly chance?: () => number;
}

/** Resolves the names in a workflow by the configuration. */
export interface Project {
  readonly repoRoot: string;
  /** All checkouts of the user's repository: the one that the run was started in, and linked worktrees. */
  readonly checkouts?: readonly string[];
  /** Settings that this machine can't fulfil; no run starts. */
  readonly refusals: readonly Obstacle[];
  readonly agent: (name: string) => Agent | null;
  /** Retries and prices of an agent; if missing, no retries and no prices. */
  readonly agentSettings?: (name: string) => AgentSettings;
  /** Null if the name is unknown. */
  readonly validator: (name: string) => RunnableValidator | null;
  readonly entrypoints: readonly string[];
  /** Globs of files that decide a verdict, such as tests; if null or missing, the defaults of each ecosystem apply. */
  readonly tests?: readonly string[] | null;
  /** False if the configuration says `baseline: off`. */
  readonly baseline?: boolean;
  /** Whether no process of a run may start without a sandbox. */
  readonly requiresSandbox?: boolean;
  /** Combines the configured policy with these references, outermost first; a run's override can only tighten it. */
  readonly policy: (refs: readonly string[], override?: PolicyOverride) => StepPolicy;
  /** The allowlisted environment for agents and validators. */
  readonly environment: Readonly<Record<string, string>>;
  /** Values that are masked in everything that is stored, in addition to text that looks like a secret. */
  readonly secrets?: readonly string[];
  /** The sandbox for the processes of a step. If missing, they run without one. */
  readonly sandbox?: (request: StepSandboxRequest) => Promise<StepSandbox>;
  /** Null if no notifications are configured. */
  readonly notify: Notifier | null;
  /** Null or missing if no telemetry is configured. */
  readonly telemetry?: TelemetryExporter | null;
  /** Where the user opens the page, for links in notifications; null or missing if not configured. */
  readonly pageUrl?: string | null;
  /** Missing in simulations. */
  readonly forge?: ProjectForge;
}

export interface AgentSettings {
  /** How often one attempt at a step restarts the agent after a transient failure. */
  readonly retries: number;
  /** Identifies the account that the agent uses, without a secret; null if unknown. */
  readonly credential: string | null;
  /** The price of its tokens, for agents that don't report costs; null if unknown. */
  readonly price: Price | null;
}

export interface StepSandboxRequest {
  readonly runner: Runner;
  readonly policies: readonly string[];
  readonly checkoutPath: string;
  readonly runDir: string;
  readonly harnessDir: string;
}

export interface StepSandbox {
  /** Null if the step runs without a sandbox. */
  readonly confinement: Confinement | null;
  /** What the sandbox enforces and what it doesn't, for the policy summary. */
  readonly notes: readonly string[];
  /** Why the step must not start; null if it may. */
  readonly refusal: string | null;
}

/** The policy of one step, with its check. */
export interface StepPolicy {
  readonly summary: {
    readonly requested_policy: unknown;
    readonly effective_policy: unknown;
    /** Overrides of the run itself. */
    readonly overrides?: readonly PolicyOverride[];
  };
  /** The effective policy as a value; missing if it was not computed. */
  readonly effective?: EffectivePolicy;
  /** Dimensions that can't be enforced here. */
  readonly unenforceable: readonly string[];
  /** References to unknown policies, which aren't enforced either. */
  readonly missing?: readonly string[];
  readonly readOnly: boolean;
  /** Whether a path must not change, even if git ignores it. */
  readonly forbids?: (path: string) => boolean;
  /** Whether validators see a path as it was at the base. Missing if no path is protected. */
  readonly protects?: (path: string) => boolean;
  /** The changed paths that need a user's approval. Missing if the policy names none. */
  readonly approvals?: (changes: readonly FileChange[]) => readonly ApprovalRequest[];
  readonly check: (evidence: {
    readonly changes: readonly FileChange[];
    /** Changed files that git ignores: only `forbidden_paths` applies to them. */
    readonly ignoredChanges: readonly FileChange[];
    readonly refsBefore: RefState;
    readonly refsAfter: RefState;
    readonly ownBranch: string;
    readonly rewritten: readonly string[];
    readonly hidden: readonly HiddenChange[];
  }) => readonly RecordedViolation[];
}

/** Callbacks for a surface that follows a run. */
export interface RunObserver {
  readonly onEvents: (events: readonly RunEvent[], view: RunView) => void;
  readonly onLine: (stepId: string, line: string) => void;
  /** Something that the user should know and that changes nothing about the run. */
  readonly onNote?: (text: string) => void;
}

export interface RunContext {
  readonly deps: RunDeps;
  readonly plan: Plan;
  readonly run: DrivenRun;
  readonly directory: RunDirectory;
  readonly workspace: RunWorkspace;
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  readonly events: () => readonly RunEvent[];
  readonly view: () => RunView;
  /** Durable once it resolves, unless it is flushed later. */
  readonly record: (drafts: readonly EventDraft[], flush?: Flush) => Promise<void>;
}

/** The result of an effect: the kernel's next input, and events about evidence to record before it. */
export interface EffectResult {
  readonly input: KernelInput;
  readonly records: readonly EventDraft[];
}

/** Thrown when the signal stopped an effect. The log is complete up to that point. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export function markOf(runId: string, stepId: string, attempt: number): string {
  return `${runId}/${stepId}@${attempt}`;
}
