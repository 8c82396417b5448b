import type { FolderWatch } from '../../ports/folder-watch.ts';
import type { SessionStore } from '../../ports/page-sessions.ts';

/** What the page needs from this machine. */
export interface PageTools {
  readonly sessions: SessionStore;
  readonly watch: FolderWatch;
  /** The folder with the built page. */
  readonly webFolder: string;
}
