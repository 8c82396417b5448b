import * as z from 'zod/mini';
import {
  bytesSchema,
  defineForm,
  described,
  describedHere,
  durationSchema,
  mapping,
  POLICY_REF_PATTERN,
  reportSchema,
  text,
  textSchema,
  wholeNumber,
} from '../forms.ts';
import { type EngineConfig, engineSchema } from './engine-config.ts';
import { type ForgeConfig, forgeSchema, type PublishConfig, publishSchema } from './forge-config.ts';
import { type NotifyTarget, notifySchema } from './notify-config.ts';
import { type Command, type SetupConfig, setupSchema } from './setup-config.ts';
import { type TelemetryConfig, telemetrySchema } from './telemetry-config.ts';

const commandLine = described(
  z.array(textSchema).check(z.minLength(1)),
  'Program and arguments, without a shell.',
);

function kind<const Word extends string>(word: Word, description: string) {
  return described(z.literal(word), description);
}

const command = described(
  z.union([textSchema, z.array(z.string()).check(z.minLength(1))]),
  'A program, or a list of program and arguments.',
);
const names = z.array(textSchema);
const env = described(
  z.optional(names),
  'Environment variables that it gets besides those of `environment`.',
);
const sandboxPaths = {
  sees: described(
    z.optional(names),
    'Paths in the home folder that it may read in a sandbox: `.config/tool`, or a full path.',
  ),
  writes: described(z.optional(names), 'Paths outside the checkout that it may write in a sandbox.'),
};
const retries = described(
  z.optional(wholeNumber(0)),
  'How often a step retries it after a transient failure: 2 by default.',
);
const dollars = z.number().check(z.minimum(0));
const price = mapping({
  input_per_mtok: describedHere(dollars, 'US dollars per million input tokens.'),
  output_per_mtok: describedHere(dollars, 'US dollars per million output tokens.'),
});
const model = described(z.optional(z.nullable(z.string())), "The model; null for the agent's own choice.");

const agent = z.discriminatedUnion('kind', [
  mapping({
    kind: kind('claude-code', 'Claude Code.'),
    command: z.optional(command),
    model,
    max_turns: described(
      z.optional(wholeNumber(1)),
      'Maximum number of model responses in one start; unlimited by default.',
    ),
    env,
    retries,
    ...sandboxPaths,
  }),
  mapping({
    kind: kind('codex', 'Codex.'),
    command: z.optional(command),
    model,
    env,
    retries,
    ...sandboxPaths,
  }),
  mapping({ kind: kind('acp', 'Any agent that speaks ACP.'), command, model, env, retries, ...sandboxPaths }),
  mapping({
    kind: kind('command', 'Any program; it reads the prompt from standard input.'),
    command,
    env,
    retries,
    ...sandboxPaths,
  }),
  mapping({
    kind: kind('replay', 'Answers from a recorded run.'),
    run: described(text(), 'The id of a recorded run, or its beginning.'),
  }),
]);

/** Network access of a validator in a sandbox. */
const VALIDATOR_NETWORKS = ['none', 'host'] as const;
export type ValidatorNetwork = (typeof VALIDATOR_NETWORKS)[number];

const validator = mapping({
  command: commandLine,
  timeout: described(z.optional(durationSchema), "Overrides the step's timeout."),
  report: described(z.optional(reportSchema), 'A test report to convert into a harness report.'),
  artifacts: described(z.optional(names), 'Globs of files to keep as evidence.'),
  retries: described(z.optional(wholeNumber(0)), 'How often a failure is retried.'),
  network: described(
    z.optional(z.enum(VALIDATOR_NETWORKS)),
    'Network access in a sandbox: `none` by default.',
  ),
});

/** The API of the model. The last one is any endpoint that supports OpenAI's chat completions. */
export const MODEL_PROVIDERS = ['anthropic', 'openai', 'openai-compatible'] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

const planner = z.discriminatedUnion('kind', [
  mapping({ kind: kind('rules', 'The built-in rules alone.') }),
  mapping({
    kind: kind('model', 'A model proposes a decision; the rules set the minimum severity.'),
    provider: described(z.enum(MODEL_PROVIDERS), 'The API of the model.'),
    model: described(text(), 'The name of the model.'),
    base_url: described(z.optional(z.string()), "The address of the API, if not the provider's own."),
    api_key_env: described(
      z.optional(textSchema),
      'The environment variable with the API key: ANTHROPIC_API_KEY or OPENAI_API_KEY by default.',
    ),
    timeout: described(z.optional(durationSchema), 'Time limit of one request.'),
    retries: described(
      z.optional(wholeNumber(0)),
      'How often a request is retried after a transient failure.',
    ),
  }),
  mapping({
    kind: kind('agent', 'A structured answer from an agent.'),
    agent: described(text(), 'An agent of the configuration.'),
    timeout: described(z.optional(durationSchema), 'Time limit of one evaluation.'),
  }),
]);

const limits = mapping({
  timeout: described(z.optional(durationSchema), 'Wall-clock time of one visit of a step.'),
  idle_timeout: described(z.optional(durationSchema), 'Time without output.'),
  max_visits: described(z.optional(wholeNumber(1)), 'Visits of a step in one run.'),
  park: described(
    z.optional(durationSchema),
    "How long one visit of a step may wait in total for a provider's limit to reset.",
  ),
  memory: described(
    z.optional(bytesSchema),
    'Memory that the processes of a step may use together; never more than three quarters of the machine.',
  ),
  processes: described(z.optional(wholeNumber(1)), 'Processes that a step may have at the same time.'),
  written_bytes: described(z.optional(bytesSchema), 'How much a step may write to disk.'),
});

const retention = mapping({
  keep_runs: described(z.optional(wholeNumber(0)), 'Number of ended runs to keep, counted from the newest.'),
  keep_days: described(
    z.optional(z.number().check(z.minimum(0))),
    'Number of days to keep a run after its end.',
  ),
});

const paths = mapping({
  runs: described(z.optional(textSchema), 'The folder of the run directories.'),
  workspaces: described(
    z.optional(z.nullable(textSchema)),
    'The workspaces of runs, outside the repository; null for your state folder.',
  ),
  worktrees: described(z.optional(textSchema), 'Ignored: see `workspaces`.'),
});

export const WORK_PROVIDERS = ['local', 'github'] as const;
export type WorkProviderKind = (typeof WORK_PROVIDERS)[number];

const work = mapping({
  provider: described(
    z.optional(z.enum(WORK_PROVIDERS)),
    'Where items are shown: `local`, in this repository only, or `github`, also as issues and pull requests of the `forge`.',
  ),
  agents: described(
    z.optional(
      mapping({
        planner: described(z.optional(textSchema), 'Turns specs into work items.'),
        implementor: described(z.optional(textSchema), 'Implements an item.'),
        reviewer: described(z.optional(textSchema), 'Reviews the revision of an item.'),
      }),
    ),
    'The agent of each role, by its name under `agents`.',
  ),
  specs: described(z.optional(names), 'Globs of the Markdown files that are specs.'),
  jobs: described(z.optional(wholeNumber(1)), 'How many items are worked on at the same time.'),
  max_rounds: described(
    z.optional(wholeNumber(0)),
    'How often an item goes back to the implementor by itself when a review asks for changes.',
  ),
  branch: described(
    z.optional(z.nullable(textSchema)),
    'The default branch: specs are read from it, and work is merged into it.',
  ),
});

/** A configuration file as written: everything is optional. */
export const configDocumentSchema = mapping({
  agents: described(z.optional(z.record(z.string(), agent)), 'By the name that workflows use.'),
  validators: described(z.optional(z.record(z.string(), validator)), 'By the name that workflows use.'),
  prices: described(
    z.optional(z.record(z.string(), price)),
    'Token prices for agents that do not report a cost, by the name of the model or of the agent.',
  ),
  planner: described(z.optional(planner), 'How evidence is evaluated.'),
  limits: described(z.optional(limits), 'Defaults for workflows that set no limits; not a cap.'),
  policy: described(z.optional(defineForm('policyRef', POLICY_REF_PATTERN)), 'The policy of every run.'),
  protected_branches: described(z.optional(names), 'Branches that no run may move.'),
  entrypoints: described(z.optional(names), 'Bare commands that script validators may use.'),
  environment: described(z.optional(names), 'The environment variables that agents and validators get.'),
  paths: described(z.optional(paths), 'Folders of conductor, relative to the repository.'),
  setup: described(z.optional(setupSchema), 'How a checkout is prepared before the first step.'),
  baseline: described(
    z.optional(z.enum(['on', 'off'])),
    'Whether the validators run once on the base commit before the first agent.',
  ),
  tests: described(
    z.optional(z.nullable(names)),
    'Globs of files that a verdict depends on; null for the usual ones of each ecosystem.',
  ),
  retention: described(
    z.optional(retention),
    'Which runs to keep: a run is removed if neither limit keeps it. A limit that is set alone decides alone. If set, it is applied after each run.',
  ),
  notify: described(
    z.optional(notifySchema),
    'Where notifications go. Entries of your own file and of a trusted repository both apply.',
  ),
  forge: described(
    z.optional(forgeSchema),
    'The forge with pull requests and issues. Read only from your own file.',
  ),
  publish: described(
    z.optional(publishSchema),
    'Whether runs publish their work as pull requests; without it, only `conductor pr` does.',
  ),
  telemetry: described(z.optional(telemetrySchema), 'Where traces and metrics of ended runs are exported.'),
  sandbox: described(
    z.optional(z.enum(['auto', 'required', 'off'])),
    'Whether agents and validators run in a sandbox: if available, always, or never.',
  ),
  work: described(z.optional(work), 'How work items are planned, implemented and reviewed.'),
  serve: described(
    z.optional(
      mapping({
        url: described(
          z.optional(defineForm('pageUrl', /^https?:\/\/[^\s/?#@]+\/?$/)),
          'The address at which you open the page; notifications link to its gates.',
        ),
      }),
    ),
    'The page of `conductor serve`. Read only from your own file.',
  ),
  engine: described(
    z.optional(engineSchema),
    'The engine that keeps runs. Read only from your own file and from the environment.',
  ),
  answers: described(
    z.optional(z.enum(['any', 'interactive'])),
    'Which answers to gates are accepted: any, or only those given interactively. Read only from your own file.',
  ),
  trusted: described(
    z.optional(z.array(defineForm('trustedGlob', /^(?:\/|~$|~\/)/))),
    'Globs of repositories whose commands run without asking for trust. Read only from your own file.',
  ),
});
export type ConfigDocument = z.infer<typeof configDocumentSchema>;

export const AGENT_KINDS = ['claude-code', 'codex', 'acp', 'command', 'replay'] as const;

interface AgentBase {
  readonly command: string | readonly string[];
  readonly env: readonly string[];
  /** Paths that the agent can read in a sandbox, relative to the home folder or absolute. */
  readonly sees?: readonly string[];
  readonly writes?: readonly string[];
  /** Retries after a transient failure; missing means the default. */
  readonly retries?: number;
}

/** The price of a model, in US dollars per million tokens. */
export interface Price {
  readonly input_per_mtok: number;
  readonly output_per_mtok: number;
}

export type AgentConfig =
  | (AgentBase & {
      readonly kind: 'claude-code';
      readonly model: string | null;
      readonly max_turns?: number;
    })
  | (AgentBase & { readonly kind: 'codex' | 'acp'; readonly model: string | null })
  | (AgentBase & { readonly kind: 'command' })
  | { readonly kind: 'replay'; readonly run: string };

export interface ValidatorConfig {
  readonly command: Command;
  readonly timeout: string | number | null;
  readonly report: string | null;
  readonly artifacts: readonly string[];
  readonly retries: number;
  readonly network: ValidatorNetwork;
}

export type PlannerConfig =
  | { readonly kind: 'rules' }
  | {
      readonly kind: 'model';
      readonly provider: ModelProvider;
      readonly model: string;
      readonly base_url: string | null;
      /** Null if the endpoint needs no key. */
      readonly api_key_env: string | null;
      readonly timeout: string | number;
      readonly retries: number;
    }
  | { readonly kind: 'agent'; readonly agent: string; readonly timeout: string | number };
export type ModelPlannerConfig = Extract<PlannerConfig, { kind: 'model' }>;

/** A complete configuration with all defaults. Keys are spelt as in the file. */
export interface Config {
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly validators: Readonly<Record<string, ValidatorConfig>>;
  readonly prices: Readonly<Record<string, Price>>;
  readonly planner: PlannerConfig;
  readonly limits: {
    readonly timeout: string | number;
    readonly idle_timeout: string | number;
    readonly max_visits: number;
    readonly park: string | number;
    readonly memory: string | number;
    readonly processes: number;
    readonly written_bytes: string | number;
  };
  /** All of them apply: the policy of the user's file and that of the repository's. */
  readonly policy: readonly string[];
  readonly protected_branches: readonly string[];
  readonly entrypoints: readonly string[];
  readonly environment: readonly string[];
  /** `workspaces` is null for the user's state folder. */
  readonly paths: { readonly runs: string; readonly workspaces: string | null };
  /** Null: no preparation is needed. */
  readonly setup: SetupConfig | null;
  readonly baseline: 'on' | 'off';
  /** Null: the defaults of each ecosystem. */
  readonly tests: readonly string[] | null;
  readonly retention: {
    readonly keep_runs: number;
    readonly keep_days: number;
    /** Whether a file or the environment sets one of them; runs are then removed after each run. */
    readonly is_configured: boolean;
  };
  /** Empty: no notifications. */
  readonly notify: readonly NotifyTarget[];
  readonly forge: ForgeConfig;
  /** Null: only `conductor pr` publishes. */
  readonly publish: PublishConfig | null;
  /** Null: nothing is exported. */
  readonly telemetry: TelemetryConfig | null;
  readonly sandbox: 'auto' | 'required' | 'off';
  readonly work: WorkConfig;
  readonly serve: { readonly url: string | null };
  readonly engine: EngineConfig;
  readonly answers: 'any' | 'interactive';
  /** Globs of repositories, absolute or below `~`. */
  readonly trusted: readonly string[];
}

export interface WorkConfig {
  readonly provider: WorkProviderKind;
  /** Names of `agents`. */
  readonly agents: {
    readonly planner: string;
    readonly implementor: string;
    readonly reviewer: string;
  };
  readonly specs: readonly string[];
  readonly jobs: number;
  readonly max_rounds: number;
  /** The name of the default branch; null to detect it. */
  readonly branch: string | null;
}
