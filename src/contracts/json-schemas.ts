import * as z from 'zod/mini';
import { CLI_DOCUMENTS, type CliDocumentName } from './cli/cli-documents.ts';
import { configDocumentSchema } from './config/config.ts';
import { harnessSuiteSchema } from './documents/harness-suite.ts';
import { policyDocumentSchema } from './documents/policy.ts';
import { promptFrontMatterSchema } from './documents/prompt.ts';
import { workflowDocumentSchema } from './documents/workflow-document.ts';
import { HTTP_DOCUMENTS, type HttpDocumentName } from './http/http-documents.ts';
import { ledgerSchema } from './planner/claim-ledger.ts';
import { plannerDecisionSchema } from './planner/planner-decision.ts';
import { plannerInputSchema } from './planner/planner-input.ts';
import { plannerTraceSchema } from './planner/planner-trace.ts';
import { plannerVectorSchema } from './planner/planner-vector.ts';
import { runEventSchema } from './run/event.ts';
import { harnessReportSchema } from './run/harness-report.ts';
import { manifestSchema, metadataSchema, statusSchema } from './run/run-files.ts';
import { implementorResultSchema, plannerResultSchema, reviewerResultSchema } from './work/work-results.ts';

interface Entry {
  readonly schema: z.core.$ZodType;
  readonly title: string;
}

/** First the documents that users write, then those that tools exchange, then the files of a run. */
const SCHEMAS = {
  workflow: { schema: workflowDocumentSchema, title: 'A workflow' },
  config: { schema: configDocumentSchema, title: 'A configuration' },
  policy: { schema: policyDocumentSchema, title: 'A policy' },
  prompt: { schema: promptFrontMatterSchema, title: 'The front matter of a prompt' },
  'harness-suite': { schema: harnessSuiteSchema, title: 'A suite of harness cases' },
  'harness-report': { schema: harnessReportSchema, title: 'A harness report' },
  'planner-input': { schema: plannerInputSchema, title: 'The input of the planner' },
  'planner-decision': { schema: plannerDecisionSchema, title: 'A decision of the planner' },
  'planner-trace': { schema: plannerTraceSchema, title: 'How a planner decision was made' },
  'claim-ledger': {
    schema: ledgerSchema,
    title: 'The claims of agents, and whether the evidence confirms them',
  },
  'planner-vector': { schema: plannerVectorSchema, title: 'A test case of the planner' },
  'planner-result': { schema: plannerResultSchema, title: 'The result of a planner of work items' },
  'implementor-result': { schema: implementorResultSchema, title: 'The result of an implementor' },
  'reviewer-result': { schema: reviewerResultSchema, title: 'The result of a reviewer' },
  event: { schema: runEventSchema, title: 'A line of events.ndjson' },
  status: { schema: statusSchema, title: 'status.json of a run' },
  metadata: { schema: metadataSchema, title: 'metadata.json of a run' },
  manifest: { schema: manifestSchema, title: 'manifest.json of a step' },
} as const satisfies Readonly<Record<string, Entry>>;

type DocumentName = keyof typeof SCHEMAS;
export type SchemaName = DocumentName | `cli.${CliDocumentName}` | `http.${HttpDocumentName}`;
export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** The schema of a command's output is named after the command. */
const CLI_SCHEMAS = Object.fromEntries(
  Object.entries(CLI_DOCUMENTS).map(([name, schema]): [string, Entry] => [
    `cli.${name}`,
    { schema, title: name === 'error' ? 'Output of a command that fails' : `Output of conductor ${name}` },
  ]),
) as Record<`cli.${CliDocumentName}`, Entry>;

/** The documents and bodies of the page's API. */
const HTTP_SCHEMAS = Object.fromEntries(
  Object.entries(HTTP_DOCUMENTS).map(([name, entry]): [string, Entry] => [`http.${name}`, entry]),
) as Record<`http.${HttpDocumentName}`, Entry>;

const ENTRIES: Readonly<Record<SchemaName, Entry>> = { ...SCHEMAS, ...CLI_SCHEMAS, ...HTTP_SCHEMAS };

export const SCHEMA_NAMES = Object.keys(ENTRIES) as readonly SchemaName[];

export function isSchemaName(name: string): name is SchemaName {
  return Object.hasOwn(ENTRIES, name);
}

export function schemaTitle(name: SchemaName): string {
  return ENTRIES[name].title;
}

/**
 * The JSON Schema of a document as written. It covers the structure only; relations between steps are checked by
 * `conductor validate`.
 */
export function jsonSchemaOf(name: SchemaName): JsonSchema {
  const entry = ENTRIES[name];
  const { $schema, ...rest } = z.toJSONSchema(entry.schema, { target: 'draft-2020-12', io: 'input' });
  return { $schema, $id: `urn:tnh-conductor:schema:${name}`, title: entry.title, ...rest } as JsonSchema;
}

/** The text that is printed and written to files. */
export function jsonSchemaText(name: SchemaName): string {
  return `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`;
}
