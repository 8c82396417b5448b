import type { Page } from 'playwright-core';
import * as z from 'zod';
import { loadOptional } from '../../src/contracts/expected-failure.ts';
import type { UxFlag } from '../../src/contracts/run/harness-report.ts';

const violationsSchema = z.array(
  z.object({
    id: z.string(),
    impact: z.string().nullish(),
    help: z.string(),
    nodes: z.array(z.object({ target: z.array(z.unknown()) })),
  }),
);
export type Violations = z.infer<typeof violationsSchema>;

/** Runs axe on a page and returns the violations. */
export async function findViolations(page: Page): Promise<Violations> {
  const { default: axe } = await loadOptional('looking for barriers', 'axe-core', () => import('axe-core'));
  await page.evaluate(axe.source);
  return violationsSchema.parse(
    await page.evaluate(
      'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
    ),
  );
}

export interface Findings {
  readonly flags: UxFlag[];
  readonly observations: string[];
}

/**
 * Any flag keeps a run from success, and one of severity `error` requires a user. So only violations that
 * exclude users become flags; the others are reported with the case.
 */
export function classifyViolations(violations: Violations, evidenceRef: string): Findings {
  const flags: UxFlag[] = [];
  const observations: string[] = [];
  for (const { id, impact, help, nodes } of violations) {
    const description = `${help} (${id}): ${nodes.map(({ target }) => target.join(' ')).join(', ')}`;
    const severity = impact === 'critical' ? 'error' : impact === 'serious' ? 'warning' : null;
    if (severity === null) observations.push(`accessibility, ${impact ?? 'minor'}: ${description}`);
    else flags.push({ severity, area: 'accessibility', description, evidence_ref: evidenceRef });
  }
  return { flags, observations };
}
