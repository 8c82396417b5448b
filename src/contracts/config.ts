import * as z from 'zod';
import { durationSchema, formOf, mapping, POLICY_REF_PATTERN, reportSchema, textSchema } from './forms.ts';

/** Every value that holds where nobody says anything. */
export const CONFIG_DEFAULTS = {
  agents: {
    'claude-code': { kind: 'claude-code', command: 'claude', model: null, env: [] },
    codex: { kind: 'codex', command: 'codex', model: null, env: [] },
  },
  planner: { kind: 'rules' },
  limits: { timeout: '30m', idle_timeout: '5m', max_visits: 10 },
  policy: 'policy.workspace.v1',
  protected_branches: ['main', 'master'],
  entrypoints: ['node', 'python3', 'bash', 'sh'],
  environment: ['PATH', 'HOME', 'LANG', 'TERM'],
  paths: { runs: '.tnh/run', worktrees: '.tnh/worktrees' },
  retention: { keep_runs: 200, keep_days: 30 },
  sandbox: 'auto',
} as const;

const command = z
  .union([textSchema, z.array(z.string()).min(1)])
  .describe('A program, or a list of program and arguments.');
const names = z.array(textSchema);
const env = names.optional().describe('Variables it gets besides those of `environment`.');
const model = z.string().nullable().optional().describe("The agent's own choice where it is null.");

const agent = z.discriminatedUnion('kind', [
  mapping({ kind: z.literal('claude-code'), command: command.optional(), model, env }),
  mapping({ kind: z.literal('codex'), command: command.optional(), model, env }),
  mapping({ kind: z.literal('acp'), command, model, env }),
  mapping({ kind: z.literal('command'), command, env }),
  mapping({
    kind: z.literal('replay'),
    run: textSchema.describe('The id of a recorded run, or its beginning.'),
  }),
]);

const validator = mapping({
  command: z.array(textSchema).min(1).describe('Program and arguments, without a shell.'),
  timeout: durationSchema.optional(),
  report: reportSchema.optional(),
  artifacts: names.optional().describe('Globs of the files to keep.'),
  retries: z.int().min(0).optional().describe('How often a failure is tried again.'),
});

const planner = z.discriminatedUnion('kind', [
  mapping({ kind: z.literal('rules') }),
  mapping({
    kind: z.literal('model'),
    provider: textSchema,
    model: textSchema,
    base_url: z.string().optional(),
  }),
  mapping({ kind: z.literal('agent'), agent: textSchema.describe('An agent of the configuration.') }),
]);

/** A configuration file as written: everything is optional. */
export const configDocumentSchema = mapping({
  agents: z.record(z.string(), agent).optional(),
  validators: z.record(z.string(), validator).optional(),
  planner: planner.optional(),
  limits: mapping({
    timeout: durationSchema.optional(),
    idle_timeout: durationSchema.optional(),
    max_visits: z.int().min(1).optional(),
  })
    .optional()
    .describe('Where a workflow says nothing; not a cap.'),
  policy: formOf('policyRef', POLICY_REF_PATTERN).optional(),
  protected_branches: names.optional(),
  entrypoints: names.optional().describe('Bare commands that script validators may use.'),
  environment: names.optional().describe('What agents and validators get of the environment.'),
  paths: mapping({ runs: textSchema.optional(), worktrees: textSchema.optional() }).optional(),
  retention: mapping({
    keep_runs: z.int().min(0).optional(),
    keep_days: z.number().min(0).optional(),
  }).optional(),
  notify: mapping({ command: z.array(textSchema).min(1) })
    .optional()
    .describe('Called with one JSON event on standard input.'),
  sandbox: z.enum(['auto', 'required', 'off']).optional(),
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
