import { isAbsolute } from 'node:path';
import type { RunnableValidator } from '../../ports/validator.ts';
import { parseReportSource, type ReportSource } from '../../reports/report-source.ts';
import {
  type ArtifactDeclaration,
  GLOB_CHARACTERS,
  plainName,
  rejectOutside,
} from './artifact-declaration.ts';
import { hasParentSegments, type Refused } from './placeholders.ts';

export function reportSourceOf({ report }: RunnableValidator): ReportSource | null {
  return report === null ? null : parseReportSource(report);
}

/** The name of a declared report, for messages about a missing one. */
export function reportName(source: ReportSource): string {
  return source.path === null ? `${source.kind}:stdout` : plainName(source.path);
}

/** The file that `report` names, or null if it does not name a file. Placeholders are not supported in it. */
export function declareReport(source: ReportSource): ArtifactDeclaration | Refused | null {
  if (source.path === null) return null;
  const { kind, path } = source;
  if (isAbsolute(path) || hasParentSegments(path)) return rejectOutside('report', path);
  const name = reportName(source);
  if (name === '' || name === '.') return { ok: false, reason: `report names nothing: \`${path}\`` };
  return {
    ok: true,
    name,
    roots: ['checkout', 'run'],
    literal: kind !== 'junit' || !GLOB_CHARACTERS.test(name),
    harnessReport: kind === 'harness',
    converted: kind !== 'harness',
  };
}
