import * as z from 'zod/mini';
import { described, describedHere, durationSchema, mapping, textSchema, wholeNumber } from '../forms.ts';

/** Program and arguments. */
export type Command = readonly [string, ...string[]];

/** More consecutive ports are hard to find, and no test suite needs them. */
const MAX_PORTS = 1_000;

const globs = z.array(textSchema).check(z.minLength(1));

/** The `setup` section of a configuration: how a checkout is prepared before the first step. */
export const setupSchema = mapping({
  run: described(
    z.optional(z.array(z.array(textSchema).check(z.minLength(1)))),
    'Commands that install the dependencies, in order; each a list of program and arguments, without a shell.',
  ),
  cache: described(
    z.optional(
      mapping({
        key: describedHere(globs, 'Files or globs whose contents decide whether the cache can be used.'),
        paths: describedHere(globs, 'Paths or globs that the commands create; cached for later checkouts.'),
      }),
    ),
    'What is cached between runs. Without it, the commands run for every checkout.',
  ),
  copy: described(
    z.optional(z.array(textSchema)),
    'Files of your checkout that git ignores and that a run needs, such as `.env.test`.',
  ),
  ports: described(
    z.optional(wholeNumber(0).check(z.maximum(MAX_PORTS))),
    'How many consecutive ports each run reserves; `CONDUCTOR_PORT` is the first of them.',
  ),
  timeout: described(z.optional(durationSchema), 'Time limit of all commands together.'),
});
export type SetupDocument = z.infer<typeof setupSchema>;

/** `setup` of a configuration with every default filled in. */
export interface SetupConfig {
  readonly run: readonly Command[];
  /** Null: the commands run for every checkout. */
  readonly cache: { readonly key: readonly string[]; readonly paths: readonly string[] } | null;
  readonly copy: readonly string[];
  readonly ports: number;
  readonly timeout: string | number;
}
