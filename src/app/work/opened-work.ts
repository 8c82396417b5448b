import type { JournalEntry } from '../../contracts/work/work-event.ts';
import type { ResultCheckingRunner } from '../../ports/work/role-runner.ts';
import type { SpecReading } from '../../ports/work/spec-folder.ts';
import type { RunObserver } from '../../runtime/run-context.ts';
import type { WorkEngine } from '../../runtime/work/work-engine.ts';
import type { RoleSubject } from '../../work/engine/role.ts';
import type { OpenProject } from '../opened.ts';

export interface WorkOptions {
  /** Null for the configured number. */
  readonly jobs: number | null;
  readonly observe?: (subject: RoleSubject) => RunObserver;
}

export interface OpenWork extends OpenProject {
  readonly engine: WorkEngine;
  readonly jobs: number;
  /** How often an item goes back to an implementor by itself after a review. */
  readonly maxRounds: number;
  /** All journal entries of work items, oldest first. */
  readonly history: () => Promise<readonly JournalEntry[]>;
  readonly readSpecs: () => Promise<SpecReading>;
  readonly specPlace: () => Promise<SpecPlace>;
  /** Returns the labels that were created. */
  readonly setUpLabels: () => Promise<readonly string[]>;
  /** Checks a result that a user supplies against the evidence of a run. */
  readonly checkResult: ResultCheckingRunner['checkResult'];
  /** The digest of a text, which identifies a plan that was applied before. */
  readonly sha256: (text: string) => string;
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
