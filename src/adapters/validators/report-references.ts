import type { ReferenceRole } from '../../ports/validator.ts';

/** A file that a report refers to, with its role. */
export interface ReportReference {
  readonly reference: string;
  readonly role: ReferenceRole;
}

const IMAGE_FILE = /\.(?:png|jpe?g|gif|webp|bmp|avif)$/i;

/** All files that a report names, without duplicates. Values other than strings are ignored. */
export function listReferences(report: Readonly<Record<string, unknown>>): readonly ReportReference[] {
  const proposals = recordsIn(report.proposed_goldens);
  const fixtures = proposals.flatMap(({ proposed_path, diff_ref }) => [proposed_path, diff_ref]);
  const others = [
    ...recordsIn(report.cases).flatMap(({ artifacts }) => asList(artifacts)),
    ...recordsIn(report.ux_flags).map(({ evidence_ref }) => evidence_ref),
  ];
  const roles = new Map<string, ReferenceRole>();
  for (const reference of fixtures) if (isText(reference)) roles.set(reference, 'harness_fixture');
  for (const reference of others)
    if (isText(reference) && !roles.has(reference)) roles.set(reference, roleOf(reference));
  return [...roles].map(([reference, role]) => ({ reference, role }));
}

function roleOf(reference: string): ReferenceRole {
  return IMAGE_FILE.test(reference) ? 'harness_screenshot' : 'validation_artifact';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return asList(value).filter(
    (entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null,
  );
}
