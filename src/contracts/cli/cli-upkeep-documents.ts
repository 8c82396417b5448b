import * as z from 'zod';
import { PART_KINDS } from '../config/trust.ts';
import { RUN_OUTCOMES } from '../vocabulary.ts';
import { printed, printedChange } from './printed-document.ts';

const salvage = z.looseObject({
  ref: z.string(),
  name: z.string().describe('The NAME for `conductor undo RUN NAME`.'),
  kind: z.enum(['files', 'ref']),
  step_id: z.string().nullable(),
  ref_name: z.string().nullable().describe('The full name of a ref that was moved.'),
  commit: z.string(),
  kept_at: z.string().nullable(),
});

const undone = printed({
  run_id: z.string(),
  done: z.boolean().describe('False with `--dry-run` and `--list`.'),
  salvage: salvage.nullable(),
  into: z
    .discriminatedUnion('kind', [
      z.looseObject({ kind: z.literal('worktree'), path: z.string() }),
      z.looseObject({ kind: z.literal('branch'), branch: z.string(), because: z.string() }),
      z.looseObject({
        kind: z.literal('ref'),
        ref: z.string(),
        from: z.string().nullable(),
        to: z.string(),
        salvage_ref: z.string().nullable().describe('The salvage ref of its previous value.'),
      }),
    ])
    .nullable(),
  files: z.array(printedChange).optional(),
  salvages: z.array(salvage).describe('All salvages of the run, oldest first.'),
});

const pull = {
  run_id: z.string(),
  url: z.string(),
  number: z.int(),
  state: z.enum(['open', 'closed', 'merged']),
  draft: z.boolean(),
  branch: z.string().describe('On the forge.'),
};

const runPlace = {
  run_id: z.string(),
  workflow_id: z.string().nullable(),
  state: z.string().nullable(),
  outcome: z.enum(RUN_OUTCOMES).nullable(),
  updated_at: z.string().nullable(),
  path: z.string(),
  bytes: z.int().nonnegative(),
};
const handled = z.looseObject({
  ...runPlace,
  action: z.enum(['removed', 'would_remove', 'kept', 'failed']),
  reason: z.string(),
  salvage_refs: z.array(z.string()).describe('The salvage refs of work that would have been lost.'),
  notes: z.array(z.string()),
});
const retained = {
  ok: z.boolean().describe('False if something could not be removed.'),
  dry_run: z.boolean(),
  retention: z.looseObject({ keep_runs: z.int().nonnegative(), keep_days: z.number().nonnegative() }),
  freed_bytes: z
    .int()
    .nonnegative()
    .describe('The sum of `bytes` of what was removed, or, in a dry run, of what would be removed.'),
};
const listedWorktrees = printed({
  worktrees: z.array(
    z.looseObject({
      ...runPlace,
      branch: z.string().nullable(),
      present: z.boolean(),
      prunable: z.boolean(),
      reason: z.string(),
    }),
  ),
  total_bytes: z.int().nonnegative(),
});

const part = {
  kind: z.enum(PART_KINDS),
  name: z.string(),
  text: z.string().describe('The command, and the inputs that it gets.'),
  digest: z.string(),
};
const trusted = z.union([
  printed({
    repository: z.string(),
    trusted: z.boolean().describe('False with `--revoke`.'),
    parts: z
      .array(
        z.looseObject({
          ...part,
          state: z.enum(['trusted', 'new', 'changed']).describe('Its state before this command.'),
          before: z.string().nullable().describe('The text that was trusted before, if it changed.'),
        }),
      )
      .describe('What the files of the repository can make conductor execute.'),
  }),
  printed({
    repositories: z.array(
      z.looseObject({
        repository: z.string(),
        trusted_at: z.string(),
        parts: z.array(z.looseObject({ ...part, trusted_at: z.string() })),
      }),
    ),
  }).describe('With `--list`.'),
]);

/** Output of the commands that restore work, free disk space or manage trust. */
const exported = printed({
  ok: z.boolean().describe('False if the receiver refused a run.'),
  runs: z.array(
    z.looseObject({
      run_id: z.string(),
      trace_id: z.string(),
      sent: z.boolean().describe('Whether the receiver took it; false without `--endpoint`.'),
      message: z.string().nullable().describe('Why the receiver did not take it.'),
    }),
  ),
  documents: z
    .array(z.looseObject({}))
    .describe('The OTLP documents of the signal; empty with `--endpoint` and `--output`.'),
});

export const UPKEEP_DOCUMENTS = {
  export: exported,
  undo: z.union([undone, printed(pull).describe('With `--pr`.')]),
  pr: printed({
    ...pull,
    commit: z.string(),
    repository: z.string().describe('`owner/name`, as it is now.'),
  }),
  worktree: z.union([
    listedWorktrees,
    printed({ ...retained, worktrees: z.array(handled) }).describe('With `prune`.'),
  ]),
  trust: trusted,
  clean: printed({ ...retained, runs: z.array(handled) }),
};
