import type * as z from 'zod';
import type { CLI_DOCUMENTS } from '../../../src/contracts/cli/cli-documents.ts';
import type { Report } from '../../../src/contracts/cli/cli-report-document.ts';
import type { runsPageSchema } from '../../../src/contracts/http/run-page.ts';
import type { itemPageSchema } from '../../../src/contracts/http/work-page.ts';

/** Documents whose types only their schemas have. */
export type RunsDocument = z.infer<typeof runsPageSchema>;
export type ListedRun = RunsDocument['runs'][number];
export type ReportDocument = Report;
export type ItemDocument = z.infer<typeof itemPageSchema>;
export type Diagnostic = z.infer<(typeof CLI_DOCUMENTS)['validate']>['files'][number]['diagnostics'][number];
export type Proofs = NonNullable<z.infer<(typeof CLI_DOCUMENTS)['validate']>['files'][number]['proofs']>;
