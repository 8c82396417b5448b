import type { RunEvent } from '../../contracts/run/event.ts';
import type { Manifest } from '../../contracts/run/run-files.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import type { RunView } from '../record/run-view.ts';

/** An inconsistency in a record. */
export interface VerifyProblem {
  /** Relative to the run directory. */
  readonly path: string;
  /** Counted from 1; null if the problem concerns the whole file. */
  readonly line: number | null;
  readonly message: string;
}

export interface VerifyContext {
  readonly directory: RunDirectory;
  readonly events: readonly RunEvent[];
  readonly view: RunView;
  /** Whether a process drives the run; its derived files may be behind then. */
  readonly driven: boolean;
  /** The regular files of the run directory, without targets of symbolic links. */
  readonly files: ReadonlySet<string>;
  /** The latest record of each artifact, by path. */
  readonly artifacts: ReadonlyMap<string, ArtifactEvent>;
}

/** A completed evidence folder, with what the events say about it. */
export interface ClosedFolder {
  /** Relative to the run directory. */
  readonly folder: string;
  readonly recorded: Pick<Manifest, 'step_id' | 'opcode' | 'attempt' | 'termination'>;
  /** Times of the events before and after its evidence was collected. */
  readonly startedAt: string;
  readonly endedAt: string | null;
}

export type ArtifactEvent = Extract<RunEvent, { event_type: 'artifact_recorded' }>;

export function createVerifyContext(
  fields: Omit<VerifyContext, 'artifacts' | 'files'> & { readonly files: readonly string[] },
): VerifyContext {
  const artifacts = new Map<string, ArtifactEvent>();
  for (const event of fields.events)
    if (event.event_type === 'artifact_recorded') artifacts.set(event.payload.path, event);
  return { ...fields, files: new Set(fields.files), artifacts };
}

/** The line number of an event in events.ndjson. */
export function lineOf(event: RunEvent): number {
  return event.seq + 1;
}

export function problemIn(path: string, message: string, line: number | null = null): VerifyProblem {
  return { path, line, message };
}

/** The recorded artifacts in one evidence folder. */
export function recordedIn(context: VerifyContext, folder: string): readonly ArtifactEvent[] {
  return [...context.artifacts.values()].filter(({ payload }) => payload.path.startsWith(`${folder}/`));
}
