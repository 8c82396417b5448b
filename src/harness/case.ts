/** What a suite can declare. The same words stand in suite files, so keys are single words. */

/** Text is looked for inside, a pattern is tried; an object says exactly what is meant. */
export type TextExpectation =
  | string
  | RegExp
  | {
      readonly equals?: string | undefined;
      readonly contains?: string | readonly string[] | undefined;
      readonly matches?: string | RegExp | undefined;
    };

/** What is taken out of text before it is held against a golden, because it differs from run to run. */
export type Normaliser =
  | 'ansi'
  | 'dates'
  | 'paths'
  | { readonly replace: string | RegExp; readonly with: string };

/** Seconds as a number, or text such as `90s` and `5m`. */
export type Duration = number | string;

interface CommonOptions {
  /** How often a failure is tried again; what passes then is `flaky`. */
  readonly retries?: number | undefined;
  readonly timeout?: Duration | undefined;
}

export interface CliOptions extends CommonOptions {
  /** Program and arguments; no shell is involved. */
  readonly command: readonly string[];
  readonly stdin?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Relative to the folder that the harness was started in. */
  readonly cwd?: string | undefined;
  /** 0 unless it is said. */
  readonly exit?: number | undefined;
  readonly stdout?: TextExpectation | undefined;
  readonly stderr?: TextExpectation | undefined;
  /** By path: whether it must be there afterwards, or what must be in it. */
  readonly files?: Readonly<Record<string, boolean | TextExpectation>> | undefined;
  /** The golden that standard output is held against. */
  readonly golden?: string | undefined;
  readonly normalise?: readonly Normaliser[] | undefined;
}

/** One of the first six, with what belongs to it. */
export interface WebStep {
  readonly goto?: string | undefined;
  readonly click?: string | undefined;
  readonly fill?: string | undefined;
  readonly press?: string | undefined;
  readonly select?: string | undefined;
  /** Waits until this can be seen. */
  readonly wait?: string | undefined;
  /** What is filled in or selected. */
  readonly with?: string | undefined;
  /** Where a key is pressed; the page itself unless it is said. */
  readonly on?: string | undefined;
}

/** One of the first six, with what belongs to it. */
export interface WebExpectation {
  readonly visible?: string | undefined;
  readonly hidden?: string | undefined;
  readonly text?: TextExpectation | undefined;
  readonly title?: TextExpectation | undefined;
  readonly url?: TextExpectation | undefined;
  readonly count?: number | undefined;
  /** Where the text is looked for; the whole page unless it is said. */
  readonly in?: string | undefined;
  /** What is counted. */
  readonly of?: string | undefined;
}

export interface WebOptions extends CommonOptions {
  /** `{port}` becomes a free port, in `serve` too. */
  readonly url: string;
  /** A server that is started before and ended after the case. */
  readonly serve?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly viewport?: { readonly width: number; readonly height: number } | undefined;
  readonly steps?: readonly WebStep[] | undefined;
  readonly expect?: readonly WebExpectation[] | undefined;
  /** True when the page must log no errors. */
  readonly quiet?: boolean | undefined;
  /** False leaves the accessibility check out. */
  readonly accessibility?: boolean | undefined;
  /** The golden that the screenshot is held against. */
  readonly golden?: string | undefined;
  /** How far colours may be apart, from 0 to 1; 0 unless it is said. */
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

/** What the function of a `unit` case is given. */
export interface UnitTools {
  /** A difference is proposed and is no failure. */
  readonly expectGolden: (
    name: string,
    content: string | Uint8Array,
    options?: GoldenOptions,
  ) => Promise<void>;
  /** Keeps a file with the case and refers to it in the report. */
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

/** What `harness` hands to the function that declares the cases. */
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
