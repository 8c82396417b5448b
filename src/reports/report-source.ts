/** The value of a validator's `report:`. */
export type ReportSource =
  | { readonly kind: 'harness'; readonly path: string }
  | ConvertedSource
  | PrintedSource;

type ConvertedSource = {
  readonly kind: 'junit' | 'vitest-json' | 'playwright-json';
  /** A path; for JUnit also a glob. */
  readonly path: string;
};

/** These are printed to stdout, so there is no file. */
type PrintedSource = { readonly kind: 'tap' | 'go-json'; readonly path: null };

/** The formats that are converted to a harness report. */
export type ReportForm = Exclude<ReportSource['kind'], 'harness'>;

/** Parses a value that the schema of the configuration or workflow has validated. */
export function parseReportSource(text: string): ReportSource {
  const colon = text.indexOf(':');
  const path = text.slice(colon + 1);
  switch (text.slice(0, colon)) {
    case 'tap':
      return { kind: 'tap', path: null };
    case 'go-json':
      return { kind: 'go-json', path: null };
    case 'junit':
      return { kind: 'junit', path };
    case 'vitest-json':
      return { kind: 'vitest-json', path };
    case 'playwright-json':
      return { kind: 'playwright-json', path };
    default:
      return { kind: 'harness', path };
  }
}
