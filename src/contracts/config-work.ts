import * as z from 'zod/mini';
import { described, mapping, text, textSchema, wholeNumber } from './forms.ts';

const agentName = (what: string) => described(z.optional(text()), what);

/** The key `work` of a configuration, as written. */
export const workConfigSchema = mapping({
  agents: described(
    z.optional(
      mapping({
        planner: agentName('Makes work items from specs: claude-code by default.'),
        implementor: agentName('Implements work items: claude-code by default.'),
        reviewer: agentName('Reviews revisions: codex by default.'),
      }),
    ),
    'Agents of the configuration, by role.',
  ),
  specs: described(z.optional(z.array(textSchema)), 'Globs of the specs: `docs/specs/**/*.md` by default.'),
  jobs: described(z.optional(wholeNumber(1)), 'How many items are worked on at the same time: 2 by default.'),
});

export const WORK_DEFAULTS = {
  agents: { planner: 'claude-code', implementor: 'claude-code', reviewer: 'codex' },
  specs: ['docs/specs/**/*.md'],
  jobs: 2,
} as const;
