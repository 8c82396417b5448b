import type { AgentFailure } from '../contracts/agent-failure.ts';
import type { Usage } from '../contracts/agent-result.ts';
import type { AgentConfig, Config } from '../contracts/config.ts';
import type { DetectedValidator } from '../contracts/detected-validator.ts';
import type { HarnessSuite } from '../contracts/harness-suite.ts';
import type { ReadTemplate } from '../contracts/prompt.ts';
import type { TrustedPart } from '../contracts/trust.ts';
import type { JournalEntry } from '../contracts/work-event.ts';
import type { Diagnostic, PlacedWarning } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../kernel/plan.ts';
import type { EffectivePolicy } from '../policy/assemble.ts';
import type { Answerer } from '../ports/answerer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Planner } from '../ports/planner.ts';
import type { ResumableRoleRunner } from '../ports/role-runner.ts';
import type { RunStore } from '../ports/run-store.ts';
import type { Programs, ScopeSources } from '../ports/scope-sources.ts';
import type { SpecReading } from '../ports/spec-folder.ts';
import type { Upkeep } from '../ports/upkeep.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { DetectedSetup } from '../setup/detect-setup.ts';
import type { ComparedPart } from '../trust/compare-parts.ts';
import type { RoleSubject } from '../work/role.ts';
import type { CheckContext } from '../workflow/rule.ts';
import type { Obstacle } from './obstacle.ts';
import type { Retention } from './retention.ts';
import type { RunDeps, RunObserver } from './run-context.ts';
import type { WorkEngine } from './work/loop.ts';

/** What a surface can ask for. The composition root supplies it; a surface never sees an adapter. */
export interface Services {
  /** What a workflow is checked against. Starts no process, so that checking stays quick. */
  readonly openCheck: (startDir: string) => Promise<Opened<CheckSetup>>;
  /** The records of a repository, to look at. */
  readonly openRecords: (startDir: string) => Promise<Opened<Records>>;
  /** The records with what runs leave in git, to bring back or to take away. */
  readonly openUpkeep: (startDir: string) => Promise<Opened<UpkeepSetup>>;
  /** Everything a run needs. */
  readonly openProject: (startDir: string) => Promise<Opened<OpenProject>>;
  readonly makeDemoRepository: () => Promise<DemoRepository>;
  /** Policies to hold something against, without a run: files or references, or else the configured one. */
  readonly openPolicy: (startDir: string, wanted: readonly string[]) => Promise<Opened<OpenPolicy>>;
  /** A planner to ask without a run: `rules`, `model:…`, `agent:…`; null for the configured one. */
  readonly openPlanner: (startDir: string, name: string | null) => Promise<Opened<Planner>>;
  /** Work items: their engine with the provider and the roles of this repository. */
  readonly openWork: (startDir: string, options: WorkOptions) => Promise<Opened<OpenWork>>;
  /** What a patch is held against to judge its scope, as far as there is a repository; null for its HEAD. */
  readonly openScope: (startDir: string, base: string | null) => Promise<Opened<OpenScope>>;
  /** Has an agent of the configuration write one file in a place that is thrown away. */
  readonly tryAgent: (startDir: string, request: TrialRequest) => Promise<Opened<AgentTrial>>;
  /** What the repository's files would make conductor execute, compared with what the user said yes to. */
  readonly openTrust: (startDir: string, wanted: TrustWanted) => Promise<Opened<OpenTrust>>;
  readonly listTrusted: () => Promise<readonly TrustedRepository[]>;
  /** Forgets every yes to the repository; false if there was none. */
  readonly revokeTrust: (startDir: string) => Promise<boolean>;
  /** What is there, what is missing, what to do. */
  readonly examine: (startDir: string) => Promise<readonly Finding[]>;
  /** Commands that the repository itself gives the usual validator names. */
  readonly detectValidators: (repoRoot: string) => Promise<readonly DetectedValidator[]>;
  /** How the lock files of the repository say that its dependencies are installed; null without one. */
  readonly detectSetup: (repoRoot: string) => Promise<DetectedSetup | null>;
  /** Folder of the built-in prompts, workflows and examples. */
  readonly packageRoot: string;
}

export type Opened<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly obstacle: Obstacle; readonly document: CheckedDocument | null };

/** A document of the project that has errors, with what was read of it. */
export interface CheckedDocument {
  readonly name: string;
  /** What is the matter, to be said after the name. */
  readonly problem: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

export interface CheckSetup {
  readonly context: CheckContext;
  /** Where workflow ids are looked up, nearest first. */
  readonly workflowFolders: readonly string[];
  /** The configuration, when it can't be used: names are then not resolved. */
  readonly brokenConfig: CheckedDocument | null;
  /** Warnings about the configuration. */
  readonly configWarnings?: readonly PlacedWarning[];
  /** Loads the engine of prompts, which only templates need. */
  readonly templateReader: () => Promise<ReadTemplate>;
}

export interface Records {
  readonly repoRoot: string;
  readonly store: RunStore;
  readonly clock: Clock;
  /** The label of an answer that names none. */
  readonly userName: () => Promise<string>;
  /** This process, as the giver of answers. */
  readonly answerer: () => Promise<Answerer>;
  /** Where answers are accepted from. */
  readonly answers: Config['answers'];
}

export interface UpkeepSetup extends Records {
  readonly upkeep: Upkeep;
  /** Says where the worktree of a run is. */
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
  /** The folder that paths are relative to, with links resolved. */
  readonly workspace: string;
  readonly policy: EffectivePolicy;
  /** Names or globs of branches. */
  readonly protectedBranches: readonly string[];
}

export interface OpenScope {
  /** Null outside a repository, and in one without a commit. */
  readonly sources: ScopeSources | null;
  readonly programs: Programs;
}

export interface WorkOptions {
  /** Null for what the configuration says. */
  readonly jobs: number | null;
  readonly observe?: (subject: RoleSubject) => RunObserver;
}

export interface OpenWork extends OpenProject {
  readonly engine: WorkEngine;
  readonly jobs: number;
  /** Everything that has happened to work items, oldest first. */
  readonly history: () => Promise<readonly JournalEntry[]>;
  readonly readSpecs: () => Promise<SpecReading>;
  readonly specPlace: () => Promise<SpecPlace>;
  /** Returns those that were made. */
  readonly setUpLabels: () => Promise<readonly string[]>;
  /** What a result comes to that a person brings, held against the evidence of a run. */
  readonly judgeResult: ResumableRoleRunner['judge'];
  readonly close: () => Promise<void>;
}

/** Where specs are looked for. */
export interface SpecPlace {
  /** The default branch; null where none is known. */
  readonly branch: string | null;
  /** What the configuration calls it. */
  readonly named: string | null;
  readonly globs: readonly string[];
}

/** What a command is about to execute. */
export interface TrustWanted {
  /** What the configuration says, and what conductor finds in the repository by itself. */
  readonly configuration: boolean;
  readonly workflows: readonly { readonly plan: Plan /** Without links. */; readonly path: string }[];
  /** Also every workflow in `.tnh/workflows`. */
  readonly allWorkflows: boolean;
  readonly work: boolean;
  readonly suite: { readonly path: string; readonly suite: HarnessSuite } | null;
}

export interface OpenTrust {
  /** The top of the checkout, without links. */
  readonly repository: string;
  readonly parts: readonly ComparedPart[];
  /** What says yes without a question; null where the user has to say it. */
  readonly grantedBy: 'environment' | 'configuration' | null;
  /** A process of a run can't say yes for the person. */
  readonly isInsideRun: () => boolean;
  /** Whether a run of this repository has ended before. */
  readonly hasRunBefore: () => Promise<boolean>;
  /** Records the user's yes to these parts, and to workflows of the user's own that the command names. */
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

/** Keys are spelt as in the document of the verb. */
export interface AgentTrial {
  readonly ok: boolean;
  readonly agent: string;
  readonly kind: AgentConfig['kind'];
  readonly version: string | null;
  /** Null when it was not started. */
  readonly termination: string | null;
  readonly wrote_file: boolean | null;
  readonly duration_ms: number | null;
  readonly usage: Usage | null;
  readonly final: string | null;
  readonly reason: string | null;
  readonly failure: AgentFailure | null;
  readonly sandboxed: boolean;
  /** Whether a second start continued the session of the first; null if the agent can't, or was not asked to. */
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
