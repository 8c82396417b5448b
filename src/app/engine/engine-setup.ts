import type { EngineKind } from '../../contracts/vocabulary.ts';
import type { EngineAdmin, EngineProblem, MigrationReport } from '../../ports/engine-admin.ts';

/** The server of a shared engine, for setting it up. */
export interface EngineSetup {
  readonly kind: EngineKind;
  /** Opens the configured server, or the one at this address. */
  readonly openAdmin: (url?: string) => Promise<EngineAdmin>;
  /** Starts a PostgreSQL server of this user on this machine. */
  readonly startDevServer: () => Promise<DevEngine>;
  /** What is wrong with the folder of evidence files or with the hub. */
  readonly checkPlaces: () => Promise<readonly EngineProblem[]>;
}

export interface DevEngine {
  readonly url: string;
  readonly isStarted: boolean;
  /** The command that stops it. */
  readonly stop: readonly string[];
  /** The variables that make conductor use it. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface EngineUp {
  readonly migration: MigrationReport;
  readonly problems: readonly EngineProblem[];
}

/** Brings the tables of an engine up to date, and checks everything that its runs depend on. */
export async function setUpEngine(
  admin: EngineAdmin,
  checkPlaces: EngineSetup['checkPlaces'],
): Promise<EngineUp> {
  try {
    const migration = await admin.migrate();
    return { migration, problems: [...(await admin.check()), ...(await checkPlaces())] };
  } finally {
    await admin.close();
  }
}
