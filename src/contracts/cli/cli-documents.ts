import * as z from 'zod';
import { SESSION_RIGHTS } from '../http/session-documents.ts';
import { answerOriginSchema } from '../run/answer-origin.ts';
import { eventPayloads } from '../run/event.ts';
import { goldenRecordSchema } from '../run/golden-proposal.ts';
import { harnessReportSchema } from '../run/harness-report.ts';
import { statusSchema } from '../run/run-files.ts';
import { LIFECYCLE_STATES, OPCODES, RUN_OUTCOMES, TERMINATIONS, VIOLATION_CLASSES } from '../vocabulary.ts';
import { agentTrialSchema } from './agent-trial.ts';
import { ENGINE_DOCUMENTS } from './cli-engine-documents.ts';
import { evaluatedDocument, vectorsDocument } from './cli-planner-documents.ts';
import { proofsDocument } from './cli-proofs-document.ts';
import { reportDocument, spendSchema } from './cli-report-document.ts';
import { statsSchema } from './cli-stats-document.ts';
import { UPKEEP_DOCUMENTS } from './cli-upkeep-documents.ts';
import { WORK_DOCUMENTS } from './cli-work-documents.ts';
import { printed, printedChange } from './printed-document.ts';

/**
 * The `--json` output of commands. Keys can be added without a new `schema_version`, so readers must ignore unknown
 * keys, and so do these schemas.
 */

const SEVERITIES = ['error', 'warning'] as const;
const FILE_STATES = ['ok', 'missing', 'problem'] as const;

const place = { line: z.int().min(1), column: z.int().min(1) };

const diagnostic = z.looseObject({
  code: z.string().describe('`conductor explain CODE` prints its page.'),
  severity: z.enum(SEVERITIES),
  message: z.string(),
  ...place,
  end_line: z.int().min(1),
  end_column: z.int().min(1),
  related: z.array(z.looseObject({ message: z.string(), ...place })),
  notes: z.array(z.string()),
  help: z.string().nullable(),
});

const validated = printed({
  ok: z.boolean().describe('No file has an error, and all requested proofs hold.'),
  files: z.array(
    z.looseObject({
      path: z.string().describe('As given on the command line.'),
      ok: z.boolean(),
      diagnostics: z.array(diagnostic),
      proofs: proofsDocument.nullable().optional().describe('Set if proofs or caps were requested.'),
    }),
  ),
});

const title = z.string().nullable().describe('The title of the run; null for a run of version 1.');

const run = printed({
  run_id: z.string(),
  title,
  workflow_id: z.string(),
  lifecycle_state: z.enum(LIFECYCLE_STATES),
  outcome: z.enum(RUN_OUTCOMES).nullable().describe('Null until the run has ended.'),
  termination: z.enum(TERMINATIONS).nullable(),
  last_step_id: z.string().nullable(),
  steps: z.array(
    z.looseObject({
      step_id: z.string(),
      opcode: z.enum(OPCODES),
      attempt: z.int().min(1),
      termination: z.enum(TERMINATIONS).nullable(),
      duration_ms: z.number().nonnegative().nullable(),
    }),
  ),
  usage: z.looseObject({
    input_tokens: z.int().nullable().describe('Null if not reported.'),
    output_tokens: z.int().nullable(),
    cost_usd: z.number().nullable(),
  }),
  run_directory: z.string(),
  setup: z
    .array(z.looseObject(eventPayloads.setup_completed.shape))
    .optional()
    .describe('Each setup of a checkout, in order; missing if none.'),
  baseline: z
    .looseObject(eventPayloads.baseline_recorded.shape)
    .optional()
    .describe('The results of the checks on the base commit; missing until recorded.'),
  notices: z
    .array(
      z.looseObject({
        step_id: z.string().nullable().describe('The step that ran at the time.'),
        seq: z.int().nonnegative(),
        ...eventPayloads.notice_recorded.shape,
      }),
    )
    .optional()
    .describe('Information for the user that is not a policy violation, such as changes in your checkout.'),
  answers: z
    .array(
      z.looseObject({
        step_id: z.string(),
        attempt: z.int().min(1),
        answer: z.enum(['gate_approved', 'gate_rejected']),
        by: z.string().nullable().describe('The name given with the answer.'),
        comment: z.string().nullable(),
        answered_at: z.string(),
        from: z.nullable(answerOriginSchema).describe('Null in records of earlier versions.'),
      }),
    )
    .optional()
    .describe('Answers to gates; missing if none.'),
  flaky: z
    .array(
      z.looseObject({
        step_id: z.string(),
        attempt: z.int().min(1),
        validator: z.string(),
        itself: z.boolean().describe('Whether the validator itself failed first, not only cases of it.'),
        tries: z.int().min(1),
        cases: z.int().nonnegative(),
      }),
    )
    .optional()
    .describe('What passed only on a later try; missing if none.'),
  findings: z
    .array(z.string())
    .optional()
    .describe('Such as `protected_path_changed: PATH`; missing if none.'),
});

const answer = printed({
  run_id: z.string(),
  step_id: z.string(),
  answer: z.enum(['gate_approved', 'gate_rejected']),
  by: z.string(),
  from: answerOriginSchema,
  comment: z.string().nullable(),
});
const answered = z.union([answer, run.describe('With `--resume`.')]);

const driven = { driver_pid: z.int().nullable().describe('The process that drives the run; null if none.') };
const waiting = {
  waiting_until: z
    .string()
    .nullable()
    .optional()
    .describe('When a parked run continues; null or missing if the run is not parked.'),
};
const standing = { ...statusSchema.shape, title, ...driven, ...waiting };

const gate = z.looseObject({
  run_id: z.string(),
  title,
  workflow_id: z.string(),
  step_id: z.string(),
  gate: z.string(),
  reason: z.string(),
  approvers: z.array(z.string()),
  requested_at: z.string(),
  expires_at: z.string().nullable(),
  expired: z.boolean().describe('The gate has timed out, and no process has driven the run since.'),
  answer: z.string().nullable().describe('An answer that no process has acted on yet.'),
  request: z.string().describe('The file with all information for the decision.'),
});

const log = z.looseObject({
  step_id: z.string(),
  attempt: z.int().min(1),
  name: z.string(),
  path: z.string(),
});

const finding = z.looseObject({
  name: z.string(),
  state: z.enum(FILE_STATES),
  detail: z.string(),
  help: z.string().nullable(),
});

const record = {
  run_id: z.string(),
  ok: z.boolean(),
};
const problems = {
  problems: z.array(
    z.looseObject({
      path: z.string().describe('Relative to the run directory.'),
      line: z.int().min(1).nullable(),
      message: z.string(),
    }),
  ),
  notes: z.array(z.string()),
};

const recordedEvent = z.looseObject({
  event_type: z.string(),
  step_id: z.string().nullable(),
  payload: z.looseObject({}),
});

const replayed = printed({
  ...record,
  decided: z.int().nonnegative().describe('Events that the kernel reproduced.'),
  carried: z
    .int()
    .nonnegative()
    .describe('Events that the runtime recorded without a decision of the kernel.'),
  cut: z.boolean().describe('Whether the log ends in the middle of a decision.'),
  difference: z
    .looseObject({
      seq: z.int().nonnegative(),
      line: z.int().min(1),
      expected: recordedEvent.nullable().describe('Null if no event was due.'),
      recorded: recordedEvent,
    })
    .nullable(),
  ...problems,
});

const compared = printed({
  ...record,
  against: z.string(),
  way: z.array(
    z.looseObject({
      step_id: z.string(),
      entry: z.int().min(1),
      key: z.string().nullable(),
      to: z.string().nullable(),
    }),
  ),
  difference: z
    .looseObject({
      kind: z.enum(['entry_step', 'opcode', 'route', 'end']),
      step_id: z.string().nullable(),
      entry: z.int().min(1).nullable(),
      key: z.string().nullable(),
      recorded: z.string(),
      edited: z.string(),
    })
    .nullable(),
});

const policyVerdict = printed({
  allowed: z.boolean(),
  violations: z.array(
    z.looseObject({
      class: z.enum(VIOLATION_CLASSES),
      subject: z.string().describe('The affected path, ref or command.'),
      message: z.string(),
    }),
  ),
  requires_approval: z
    .array(z.looseObject({ path: z.string(), glob: z.string() }))
    .optional()
    .describe('Paths of a patch that match `approval_paths`: allowed, but a reviewer must approve them.'),
});

/** By command. Every command prints `error` instead if it fails. */
export const CLI_DOCUMENTS = {
  init: printed({ created: z.array(z.string()), kept: z.array(z.string()) }),
  doctor: printed({ ok: z.boolean(), findings: z.array(finding) }),
  validate: validated,
  explain: printed({
    code: z.string(),
    title: z.string(),
    severity: z.enum(SEVERITIES),
    page: z.string().describe('Markdown.'),
  }),
  graph: printed({ format: z.enum(['mermaid', 'dot', 'svg']), graph: z.string() }),
  schema: printed({
    schemas: z
      .array(z.looseObject({ name: z.string(), title: z.string() }))
      .optional()
      .describe('Without a name: the list. With a name, the document is the schema itself.'),
  }),
  completion: printed({ shell: z.string(), script: z.string() }),
  run: z.union([
    run,
    printed({ run_id: z.string(), submitted: z.literal(true) }).describe(
      'With `--detach`, on a shared engine.',
    ),
  ]),
  demo: run,
  resume: run,
  show: run,
  approve: answered,
  reject: answered,
  cancel: printed({
    run_id: z.string(),
    cancelled: z.boolean(),
    by: z.string(),
    reason: z.string().nullable(),
    /** A problem of the record that did not prevent the cancellation. */
    note: z.string().nullable(),
  }),
  status: z.union([printed(standing), printed({ runs: z.array(z.looseObject(standing)) })]),
  runs: printed({
    runs: z.array(
      z.looseObject({
        run_id: z.string(),
        title,
        run_directory: z.string(),
        state: z.string().describe('Its lifecycle state, or `interrupted`, `starting`, `unreadable`.'),
        ...driven,
        status: statusSchema.nullable().describe('Null if it cannot be read.'),
        spend: spendSchema.nullable().describe('Null if the record cannot be read.'),
      }),
    ),
    hidden: z.int().min(0).describe('Number of runs that `--limit` hides.'),
  }),
  report: reportDocument,
  stats: printed(statsSchema.shape),
  notify: printed({
    ok: z.boolean().describe('True if every target got it; false if there is none.'),
    targets: z.array(
      z.looseObject({
        target: z.string(),
        ok: z.boolean(),
        message: z.string().nullable().describe('Why it failed.'),
      }),
    ),
  }),
  gates: printed({ gates: z.array(gate) }),
  serve: z.union([
    printed({
      url: z.string().describe('Where the page is; a browser needs a pairing code, too.'),
      pid: z.int(),
      fingerprint: z.string().nullable().describe('SHA-256 of the certificate; null without TLS.'),
      repos: z.array(
        z.looseObject({
          id: z.string().describe('Its name in addresses of the page.'),
          name: z.string(),
          path: z.string(),
        }),
      ),
    }),
    printed({
      sessions: z.array(
        z.looseObject({
          id: z.string(),
          name: z.string(),
          rights: z.enum(SESSION_RIGHTS),
          created_at: z.string(),
          from: z.string().describe('The address that paired.'),
        }),
      ),
    }).describe('With `--sessions` or `--revoke`.'),
  ]),
  goldens: printed({ run_id: z.string(), goldens: z.array(goldenRecordSchema) }),
  logs: printed({ run_id: z.string(), logs: z.array(log) }),
  diff: printed({
    run_id: z.string(),
    files: z.array(printedChange),
    insertions: z.int(),
    deletions: z.int(),
  }),
  evaluate: evaluatedDocument,
  vectors: vectorsDocument,
  ...WORK_DOCUMENTS,
  policy: policyVerdict,
  hook: policyVerdict,
  agents: printed(agentTrialSchema.shape),
  harness: printed({
    ok: z.boolean().describe('True if no case failed.'),
    report_path: z.string(),
    report: harnessReportSchema,
  }),
  ...ENGINE_DOCUMENTS,
  ...UPKEEP_DOCUMENTS,
  replay: z.union([replayed, compared.describe('With `--against`.')]),
  verify: printed({
    ...record,
    events: z.int().nonnegative(),
    artifacts: z.int().nonnegative(),
    manifests: z.int().nonnegative(),
    ...problems,
  }),
  error: printed({
    ok: z.literal(false),
    error: z.looseObject({ message: z.string(), help: z.string().nullable() }),
  }),
} as const;

export type CliDocumentName = keyof typeof CLI_DOCUMENTS;
