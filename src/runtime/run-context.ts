import type { Price } from '../contracts/config.ts';
import type { EventDraft, RunEvent } from '../contracts/event.ts';
import type { PolicyOverride } from '../contracts/policy.ts';
import type { FileChange, HiddenChange, RefState } from '../contracts/workspace-change.ts';
import type { Plan } from '../kernel/plan.ts';
import type { KernelInput, Violation } from '../kernel/protocol.ts';
import type { EffectivePolicy } from '../policy/assemble.ts';
import type { ApprovalRequest } from '../policy/changes.ts';
import type { Runner } from '../policy/confinement.ts';
import type { Agent } from '../ports/agent.ts';
import type { Baselines } from '../ports/baselines.ts';
import type { Clock } from '../ports/clock.ts';
import type { CredentialWaits } from '../ports/credential-waits.ts';
import type { Planner } from '../ports/planner.ts';
import type { PromptCatalog } from '../ports/prompts.ts';
import type { DrivenRun, RunDirectory, RunStore } from '../ports/run-store.ts';
import type { Confinement } from '../ports/sandbox.ts';
import type { Programs } from '../ports/scope-sources.ts';
import type { CheckoutSetup } from '../ports/setup.ts';
import type { StepWatcher } from '../ports/step-watch.ts';
import type { RunnableValidator, ValidatorRunner } from '../ports/validator.ts';
import type { RunWorkspace, Workspace } from '../ports/workspace.ts';
import type { Obstacle } from './obstacle.ts';
import type { RunView } from './run-view.ts';

/** All that a run touches outside the pure core, by name. */
export interface RunDeps {
  readonly clock: Clock;
  readonly store: RunStore;
  readonly workspace: Workspace;
  /** Missing in simulations: then only files are compared. */
  readonly watcher?: StepWatcher;
  /** Missing if nothing prepares checkouts or looks for foreign dependencies. */
  readonly setup?: CheckoutSetup;
  /** Results of checks on base commits; if it is missing, every run takes its own. */
  readonly baselines?: Baselines;
  readonly validators: ValidatorRunner;
  readonly planner: Planner;
  readonly prompts: PromptCatalog;
  readonly project: Project;
  /** Ends processes that a dead attempt left behind. */
  readonly sweep: (mark: string) => Promise<number>;
  readonly version: string;
  /** Compares what a compiler makes of two versions. If it is missing, gates don't say which files leave the program as it was. */
  readonly programs?: Programs;
  /** What other runs found out about the accounts of agents. Left out, each finds out for itself. */
  readonly waits?: CredentialWaits;
  /** Between 0 and 1, so that many who failed together do not try again together. */
  readonly chance?: () => number;
}

/** What the configuration makes of the names in a workflow. */
export interface Project {
  readonly repoRoot: string;
  /** All checkouts of the user's repository: the one that the run was started in, and linked worktrees. */
  readonly checkouts?: readonly string[];
  /** What the configuration asks for and this version can't give: no run starts. */
  readonly refusals: readonly Obstacle[];
  readonly agent: (name: string) => Agent | null;
  /** What is done about an agent's failures and costs. Left out, nothing. */
  readonly agentCare?: (name: string) => AgentCare;
  /** Null when the name resolves to nothing. */
  readonly validator: (name: string) => RunnableValidator | null;
  readonly entrypoints: readonly string[];
  /** Globs of the files that decide a verdict; null or missing: by ecosystem. */
  readonly tests?: readonly string[] | null;
  /** False if the configuration says `baseline: off`. */
  readonly baseline?: boolean;
  /** Whether nothing of a run may start without a sandbox. */
  readonly requiresSandbox?: boolean;
  /** The policy that the configuration and these references make together, outermost first; an override of the run only tightens it. */
  readonly policy: (refs: readonly string[], override?: PolicyOverride) => StepPolicy;
  /** The allowlisted environment for agents and validators. */
  readonly environment: Readonly<Record<string, string>>;
  /** Values that are masked wherever something is stored, besides what looks like a secret. */
  readonly secrets?: readonly string[];
  /** How the processes of a step are shut in. Where it is left out, they are not. */
  readonly enclosure?: (request: EnclosureRequest) => Promise<Enclosure>;
  /** Tells somebody outside. It neither fails nor keeps anybody waiting. */
  readonly notify: ((event: unknown) => void) | null;
}

export interface AgentCare {
  /** How often one entry of a step starts it again after a failure that may pass. */
  readonly retries: number;
  /** Names the account that it works on, without a secret; null where that is not known. */
  readonly credential: string | null;
  /** What its tokens cost, where it does not say; null where that is not known. */
  readonly price: Price | null;
}

export interface EnclosureRequest {
  readonly runner: Runner;
  readonly policies: readonly string[];
  readonly worktreePath: string;
  readonly runDir: string;
  readonly harnessDir: string;
}

export interface Enclosure {
  /** Null where nothing shuts it in. */
  readonly confinement: Confinement | null;
  /** What holds and what does not, for the policy summary. */
  readonly notes: readonly string[];
  /** Why the step must not start; null when it may. */
  readonly refusal: string | null;
}

/** A policy as it holds for one step, with its check. */
export interface StepPolicy {
  readonly summary: {
    readonly requested_policy: unknown;
    readonly effective_policy: unknown;
    /** What the run itself asks for besides. */
    readonly overrides?: readonly PolicyOverride[];
  };
  /** The same as a value to go by; left out where nobody has laid it out. */
  readonly effective?: EffectivePolicy;
  /** Dimensions that nothing enforces here. */
  readonly unenforceable: readonly string[];
  /** References that name no policy; what they would ask for is not enforced either. */
  readonly missing?: readonly string[];
  readonly readOnly: boolean;
  /** Whether a path may not change, whoever ignores it. */
  readonly forbids?: (path: string) => boolean;
  /** Whether validators see a path as it was at the base. Left out where no path is protected. */
  readonly protects?: (path: string) => boolean;
  /** The changed paths that a person is asked about. Missing where the policy names none. */
  readonly approvals?: (changes: readonly FileChange[]) => readonly ApprovalRequest[];
  readonly check: (evidence: {
    readonly changes: readonly FileChange[];
    /** Changed files that git ignores: only `forbidden_paths` counts for them. */
    readonly ignoredChanges: readonly FileChange[];
    readonly refsBefore: RefState;
    readonly refsAfter: RefState;
    readonly ownBranch: string;
    readonly rewritten: readonly string[];
    readonly hidden: readonly HiddenChange[];
  }) => readonly Violation[];
}

/** What a surface hears while a run moves. */
export interface RunObserver {
  readonly onEvents: (events: readonly RunEvent[], view: RunView) => void;
  readonly onLine: (stepId: string, line: string) => void;
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
  /** Durable when it returns. */
  readonly record: (drafts: readonly EventDraft[]) => Promise<void>;
}

/** What an effect came to: the kernel's next input, and events about evidence to record before it. */
export interface EffectResult {
  readonly input: KernelInput;
  readonly records: readonly EventDraft[];
}

/** Thrown when the signal stopped an effect; the log says all there is to say. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export function markOf(runId: string, stepId: string, attempt: number): string {
  return `${runId}/${stepId}@${attempt}`;
}
