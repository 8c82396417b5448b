import type { Session } from '../contracts/http/session-documents.ts';

/** A session as it is stored: the secret itself is only in the browser's cookie. */
export interface StoredSession extends Session {
  readonly secret_sha256: string;
  /** The address that paired. */
  readonly from: string;
}

/** The sessions of the page, in the user's state folder, so that they survive a restart of the server. */
export interface SessionStore {
  /** Null if there is no such session, or its file is damaged. */
  readonly read: (id: string) => Promise<StoredSession | null>;
  readonly list: () => Promise<readonly StoredSession[]>;
  readonly write: (session: StoredSession) => Promise<void>;
  /** False if there was none. */
  readonly remove: (id: string) => Promise<boolean>;
  /** Where the sessions are, to watch for changes by other processes. */
  readonly folder: string;
}
