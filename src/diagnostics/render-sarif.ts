import type { CodeEntry, Severity } from './codes.ts';
import { composeMessage, type Diagnostic, type Span } from './diagnostic.ts';
import type { CheckedFile } from './render-json.ts';

const SARIF_VERSION = '2.1.0';
const SARIF_SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** The subset of SARIF that `renderSarif` writes. */
export interface SarifLog {
  readonly $schema: string;
  readonly version: typeof SARIF_VERSION;
  readonly runs: readonly SarifRun[];
}

export interface SarifRun {
  readonly tool: {
    readonly driver: {
      readonly name: string;
      readonly version: string;
      readonly rules: readonly SarifRule[];
    };
  };
  readonly columnKind: 'utf16CodeUnits';
  readonly results: readonly SarifResult[];
}

export interface SarifRule {
  readonly id: string;
  readonly name: string;
  readonly shortDescription: SarifMessage;
  readonly help: SarifMessage;
  readonly defaultConfiguration: { readonly level: Severity };
}

export interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: Severity;
  readonly message: SarifMessage;
  readonly locations: readonly SarifLocation[];
  readonly relatedLocations?: readonly (SarifLocation & {
    readonly id: number;
    readonly message: SarifMessage;
  })[];
}

export interface SarifMessage {
  readonly text: string;
}

export interface SarifLocation {
  readonly physicalLocation: {
    readonly artifactLocation: { readonly uri: string };
    readonly region: {
      readonly startLine: number;
      readonly startColumn: number;
      readonly endLine: number;
      readonly endColumn: number;
    };
  };
}

/** The version of conductor and all its diagnostic codes. */
export interface SarifTool {
  readonly version: string;
  readonly codes: Readonly<Record<string, CodeEntry>>;
}

/** Lists every code as a rule, so that consumers can distinguish a rule without findings from a missing rule. */
export function renderSarif(files: readonly CheckedFile[], { version, codes }: SarifTool): SarifLog {
  const rules = Object.entries(codes).map(([code, entry]) => describeRule(code, entry));
  const indexes = new Map(rules.map((rule, index) => [rule.id, index]));
  const results = files.flatMap((file) => {
    const uri = uriOf(file.path);
    return file.diagnostics.map((diagnostic) => describeResult(uri, diagnostic, indexes));
  });
  return {
    $schema: SARIF_SCHEMA,
    version: SARIF_VERSION,
    runs: [
      {
        tool: { driver: { name: 'conductor', version, rules } },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  };
}

function describeRule(code: string, { title, severity }: CodeEntry): SarifRule {
  return {
    id: code,
    name: composeRuleName(title),
    shortDescription: { text: title },
    help: { text: `conductor explain ${code}` },
    defaultConfiguration: { level: severity },
  };
}

/** Turns `a key is unknown` into `AKeyIsUnknown`: SARIF rule names are single identifiers. */
function composeRuleName(title: string): string {
  return title
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

function describeResult(
  uri: string,
  diagnostic: Diagnostic,
  indexes: ReadonlyMap<string, number>,
): SarifResult {
  const { code, severity, span, related } = diagnostic;
  const result = {
    ruleId: code,
    ruleIndex: indexes.get(code) ?? -1,
    level: severity,
    message: { text: composeMessage(diagnostic) },
    locations: [locate(uri, span)],
  };
  if (related.length === 0) return result;
  return {
    ...result,
    relatedLocations: related.map((place, index) => ({
      id: index + 1,
      message: { text: place.message },
      ...locate(uri, place.span),
    })),
  };
}

function locate(uri: string, span: Span): SarifLocation {
  return {
    physicalLocation: {
      artifactLocation: { uri },
      region: {
        startLine: span.line,
        startColumn: span.column,
        endLine: span.endLine,
        endColumn: span.endColumn,
      },
    },
  };
}

/** Encodes a path as a URI: without that, `a:b.yaml` would be read as a scheme, for example. */
function uriOf(path: string): string {
  const uri = path
    .replace(/^(?:\.\/+)+/, '')
    .split('/')
    .map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\ufffd')))
    .join('/');
  return path.startsWith('/') ? `file://${uri}` : uri;
}
