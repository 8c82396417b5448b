import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type EventType, type RunEvent, runEventSchema } from '../../src/contracts/run/event.ts';
import {
  type Manifest,
  type Metadata,
  manifestSchema,
  metadataSchema,
  type Status,
  statusSchema,
} from '../../src/contracts/run/run-files.ts';

type EventOf<T extends EventType> = Extract<RunEvent, { readonly event_type: T }>;

/** What a run left on disk, read as a stranger would: by the documented names and schemas alone. */
export interface RunRecordOnDisk {
  readonly path: string;
  readonly lines: readonly string[];
  readonly events: readonly RunEvent[];
  readonly status: Status;
  readonly metadata: Metadata;
  /** Null while the run has not ended. */
  readonly finalState: string | null;
  /** By the name of the folder: `implement`, `implement@2`. */
  readonly manifests: Readonly<Record<string, Manifest>>;
  readonly eventsOf: <T extends EventType>(type: T) => readonly EventOf<T>[];
  readonly manifest: (folder: string) => Manifest;
  /** The content of the artifact with this role. */
  readonly evidence: (folder: string, role: string) => string;
}

export function readRun(path: string): RunRecordOnDisk {
  const text = readFileSync(join(path, 'events.ndjson'), 'utf8');
  const lines = text.split('\n').slice(0, -1);
  const events = lines.map((line) => runEventSchema.parse(JSON.parse(line)) as RunEvent);
  const manifests = readManifests(path);
  const manifest = (folder: string): Manifest => {
    const found = manifests[folder];
    if (found === undefined) throw new Error(`no manifest in artifacts/${folder}`);
    return found;
  };
  return {
    path,
    lines,
    events,
    manifests,
    manifest,
    status: readJson(join(path, 'status.json'), statusSchema),
    metadata: readJson(join(path, 'metadata.json'), metadataSchema),
    finalState: existsSync(join(path, 'final-state.txt'))
      ? readFileSync(join(path, 'final-state.txt'), 'utf8')
      : null,
    eventsOf: <T extends EventType>(type: T) =>
      events.filter((event): event is EventOf<T> => event.event_type === type),
    evidence: (folder, role) => {
      const artifact = manifest(folder).artifacts.find((candidate) => candidate.role === role);
      if (artifact === undefined) throw new Error(`no ${role} in artifacts/${folder}`);
      return readFileSync(join(path, artifact.path), 'utf8');
    },
  };
}

function readManifests(path: string): Record<string, Manifest> {
  const found: Record<string, Manifest> = {};
  for (const folder of readdirSync(join(path, 'artifacts'))) {
    const file = join(path, 'artifacts', folder, 'manifest.json');
    if (existsSync(file)) found[folder] = readJson(file, manifestSchema);
  }
  return found;
}

function readJson<T>(path: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new Error(`${path} does not fit: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
