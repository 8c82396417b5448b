import type { DetectedValidator } from '../contracts/config/detected-validator.ts';
import type { TelemetryConfig } from '../contracts/config/telemetry-config.ts';
import type { EngineKind } from '../contracts/vocabulary.ts';
import type { Planner } from '../ports/planner.ts';
import type { ReportMemory } from '../ports/report-memory.ts';
import type { TelemetryExporter } from '../ports/telemetry-exporter.ts';
import type { Programs, ScopeSources } from '../ports/work/scope-sources.ts';
import type { DetectedSetup } from '../setup/detect-setup.ts';
import type { Finding } from './doctor/finding.ts';
import type { EngineSetup } from './engine/engine-setup.ts';
import type { CheckSetup, Opened, OpenProject, Records, UpkeepSetup } from './opened.ts';
import type { PageTools } from './page/page-tools.ts';
import type { OpenPolicy } from './policy/open-policy.ts';
import type { OpenReport } from './report.ts';
import type { OpenTrust, TrustedRepository, TrustRequest } from './trust.ts';
import type { AgentTrial, TrialRequest } from './try-agent.ts';
import type { OpenWork, WorkOptions } from './work/opened-work.ts';

/**
 * What a surface can ask for: the repository opened to some depth, and the use cases of this folder with their
 * dependencies filled in. Wiring implements it, and loads the adapters of each service on its first use.
 */
export interface Services {
  /** The context for checking a workflow. Starts no process, so that checking stays fast. */
  readonly openCheck: (startDir: string) => Promise<Opened<CheckSetup>>;
  /** The records of a repository, read-only. */
  readonly openRecords: (startDir: string) => Promise<Opened<Records>>;
  /** The records plus what runs leave in git, to restore or remove. */
  readonly openUpkeep: (startDir: string) => Promise<Opened<UpkeepSetup>>;
  /** Everything that a run needs. `engine` overrides the kind of engine that the configuration names. */
  readonly openProject: (startDir: string, engine?: EngineKind) => Promise<Opened<OpenProject>>;
  /** The server of the configured engine, for setting it up. */
  readonly openEngine: (startDir: string) => Promise<Opened<EngineSetup>>;
  /** Creates a temporary repository with a small program, a failing test and a workflow to fix it. */
  readonly makeDemoRepository: () => Promise<Opened<DemoRepository>>;
  /** Policies to check against outside a run: files or references, otherwise the configured policy. */
  readonly openPolicy: (startDir: string, wanted: readonly string[]) => Promise<Opened<OpenPolicy>>;
  /** A planner for use outside a run: `rules`, `model:…`, `agent:…`; null for the configured one. */
  readonly openPlanner: (startDir: string, name: string | null) => Promise<Opened<Planner>>;
  /** The work item engine, with the provider and the roles of this repository. */
  readonly openWork: (startDir: string, options: WorkOptions) => Promise<Opened<OpenWork>>;
  /** The runs, work items and disk use of a repository, for a report. */
  readonly openReport: (startDir: string) => Promise<Opened<OpenReport>>;
  /** What the page needs besides the repositories that it shows. */
  readonly pageTools: () => Promise<PageTools>;
  /** What reports remember for the user. */
  readonly reportMemory: () => Promise<ReportMemory>;
  /** The sources for checking a patch's scope, if there is a repository; a null `base` means HEAD. */
  readonly openScope: (startDir: string, base: string | null) => Promise<Opened<OpenScope>>;
  /** Lets a configured agent write one file in a temporary checkout. */
  readonly tryAgent: (startDir: string, request: TrialRequest) => Promise<Opened<AgentTrial>>;
  /** Compares what the repository's files would execute with what the user has approved. */
  readonly openTrust: (startDir: string, wanted: TrustRequest) => Promise<Opened<OpenTrust>>;
  readonly listTrusted: () => Promise<readonly TrustedRepository[]>;
  /** Removes all approvals of the repository; false if there were none. */
  readonly revokeTrust: (startDir: string) => Promise<boolean>;
  /** Reports what is available, what is missing and how to fix it. */
  readonly diagnose: (startDir: string) => Promise<readonly Finding[]>;
  /** The commands that the repository itself defines for the usual validator names. */
  readonly detectValidators: (repoRoot: string) => Promise<readonly DetectedValidator[]>;
  /** How to install the repository's dependencies, according to its lock files; null if it has none. */
  readonly detectSetup: (repoRoot: string) => Promise<DetectedSetup | null>;
  /** Sends telemetry to an endpoint that the user named. */
  readonly openTelemetry: (telemetry: TelemetryConfig) => Promise<TelemetryExporter>;
  /** Folder of the built-in prompts, workflows and examples. */
  readonly packageRoot: string;
}

export interface OpenScope {
  /** Null outside a repository, and in one without commits. */
  readonly sources: ScopeSources | null;
  readonly programs: Programs;
}

export interface DemoRepository {
  readonly root: string;
  readonly workflowPath: string;
}
