/** What `report:` of a validator names. */
export type ReportSource =
  | { readonly kind: 'harness'; readonly path: string }
  | ConvertedSource
  | PrintedSource;

type ConvertedSource = {
  readonly kind: 'junit' | 'vitest-json' | 'playwright-json';
  /** A path; for JUnit also a glob. */
  readonly path: string;
};

/** These are printed on stdout, so there is no file. */
type PrintedSource = { readonly kind: 'tap' | 'go-json'; readonly path: null };

/** The forms that are turned into a harness report. */
export type ReportForm = Exclude<ReportSource['kind'], 'harness'>;

/** Reads a text that the schema of the configuration or of the workflow has let through. */
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
