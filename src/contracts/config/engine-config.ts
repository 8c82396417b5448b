import * as z from 'zod/mini';
import { described, mapping, textSchema } from '../forms.ts';
import { ENGINE_KINDS, type EngineKind } from '../vocabulary.ts';

/** `engine` of a configuration file. */
export const engineSchema = mapping({
  kind: described(
    z.optional(z.enum(ENGINE_KINDS)),
    'Where runs are kept: `embedded` in this repository, `postgres` in a database that workers share.',
  ),
  url_env: described(
    z.optional(textSchema),
    'The environment variable with the connection string of the database.',
  ),
  hub: described(
    z.optional(textSchema),
    'The git repository through which workers exchange snapshots and branches: an address or a path.',
  ),
  blobs: described(
    z.optional(textSchema),
    'Where the files of runs are stored: a folder that all workers share.',
  ),
});

export interface EngineConfig {
  readonly kind: EngineKind;
  readonly url_env: string;
  /** Null: workers don't exchange git objects. */
  readonly hub: string | null;
  /** Null: the engine's default. */
  readonly blobs: string | null;
}
