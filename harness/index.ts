export type { CaseStatus } from '../src/contracts/run/harness-report.ts';
export type {
  CliOptions,
  Declare,
  DocsOptions,
  Duration,
  GoldenOptions,
  Normaliser,
  TextExpectation,
  UnitOptions,
  UnitTools,
  WebExpectation,
  WebOptions,
  WebStep,
} from './case.ts';
export { type HarnessOptions, harness } from './harness.ts';
export type { CaseResult, HarnessReport } from './report.ts';
