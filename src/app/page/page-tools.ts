import type { BackgroundPrograms } from '../../ports/background-programs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FolderWatch } from '../../ports/folder-watch.ts';
import type { PageMachine } from '../../ports/page-machine.ts';
import type { SessionStore } from '../../ports/page-sessions.ts';
import type { Files } from '../../ports/project-files.ts';
import type { RecordFiles } from '../../ports/record-files.ts';
import type { RunObjects } from '../../ports/run-objects.ts';
import type { Opened } from '../opened.ts';

/** What the page needs from this machine. */
export interface PageTools extends PageMachine {
  readonly sessions: SessionStore;
  readonly watch: FolderWatch;
  readonly background: BackgroundPrograms;
  readonly clock: Clock;
  readonly files: RecordFiles;
  readonly projectFiles: Pick<Files, 'list' | 'read' | 'realPath'>;
  readonly openObjects: (startDir: string) => Promise<Opened<OpenObjects>>;
  /** The folder with the built page. */
  readonly webFolder: string;
  /** `serve.url` of the user's configuration: where a proxy makes the page available; null if it is not set. */
  readonly url: string | null;
}

/** What git has of the runs of a repository. */
export interface OpenObjects {
  readonly objects: RunObjects;
  /** Globs of test files, from the configuration. */
  readonly tests: readonly string[] | null;
}
