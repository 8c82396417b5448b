import type { Proof } from '../work/scope/classify-scope.ts';
import type { ProgramPair } from '../work/scope/proofs/proof-of.ts';

/** A file that a patch changes, by what may lead to its content. */
export interface SoughtFile {
  readonly path: string;
  /** Object ids before and after, perhaps short; empty where the patch has none. */
  readonly oldBlob: string;
  readonly newBlob: string;
}

/** Contents that may be what a patch was made from or has led to. Null where there is none. */
export interface FoundContents {
  /** Of the base. */
  readonly base: Uint8Array | null;
  readonly oldBlob: Uint8Array | null;
  readonly newBlob: Uint8Array | null;
  readonly worktree: Uint8Array | null;
}

/** What the configuration of a compiler says about what it emits. */
export interface EmitSettings {
  /** Imports stay although only types are used of them. */
  readonly keepsImports: boolean;
  /** Types are written into what is emitted. */
  readonly emitsTypes: boolean;
}

/** The repository that a patch is for. */
export interface ScopeSources {
  /** In the base. Null where nothing has that name. */
  readonly areFolders: (paths: readonly string[]) => Promise<ReadonlyMap<string, boolean | null>>;
  readonly read: (files: readonly SoughtFile[]) => Promise<readonly FoundContents[]>;
  readonly emitSettings: () => Promise<EmitSettings>;
}

/** Compares what a compiler makes of two versions. */
export interface Programs {
  readonly compare: (pairs: readonly ProgramPair[], settings: EmitSettings) => Promise<readonly Proof[]>;
}
