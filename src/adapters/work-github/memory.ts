import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import { WORK_STATUSES } from '../../contracts/work/work-item.ts';
import { agentReviewSchema } from '../../contracts/work/work-results.ts';
import { writeAtomically } from '../../node/atomic-file.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { parseJson } from '../../text/json.ts';

/**
 * What this repository's items, revisions and reviews look like on the forge, as conductor last wrote or saw it. It is no
 * truth about items, which the local database has: it tells a change that a person made from one that conductor still has to
 * write. Only the process that holds the lock of the journal reads and writes it.
 */

const issueSchema = z.object({
  number: z.number(),
  title: z.string(),
  bodySha: z.string(),
  /** Digest of the title and body that were last written. */
  wroteSha: z.string(),
  labels: z.array(z.string()),
  state: z.enum(['open', 'closed']),
  /** It was deleted or moved to another repository. */
  isGone: z.boolean(),
});
export type IssueMemory = z.infer<typeof issueSchema>;

const pullSchema = z.object({
  number: z.nullable(z.number()),
  url: z.nullable(z.string()),
  baseRef: z.nullable(z.string()),
  /** The commit that was pushed. */
  headSHA: z.string(),
  pushedAt: z.string(),
  wroteSha: z.string(),
  state: z.enum(['open', 'closed', 'merged']),
  /** Of the last look at its reviews and comments. */
  updatedAt: z.nullable(z.string()),
  mergedAs: z.nullable(z.object({ headSHA: z.string(), commit: z.string(), into: z.string() })),
});
export type PullMemory = z.infer<typeof pullSchema>;

const common = { key: z.string(), itemId: z.string(), by: z.string() };
const requestSchema = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('transition'), to: z.enum(WORK_STATUSES), reason: z.string() }),
  z.object({ ...common, kind: z.literal('extend_scope'), path: z.string(), reason: z.string() }),
  z.object({
    ...common,
    kind: z.literal('review'),
    revisionId: z.string(),
    headSHA: z.string(),
    review: agentReviewSchema,
  }),
  z.object({ ...common, kind: z.literal('merge') }),
]);

/** A comment that is still to be written. */
const noteSchema = z.object({ key: z.string(), itemId: z.string(), onPull: z.boolean(), text: z.string() });
export type Note = z.infer<typeof noteSchema>;

const memorySchema = z.object({
  schema_version: z.literal(1),
  owner: z.string(),
  repositoryId: z.nullable(z.number()),
  /** The last change of an issue that was seen. */
  cursor: z.nullable(z.string()),
  issues: z.record(z.string(), issueSchema),
  pulls: z.record(z.string(), pullSchema),
  /** By revision: the review that the forge shows, and its digest. */
  reviews: z.record(z.string(), z.object({ id: z.nullable(z.number()), sha: z.string() })),
  notes: z.array(noteSchema),
  requests: z.array(requestSchema),
  /** Keys of acts of people that were answered. */
  answered: z.array(z.string()),
  /** Issues that were looked at and not taken, with their last change then. */
  refused: z.record(z.string(), z.string()),
});
export type ForgeMemory = z.infer<typeof memorySchema>;

export interface MemoryFile {
  readonly load: () => Promise<ForgeMemory>;
  /** Durable when it returns. */
  readonly save: (memory: ForgeMemory) => Promise<void>;
}

export function createMemoryFile(path: string): MemoryFile {
  return {
    load: async () => {
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        if (hasErrorCode(error, 'ENOENT')) return null;
        throw error;
      });
      if (text === null) return newMemory();
      const parsed = memorySchema.safeParse(parseJson(text));
      if (parsed.success) return parsed.data;
      throw new ExpectedFailure(
        `${path} can't be read by this version of conductor: update conductor, or restore a copy of the file`,
      );
    },
    save: async (memory) => {
      await mkdir(dirname(path), { recursive: true });
      await writeAtomically(path, `${JSON.stringify(memory)}\n`, { durable: true, mode: 0o600 });
    },
  };
}

function newMemory(): ForgeMemory {
  return {
    schema_version: 1,
    owner: randomUUID(),
    repositoryId: null,
    cursor: null,
    issues: {},
    pulls: {},
    reviews: {},
    notes: [],
    requests: [],
    answered: [],
    refused: {},
  };
}
