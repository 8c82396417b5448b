import type { BackgroundPrograms } from '../../ports/background-programs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FolderWatch } from '../../ports/folder-watch.ts';
import type { PageMachine } from '../../ports/page-machine.ts';
import type { SessionStore } from '../../ports/page-sessions.ts';

/** What the page needs from this machine. */
export interface PageTools extends PageMachine {
  readonly sessions: SessionStore;
  readonly watch: FolderWatch;
  readonly background: BackgroundPrograms;
  readonly clock: Clock;
  /** The folder with the built page. */
  readonly webFolder: string;
  /** `serve.url` of the user's configuration: where a proxy makes the page available; null if it is not set. */
  readonly url: string | null;
}
