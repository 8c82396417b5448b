import type { AgentConfig, Config } from '../contracts/config/config.ts';
import type { DetectedValidator } from '../contracts/config/detected-validator.ts';
import type { TrustedPart } from '../contracts/config/trust.ts';
import type { HarnessSuite } from '../contracts/documents/harness-suite.ts';
import type { ReadTemplate } from '../contracts/documents/prompt.ts';
import type { AgentFailure } from '../contracts/run/agent-failure.ts';
import type { Usage } from '../contracts/run/agent-result.ts';
import type { JournalEntry } from '../contracts/work/work-event.ts';
import type { Diagnostic, PlacedWarning } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../kernel/plan.ts';
import type { EffectivePolicy } from '../policy/assemble.ts';
import type { Answerer } from '../ports/answerer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Planner } from '../ports/planner.ts';
import type { ResultCheckingRunner } from '../ports/role-runner.ts';
import type { Ids, RunStore } from '../ports/run-store.ts';
import type { Programs, ScopeSources } from '../ports/scope-sources.ts';
import type { SpecReading } from '../ports/spec-folder.ts';
import type { Upkeep } from '../ports/upkeep.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Obstacle } from '../runtime/obstacle.ts';
import type { RunDeps, RunObserver } from '../runtime/run-context.ts';
import type { WorkEngine } from '../runtime/work/work-engine.ts';
import type { DetectedSetup } from '../setup/detect-setup.ts';
import type { ComparedPart } from '../trust/compare-parts.ts';
import type { RoleSubject } from '../work/engine/role.ts';
import type { CheckContext } from '../workflow/rule.ts';
import type { Retention } from './retention.ts';

/** The services of a surface. The composition root implements them; a surface never sees an adapter. */
export interface Services {
  /** The context for checking a workflow. Starts no process, so that checking stays fast. */
  readonly openCheck: (startDir: string) => Promise<Opened<CheckSetup>>;
  /** The records of a repository, read-only. */
  readonly openRecords: (startDir: string) => Promise<Opened<Records>>;
  /** The records plus what runs leave in git, to restore or remove. */
  readonly openUpkeep: (startDir: string) => Promise<Opened<UpkeepSetup>>;
  /** Everything that a run needs. */
  readonly openProject: (startDir: string) => Promise<Opened<OpenProject>>;
  readonly makeDemoRepository: () => Promise<DemoRepository>;
  /** Policies to check against outside a run: files or references, otherwise the configured policy. */
  readonly openPolicy: (startDir: string, wanted: readonly string[]) => Promise<Opened<OpenPolicy>>;
  /** A planner for use outside a run: `rules`, `model:…`, `agent:…`; null for the configured one. */
  readonly openPlanner: (startDir: string, name: string | null) => Promise<Opened<Planner>>;
  /** The work item engine, with the provider and the roles of this repository. */
  readonly openWork: (startDir: string, options: WorkOptions) => Promise<Opened<OpenWork>>;
  /** The sources for checking a patch's scope, if there is a repository; a null `base` means HEAD. */
  readonly openScope: (startDir: string, base: string | null) => Promise<Opened<OpenScope>>;
  /** Lets a configured agent write one file in a temporary checkout. */
  readonly tryAgent: (startDir: string, request: TrialRequest) => Promise<Opened<AgentTrial>>;
  /** Compares what the repository's files would execute with what the user has approved. */
  readonly openTrust: (startDir: string, wanted: TrustWanted) => Promise<Opened<OpenTrust>>;
  readonly listTrusted: () => Promise<readonly TrustedRepository[]>;
  /** Removes all approvals of the repository; false if there were none. */
  readonly revokeTrust: (startDir: string) => Promise<boolean>;
  /** Reports what is available, what is missing and how to fix it. */
  readonly examine: (startDir: string) => Promise<readonly Finding[]>;
  /** The commands that the repository itself defines for the usual validator names. */
  readonly detectValidators: (repoRoot: string) => Promise<readonly DetectedValidator[]>;
  /** How to install the repository's dependencies, according to its lock files; null if it has none. */
  readonly detectSetup: (repoRoot: string) => Promise<DetectedSetup | null>;
  /** Folder of the built-in prompts, workflows and examples. */
  readonly packageRoot: string;
}

export type Opened<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly obstacle: Obstacle; readonly document: CheckedDocument | null };

/** A project document with errors. */
export interface CheckedDocument {
  readonly name: string;
  /** What is wrong, to be read after the name. */
  readonly problem: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface CheckSetup {
  readonly context: CheckContext;
  /** Where workflow ids are looked up, nearest first. */
  readonly workflowFolders: readonly string[];
  /** The configuration, if it is invalid; names are not resolved then. */
  readonly brokenConfig: CheckedDocument | null;
  /** Warnings about the configuration. */
  readonly configWarnings?: readonly PlacedWarning[];
  /** Loads the template engine, which only prompts with templates need. */
  readonly templateReader: () => Promise<ReadTemplate>;
}

export interface Records {
  readonly repoRoot: string;
  readonly store: RunStore;
  readonly clock: Clock;
  /** The default label of an answer. */
  readonly userName: () => Promise<string>;
  /** Identifies this process as the origin of answers. */
  readonly answerer: () => Promise<Answerer>;
  /** Which origins of answers are accepted. */
  readonly answers: Config['answers'];
}

export interface UpkeepSetup extends Records {
  readonly upkeep: Upkeep;
  /** Computes where the worktree of a run is. */
  readonly workspace: Pick<Workspace, 'describe'>;
  readonly retention: Retention;
}

export interface OpenProject extends Records {
  /** Warnings about the configuration. */
  readonly configWarnings?: readonly PlacedWarning[];
  readonly deps: RunDeps;
  readonly ids: Ids;
  readonly context: CheckContext;
  /** Where workflow ids are looked up, nearest first. */
  readonly workflowFolders: readonly string[];
}

export interface OpenPolicy {
  /** The folder that paths are relative to, without symbolic links. */
  readonly workspace: string;
  readonly policy: EffectivePolicy;
  /** Names or globs of branches. */
  readonly protectedBranches: readonly string[];
}

export interface OpenScope {
  /** Null outside a repository, and in one without commits. */
  readonly sources: ScopeSources | null;
  readonly programs: Programs;
}

export interface WorkOptions {
  /** Null for the configured number. */
  readonly jobs: number | null;
  readonly observe?: (subject: RoleSubject) => RunObserver;
}

export interface OpenWork extends OpenProject {
  readonly engine: WorkEngine;
  readonly jobs: number;
  /** All journal entries of work items, oldest first. */
  readonly history: () => Promise<readonly JournalEntry[]>;
  readonly readSpecs: () => Promise<SpecReading>;
  readonly specPlace: () => Promise<SpecPlace>;
  /** Returns the labels that were created. */
  readonly setUpLabels: () => Promise<readonly string[]>;
  /** Checks a result that a user supplies against the evidence of a run. */
  readonly judgeResult: ResultCheckingRunner['checkResult'];
  readonly close: () => Promise<void>;
}

/** Where specs are read from. */
export interface SpecPlace {
  /** The default branch; null if unknown. */
  readonly branch: string | null;
  /** The configured name of the branch. */
  readonly named: string | null;
  readonly globs: readonly string[];
}

/** What a command is about to execute. */
export interface TrustWanted {
  /** The configuration, and what conductor detects in the repository. */
  readonly configuration: boolean;
  readonly workflows: readonly { readonly plan: Plan /** Without links. */; readonly path: string }[];
  /** Also every workflow in `.tnh/workflows`. */
  readonly allWorkflows: boolean;
  readonly work: boolean;
  readonly suite: { readonly path: string; readonly suite: HarnessSuite } | null;
}

export interface OpenTrust {
  /** The top folder of the checkout, without symbolic links. */
  readonly repository: string;
  readonly parts: readonly ComparedPart[];
  /** What grants trust without a question; null if the user has to approve. */
  readonly grantedBy: 'environment' | 'configuration' | null;
  /** Whether this process belongs to a run, which can't approve for the user. */
  readonly isInsideRun: () => boolean;
  /** Whether a run of this repository has ended before. */
  readonly hasRunBefore: () => Promise<boolean>;
  /** Records the user's approval of these parts, and of the user's own workflows that the command names. */
  readonly say: (parts: readonly ComparedPart[]) => Promise<void>;
}

export interface TrustedRepository {
  readonly repository: string;
  /** When the last part was added. */
  readonly trustedAt: string;
  readonly parts: readonly TrustedPart[];
}

export interface DemoRepository {
  readonly root: string;
  readonly workflowPath: string;
}

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

export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'missing' | 'problem';
  readonly detail: string;
  readonly help: string | null;
}
