import type { ReferenceRole } from '../../ports/validator.ts';

/** A file that a report refers to, and what for. */
export interface ReportReference {
  readonly reference: string;
  readonly role: ReferenceRole;
}

const PICTURE = /\.(?:png|jpe?g|gif|webp|bmp|avif)$/i;

/** Every file that a report names, each once. What is no text can't name one. */
export function listReferences(report: Readonly<Record<string, unknown>>): readonly ReportReference[] {
  const proposals = recordsIn(report.proposed_goldens);
  const fixtures = proposals.flatMap(({ proposed_path, diff_ref }) => [proposed_path, diff_ref]);
  const others = [
    ...recordsIn(report.cases).flatMap(({ artifacts }) => listed(artifacts)),
    ...recordsIn(report.ux_flags).map(({ evidence_ref }) => evidence_ref),
  ];
  const roles = new Map<string, ReferenceRole>();
  for (const reference of fixtures) if (isText(reference)) roles.set(reference, 'harness_fixture');
  for (const reference of others)
    if (isText(reference) && !roles.has(reference)) roles.set(reference, roleOf(reference));
  return [...roles].map(([reference, role]) => ({ reference, role }));
}

function roleOf(reference: string): ReferenceRole {
  return PICTURE.test(reference) ? 'harness_screenshot' : 'validation_artifact';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return listed(value).filter(
    (entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null,
  );
}
