import { inspectChange, textsToInspect } from '../../../policy/judges/inspect-change.ts';
import { findAddedTests, findChangedJudgeFiles } from '../../../policy/judges/judge-files.ts';
import { readComparedReport } from '../../../reports/compare-cases.ts';
import { acceptedGoldens } from '../../goldens/accepted-goldens.ts';
import type { RunContext } from '../../run-context.ts';
import type { JudgesRecord } from '../../verify/check-record.ts';
import { partText, type TracedCommand } from './compare-commands.ts';
import type { PreparedJudge } from './judge-checkout.ts';
import { failedCasesOf, type TriedValidator } from './validator-tries.ts';

export interface ValidatedChange {
  readonly results: readonly TriedValidator[];
  readonly judge: PreparedJudge;
  /** Runs the validators again, with these paths restored to the base. */
  readonly rerun: (asAtBase: (path: string) => boolean) => Promise<readonly TriedValidator[]>;
}

export interface JudgeFacts {
  readonly commands: readonly TracedCommand[];
  /** Whether every validator passed with the change. */
  readonly passed: boolean;
  readonly failedAtBase: boolean;
}

/** Changed paths on which a passing verdict depends. */
export function listChangedJudges({ changed, commands, inline, probes, with_base }: JudgesRecord): string[] {
  const failsWithBase = with_base?.some(({ outcome }) => outcome !== 'completed') === true;
  return [
    ...(failsWithBase ? changed : []),
    ...commands,
    ...inline.map((path) => `${path}: tests`),
    ...probes,
  ];
}

/**
 * If the checks pass and the change edits tests or configuration, they run again with those files restored to the base
 * and without tests that the change adds. If the checks failed at the base, added tests alone are enough for this: a
 * test that replaces the code under test while it is loaded makes the others pass.
 */
export async function compareJudges(
  context: RunContext,
  { judge, rerun, results }: ValidatedChange,
  { commands: traced, passed, failedAtBase }: JudgeFacts,
): Promise<JudgesRecord> {
  const { deps, workspace } = context;
  const tests = deps.project.tests ?? null;
  const restored = new Set(judge.restored);
  const accepted = await acceptedGoldens(context, judge.tree);
  const visible = judge.changes.filter(({ path }) => !restored.has(path) && !accepted.has(path));
  const commands = [...new Set(traced.flatMap(({ changes }) => changes.map(partText)))];
  const known = findChangedJudgeFiles(visible, tests);
  if (!passed) return { changed: known, commands, inline: [], probes: [], with_base: null };
  const wanted = textsToInspect(visible, tests);
  const code = inspectChange(
    visible,
    await deps.workspace.readFiles(workspace, workspace.baseSha, wanted.base),
    await deps.workspace.readFiles(workspace, judge.tree, wanted.now),
    { tests, commands: traced.map(({ words }) => words) },
  );
  const changed = [...new Set([...known, ...code.judges])].sort();
  const added = findAddedTests(visible, tests);
  const record = { changed, commands, inline: code.inline, probes: code.probes };
  const isDecisive = changed.length > 0 || (failedAtBase && added.length > 0);
  if (!isDecisive) return { ...record, with_base: null };
  const asAtBase = new Set([...changed, ...added, ...restored]);
  const again = await rerun((path) => asAtBase.has(path));
  const passing = new Set(results.flatMap(({ last }) => passedCases(last.harnessReport?.value)));
  const withBase = again.map(({ last }) => ({
    id: last.id,
    outcome: last.outcome,
    exit_code: last.exitCode,
    failed_cases: failedCasesOf([last]).filter((id) => passing.size === 0 || passing.has(id)),
  }));
  const fails = again.some(({ last }) => last.outcome !== 'completed');
  // Added tests are named only if the verdict depends on them, since adding tests is usually wanted.
  const decisive = fails && changed.length === 0 ? added : changed;
  return { ...record, changed: decisive, with_base: changed.length > 0 || fails ? withBase : null };
}

function passedCases(report: unknown): string[] {
  const readable = readComparedReport(report);
  return readable === null
    ? []
    : readable.cases.filter(({ status }) => status === 'passed').map(({ id }) => id);
}
