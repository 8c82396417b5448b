/** The options of cases. Suite files use the same keys, so keys are single words. */

/** A string must be contained, a pattern must match; an object says exactly what is expected. */
export type TextExpectation =
  | string
  | RegExp
  | {
      readonly equals?: string | undefined;
      readonly contains?: string | readonly string[] | undefined;
      readonly matches?: string | RegExp | undefined;
    };

/** Removes parts of a text that differ from run to run before it is compared with a golden. */
export type Normaliser =
  | 'ansi'
  | 'dates'
  | 'paths'
  | { readonly replace: string | RegExp; readonly with: string };

/** Seconds as a number, or text such as `90s` and `5m`. */
export type Duration = number | string;

interface CommonOptions {
  /** How often a failed case is retried; one that passes on a retry is `flaky`. */
  readonly retries?: number | undefined;
  readonly timeout?: Duration | undefined;
}

export interface CliOptions extends CommonOptions {
  /** Program and arguments, started without a shell. */
  readonly command: readonly string[];
  readonly stdin?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Relative to the folder in which the harness was started. */
  readonly cwd?: string | undefined;
  /** Default 0. */
  readonly exit?: number | undefined;
  readonly stdout?: TextExpectation | undefined;
  readonly stderr?: TextExpectation | undefined;
  /** By path: whether the file must exist afterwards, or what it must contain. */
  readonly files?: Readonly<Record<string, boolean | TextExpectation>> | undefined;
  /** The golden to compare standard output with. */
  readonly golden?: string | undefined;
  readonly normalise?: readonly Normaliser[] | undefined;
}

/** Exactly one of the first six, with its options. */
export interface WebStep {
  readonly goto?: string | undefined;
  readonly click?: string | undefined;
  readonly fill?: string | undefined;
  readonly press?: string | undefined;
  readonly select?: string | undefined;
  /** Waits until this is visible. */
  readonly wait?: string | undefined;
  /** The text to fill in or select. */
  readonly with?: string | undefined;
  /** The element for the key press; default the page itself. */
  readonly on?: string | undefined;
}

/** Exactly one of the first six, with its options. */
export interface WebExpectation {
  readonly visible?: string | undefined;
  readonly hidden?: string | undefined;
  readonly text?: TextExpectation | undefined;
  readonly title?: TextExpectation | undefined;
  readonly url?: TextExpectation | undefined;
  readonly count?: number | undefined;
  /** The element that must contain the text; default the whole page. */
  readonly in?: string | undefined;
  /** The elements to count. */
  readonly of?: string | undefined;
}

export interface WebOptions extends CommonOptions {
  /** `{port}` is replaced by a free port, in `serve` too. */
  readonly url: string;
  /** A server that is started before the case and stopped after it. */
  readonly serve?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly viewport?: { readonly width: number; readonly height: number } | undefined;
  readonly steps?: readonly WebStep[] | undefined;
  readonly expect?: readonly WebExpectation[] | undefined;
  /** Whether the page must not log errors. */
  readonly quiet?: boolean | undefined;
  /** False skips the accessibility check. */
  readonly accessibility?: boolean | undefined;
  /** The golden to compare the screenshot with. */
  readonly golden?: string | undefined;
  /** Allowed colour difference, from 0 to 1; default 0. */
  readonly tolerance?: number | undefined;
}

export interface DocsOptions extends CommonOptions {
  /** Paths or globs of Markdown files. */
  readonly files: readonly string[];
  /** Languages whose examples are run. */
  readonly run?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface GoldenOptions {
  readonly normalise?: readonly Normaliser[] | undefined;
  readonly tolerance?: number | undefined;
}

/** Passed to the function of a `unit` case. */
export interface UnitTools {
  /** A difference becomes a proposal, not a failure. */
  readonly expectGolden: (
    name: string,
    content: string | Uint8Array,
    options?: GoldenOptions,
  ) => Promise<void>;
  /** Stores a file with the case and refers to it in the report. */
  readonly keep: (name: string, content: string | Uint8Array) => void;
  readonly observe: (text: string) => void;
}

export interface UnitOptions extends CommonOptions {
  readonly test: (tools: UnitTools) => unknown;
}

export type Case =
  | { readonly kind: 'cli'; readonly id: string; readonly options: CliOptions }
  | { readonly kind: 'web'; readonly id: string; readonly options: WebOptions }
  | { readonly kind: 'docs'; readonly id: string; readonly options: DocsOptions }
  | { readonly kind: 'unit'; readonly id: string; readonly options: UnitOptions };

/** Passed to the function that declares the cases. */
export interface Declare {
  readonly cli: (id: string, options: CliOptions) => void;
  readonly web: (id: string, options: WebOptions) => void;
  readonly docs: (id: string, options: DocsOptions) => void;
  readonly unit: (
    id: string,
    test: (tools: UnitTools) => unknown,
    options?: Omit<UnitOptions, 'test'>,
  ) => void;
}
