import type { Proof } from '../../work/scope/classify-scope.ts';
import type { ProgramPair } from '../../work/scope/proofs/prove-equivalence.ts';

/** A file that a patch changes, with the information to find its content. */
export interface FileQuery {
  readonly path: string;
  /** Git object ids before and after, possibly abbreviated; empty if the patch has none. */
  readonly oldBlob: string;
  readonly newBlob: string;
}

/** Candidate contents of a file before and after a patch. Null if not found. */
export interface FoundContents {
  /** Content at the base commit. */
  readonly base: Uint8Array | null;
  readonly oldBlob: Uint8Array | null;
  readonly newBlob: Uint8Array | null;
  readonly checkout: Uint8Array | null;
}

/** The compiler options that affect emitted code. */
export interface EmitSettings {
  /** Imports are kept even if only their types are used. */
  readonly keepsImports: boolean;
  /** Types can affect the emitted code, through decorator metadata. */
  readonly emitsTypes: boolean;
}

/** The repository that a patch is for. */
export interface ScopeSources {
  /** Whether each path is a folder at the base commit; null if it does not exist. */
  readonly areFolders: (paths: readonly string[]) => Promise<ReadonlyMap<string, boolean | null>>;
  readonly read: (files: readonly FileQuery[]) => Promise<readonly FoundContents[]>;
  readonly emitSettings: () => Promise<EmitSettings>;
}

/** Compares the compiler output of two versions. */
export interface Programs {
  readonly compare: (pairs: readonly ProgramPair[], settings: EmitSettings) => Promise<readonly Proof[]>;
}
