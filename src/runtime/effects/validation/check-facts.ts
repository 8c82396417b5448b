import type { BaselineRecord } from '../../../contracts/run/baseline.ts';
import type { ValidationStep } from '../../../kernel/plan.ts';
import { textsToInspect } from '../../../policy/judges/inspect-change.ts';
import { maskSecrets } from '../../../policy/secrets/secrets.ts';
import { relativeToCheckout } from '../../../reports/checkout-paths.ts';
import {
  type ComparedReport,
  compareCases,
  moveCases,
  readComparedReport,
} from '../../../reports/compare-cases.ts';
import { streamsTail } from '../../../reports/output-tail.ts';
import type { RunContext } from '../../run-context.ts';
import type { CheckFacts } from '../../verify/check-record.ts';
import { readBaseline } from './baseline-record.ts';
import { CANNOT_START } from './baseline-verdict.ts';
import { formatCommandLines } from './command-lines.ts';
import { compareCommands, type TracedCommand } from './compare-commands.ts';
import { compareJudges, listChangedJudges, type ValidatedChange } from './compare-judges.ts';
import type { PreparedJudge } from './judge-checkout.ts';
import { forgivenIds } from './optional-validators.ts';
import { keyOfValidator } from './run-validators.ts';
import type { TriedValidator } from './validator-tries.ts';

export interface FactsRequest extends ValidatedChange {
  readonly step: ValidationStep;
}

/** Collects facts about the checks beyond exit codes: the baseline, changed tests and commands, the number of cases. */
export async function collectFacts(context: RunContext, request: FactsRequest): Promise<CheckFacts> {
  const { step, results, judge } = request;
  const baseline = await readBaseline(context);
  const passed = results.every(({ last }) => last.outcome === 'completed');
  const inspected = passed ? textsToInspect(judge.changes, context.deps.project.tests ?? null).base : [];
  const commands = await compareCommands(context, step, judge, inspected);
  const judges = await compareJudges(context, request, {
    commands,
    passed,
    failedAtBase: baseline?.outcome === 'red',
  });
  const environment = findEnvironmentFailures(step, results, judge, commands, baseline);
  const now = collectReports(results);
  const atBase = moveCases(readReportsAtBase(step, baseline), now, await findRenamedFiles(context, judge));
  const compared = compareCases(atBase, now, { validatorFailed: !passed });
  return {
    tree: judge.tree,
    commands: await formatCommandLines(context, step, judge.tree),
    output: await readOutputs(context, results, judge.path),
    report_sources: results.flatMap(({ last }) => (last.harnessReport === null ? [] : [last.id])),
    baseline: compared.baseline,
    regressions: [...compared.regressions],
    judge_changed: listChangedJudges(judges),
    fewer_checks: compared.fewerChecks,
    environment_failures: environment,
    known_failures: forgivenIds(results),
    judges,
    tests_show_nothing: passed && compared.testsShowNothing,
    setup_keys: [...judge.changedKeys],
  };
}

/** Validators that ran at the base and can't start now, although the change doesn't touch their definition. */
function findEnvironmentFailures(
  step: ValidationStep,
  results: readonly TriedValidator[],
  judge: PreparedJudge,
  traced: readonly TracedCommand[],
  baseline: BaselineRecord | null,
): string[] {
  const touched = new Set(judge.changes.map(({ path }) => path));
  return results.flatMap(({ last }) => {
    const code = last.exitCode ?? last.startCode ?? null;
    if (code === null || !CANNOT_START.includes(code)) return [];
    const planned = step.validators.find(({ id }) => id === last.id);
    if (planned === undefined) return [];
    const key = keyOfValidator(step.id, planned);
    const atBase = baseline?.validators.find((entry) => entry.key === key);
    const ranAtBase = atBase?.ran === true && !CANNOT_START.includes(atBase.exit_code ?? -1);
    const files = traced.find(({ id }) => id === last.id)?.files ?? [];
    const isTouched = judge.changedKeys.length > 0 || files.some((path) => touched.has(path));
    return ranAtBase && !isTouched ? [last.id] : [];
  });
}

/** The last output of each failed validator. */
async function readOutputs(
  { deps, directory }: RunContext,
  results: readonly TriedValidator[],
  checkout: string,
): Promise<Record<string, string>> {
  const outputs: [string, string][] = [];
  for (const { last } of results) {
    if (last.outcome === 'completed') continue;
    // Masked before the tail is cut: half a secret would not be recognised.
    const read = async (path: string | null) => {
      const printed = path === null ? null : await directory.read(path.slice(directory.path.length + 1));
      return maskSecrets(printed ?? '', deps.project.secrets ?? []);
    };
    const tail = streamsTail(await read(last.stdoutPath), await read(last.stderrPath));
    const text = relativeToCheckout(tail, [checkout]);
    outputs.push([last.id, text === '' ? (last.reason ?? '') : text]);
  }
  return Object.fromEntries(outputs);
}

function readReportsAtBase(
  step: ValidationStep,
  baseline: BaselineRecord | null,
): ReadonlyMap<string, ComparedReport> {
  const reports = new Map<string, ComparedReport>();
  for (const planned of step.validators) {
    const key = keyOfValidator(step.id, planned);
    const found = baseline?.validators.find((entry) => entry.key === key);
    const report = readComparedReport(found?.report ?? null);
    if (report !== null) reports.set(planned.id, report);
  }
  return reports;
}

function collectReports(results: readonly TriedValidator[]): ReadonlyMap<string, ComparedReport> {
  const reports = new Map<string, ComparedReport>();
  for (const { last } of results) {
    const report = readComparedReport(last.harnessReport?.value ?? null);
    if (report !== null) reports.set(last.id, report);
  }
  return reports;
}

/** Maps old paths to new ones. */
async function findRenamedFiles(
  { deps, workspace, view }: RunContext,
  { tree }: PreparedJudge,
): Promise<ReadonlyMap<string, string>> {
  const { files } = await deps.workspace.diff(workspace, view().started.base_tree, tree);
  return new Map(files.flatMap(({ oldPath, path }) => (oldPath === null ? [] : [[oldPath, path] as const])));
}
