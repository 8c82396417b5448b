import type { Attendant } from '../../app/page/attendant.ts';
import type { PageReader } from '../../app/page/page-reader.ts';
import type { RunBoard } from '../../app/page/run-board.ts';
import type { ServedRepository } from '../../app/page/served-repository.ts';
import type { FolderWatch } from '../../ports/folder-watch.ts';
import type { Pairing } from './pairing.ts';
import type { ServedPlaces } from './security/served-places.ts';
import type { Sessions } from './sessions.ts';

/** What all requests share. */
export interface PageServer {
  readonly repositories: readonly ServedRepository[];
  /** What happens in each repository, by its id. */
  readonly boards: ReadonlyMap<string, RunBoard>;
  readonly attendant: Attendant;
  readonly reader: PageReader;
  readonly sessions: Sessions;
  readonly pairing: Pairing;
  readonly places: ServedPlaces;
  /** Where a browser opens the page; codes are added as a fragment. */
  readonly url: string;
  readonly isTls: boolean;
  readonly version: string;
  /** The name of a session whose code and device name none. */
  readonly defaultName: string;
  readonly watch: FolderWatch;
  readonly now: () => Date;
  /** The folder with the built page. */
  readonly webFolder: string;
}
