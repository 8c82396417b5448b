import * as z from 'zod/mini';
import {
  described,
  durationSchema,
  formOf,
  mapping,
  POLICY_REF_PATTERN,
  reportSchema,
  text,
  textSchema,
  wholeNumber,
} from './forms.ts';

const words = z.array(textSchema).check(z.minLength(1));
const command = described(
  z.union([textSchema, z.array(z.string()).check(z.minLength(1))]),
  'A program, or a list of program and arguments.',
);
const names = z.array(textSchema);
const env = described(z.optional(names), 'Variables it gets besides those of `environment`.');
const model = described(z.optional(z.nullable(z.string())), "The agent's own choice where it is null.");

const agent = z.discriminatedUnion('kind', [
  mapping({ kind: z.literal('claude-code'), command: z.optional(command), model, env }),
  mapping({ kind: z.literal('codex'), command: z.optional(command), model, env }),
  mapping({ kind: z.literal('acp'), command, model, env }),
  mapping({ kind: z.literal('command'), command, env }),
  mapping({
    kind: z.literal('replay'),
    run: described(text(), 'The id of a recorded run, or its beginning.'),
  }),
]);

const validator = mapping({
  command: described(z.array(textSchema).check(z.minLength(1)), 'Program and arguments, without a shell.'),
  timeout: z.optional(durationSchema),
  report: z.optional(reportSchema),
  artifacts: described(z.optional(names), 'Globs of the files to keep.'),
  retries: described(z.optional(wholeNumber(0)), 'How often a failure is tried again.'),
});

const planner = z.discriminatedUnion('kind', [
  mapping({ kind: z.literal('rules') }),
  mapping({
    kind: z.literal('model'),
    provider: textSchema,
    model: textSchema,
    base_url: z.optional(z.string()),
  }),
  mapping({ kind: z.literal('agent'), agent: described(text(), 'An agent of the configuration.') }),
]);

const limits = mapping({
  timeout: z.optional(durationSchema),
  idle_timeout: z.optional(durationSchema),
  max_visits: z.optional(wholeNumber(1)),
});

const retention = mapping({
  keep_runs: z.optional(wholeNumber(0)),
  keep_days: z.optional(z.number().check(z.minimum(0))),
});

/** A configuration file as written: everything is optional. */
export const configDocumentSchema = mapping({
  agents: z.optional(z.record(z.string(), agent)),
  validators: z.optional(z.record(z.string(), validator)),
  planner: z.optional(planner),
  limits: described(z.optional(limits), 'Where a workflow says nothing; not a cap.'),
  policy: z.optional(formOf('policyRef', POLICY_REF_PATTERN)),
  protected_branches: z.optional(names),
  entrypoints: described(z.optional(names), 'Bare commands that script validators may use.'),
  environment: described(z.optional(names), 'What agents and validators get of the environment.'),
  paths: z.optional(mapping({ runs: z.optional(textSchema), worktrees: z.optional(textSchema) })),
  retention: z.optional(retention),
  notify: described(z.optional(mapping({ command: words })), 'Called with one JSON event on standard input.'),
  sandbox: z.optional(z.enum(['auto', 'required', 'off'])),
});
export type ConfigDocument = z.infer<typeof configDocumentSchema>;

export type Command = readonly [string, ...string[]];

interface AgentBase {
  readonly command: string | readonly string[];
  readonly env: readonly string[];
}

export type AgentConfig =
  | (AgentBase & { readonly kind: 'claude-code' | 'codex' | 'acp'; readonly model: string | null })
  | (AgentBase & { readonly kind: 'command' })
  | { readonly kind: 'replay'; readonly run: string };

export interface ValidatorConfig {
  readonly command: Command;
  readonly timeout: string | number | null;
  readonly report: string | null;
  readonly artifacts: readonly string[];
  readonly retries: number;
}

export type PlannerConfig =
  | { readonly kind: 'rules' }
  | {
      readonly kind: 'model';
      readonly provider: string;
      readonly model: string;
      readonly base_url: string | null;
    }
  | { readonly kind: 'agent'; readonly agent: string };

/** A configuration with nothing left open. Keys are spelt as in the file. */
export interface Config {
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly validators: Readonly<Record<string, ValidatorConfig>>;
  readonly planner: PlannerConfig;
  readonly limits: {
    readonly timeout: string | number;
    readonly idle_timeout: string | number;
    readonly max_visits: number;
  };
  readonly policy: string;
  readonly protected_branches: readonly string[];
  readonly entrypoints: readonly string[];
  readonly environment: readonly string[];
  readonly paths: { readonly runs: string; readonly worktrees: string };
  readonly retention: { readonly keep_runs: number; readonly keep_days: number };
  readonly notify: { readonly command: Command } | null;
  readonly sandbox: 'auto' | 'required' | 'off';
}
