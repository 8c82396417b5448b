import type { Config, ConfigDocument } from '../contracts/config/config.ts';
import type { PolicyDocument } from '../contracts/documents/policy.ts';
import type { Diagnostic, PlacedWarning } from '../diagnostics/diagnostic.ts';

/** A document of a project with errors. */
export interface BrokenFile {
  readonly name: string;
  /** Completes a message that starts with the name. */
  readonly problem: string;
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly config: Config;
      /** The contents of the repository's file and of the user's file, unmerged. */
      readonly repository: ConfigDocument;
      readonly user: ConfigDocument;
      readonly warnings: readonly PlacedWarning[];
    }
  | { readonly ok: false; readonly file: BrokenFile };

export interface PolicyFiles {
  /** All documents of a reference; each of them applies. */
  readonly byRef: ReadonlyMap<string, readonly PolicyDocument[]>;
  readonly broken: readonly { readonly path: string; readonly message: string }[];
}

/** Reads files of a repository that may be hostile, and changes none. */
export interface Files {
  /** Null if the path can't be read or is not a regular file. Large files are cut off beyond what any reader accepts. */
  readonly read: (path: string) => Promise<Uint8Array | null>;
  /** The names in a folder; empty if it can't be read. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  readonly exists: (path: string) => Promise<boolean>;
  /** The path without symbolic links. Fails if it does not exist. */
  readonly realPath: (path: string) => Promise<string>;
  readonly folderState: (path: string) => Promise<FolderState>;
}

export type FolderState = 'missing' | 'not_a_folder' | 'read_only' | 'writable';
