import type { BaselineRecord } from '../../contracts/baseline.ts';
import type { FileChange } from '../../contracts/workspace-change.ts';
import type { ValidationStep } from '../../kernel/plan.ts';
import {
  type ChangedCommand,
  changedCommand,
  type FileTexts,
  filesOfCommand,
} from '../../policy/judges/changed-command.ts';
import { changedInlineTests, mayHaveInlineTests } from '../../policy/judges/inline-tests.ts';
import { changedJudges, isJudgePath } from '../../policy/judges.ts';
import { maskSecrets } from '../../policy/secrets.ts';
import { relativeToCheckout } from '../../reports/checkout-paths.ts';
import {
  type ComparedReport,
  compareCases,
  moveCases,
  readComparedReport,
} from '../../reports/compare-cases.ts';
import { streamsTail } from '../../reports/output-tail.ts';
import { acceptedGoldens } from '../accepted-goldens.ts';
import { readBaseline } from '../baseline-record.ts';
import { CANNOT_START } from '../baseline-verdict.ts';
import type { CheckFacts, JudgesRecord } from '../check-record.ts';
import type { RunContext } from '../run-context.ts';
import { commandLines, wordsOf } from './command-lines.ts';
import type { PreparedJudge } from './judge-checkout.ts';
import { keyOfValidator } from './run-validators.ts';
import { failedCasesOf, type TriedValidator } from './validator-tries.ts';

export interface FactsRequest {
  readonly step: ValidationStep;
  readonly results: readonly TriedValidator[];
  readonly judge: PreparedJudge;
  /** Runs the validators once more, with these paths as at the base. */
  readonly rerun: (asAtBase: (path: string) => boolean) => Promise<readonly TriedValidator[]>;
}

/** A file that decides what a command means may lead to others; more rounds than this are not followed. */
const MAX_ROUNDS = 8;

/** What is known about the checks beyond their exit codes: the base, the judges, the number of cases. */
export async function collectFacts(context: RunContext, request: FactsRequest): Promise<CheckFacts> {
  const { step, results, judge } = request;
  const baseline = await readBaseline(context);
  const passed = results.every(({ last }) => last.outcome === 'completed');
  const commands = await compareCommands(context, step, judge);
  const judges = await compareJudges(context, request, commands, passed);
  const environment = environmentFailures(step, results, judge, commands, baseline);
  const now = reportsNow(results);
  const atBase = moveCases(reportsAtBase(step, baseline), now, await renamedFiles(context, judge));
  const compared = compareCases(atBase, now, { validatorFailed: !passed });
  return {
    tree: judge.tree,
    commands: await commandLines(context, step, judge.tree),
    output: await outputsOf(context, results, judge.path),
    report_sources: results.flatMap(({ last }) => (last.harnessReport === null ? [] : [last.id])),
    baseline: compared.baseline,
    regressions: [...compared.regressions],
    judge_changed: judgeChanged(judges),
    fewer_checks: compared.fewerChecks,
    environment_failures: environment,
    judges,
    tests_show_nothing: passed && compared.testsShowNothing,
    setup_keys: [...judge.changedKeys],
  };
}

/** Changed paths that a passing verdict depends on. */
function judgeChanged({ changed, commands, inline, with_base }: JudgesRecord): string[] {
  const failsWithBase = with_base?.some(({ outcome }) => outcome !== 'completed') === true;
  return [...(failsWithBase ? changed : []), ...commands, ...inline.map((path) => `${path}: tests`)];
}

/** If the checks pass, and the change edits what decides them, they run once more with those files as at the base. */
async function compareJudges(
  context: RunContext,
  { judge, rerun, results }: FactsRequest,
  traced: readonly TracedCommand[],
  passed: boolean,
): Promise<JudgesRecord> {
  const restored = new Set(judge.restored);
  const accepted = await acceptedGoldens(context, judge.tree);
  const visible = judge.changes.filter(({ path }) => !restored.has(path) && !accepted.has(path));
  const changed = changedJudges(visible, context.deps.project.tests ?? null);
  const commands = [...new Set(traced.flatMap(({ changes }) => changes.map(partText)))];
  const inline = await changedTestsInCode(context, visible, judge.tree);
  if (!passed || changed.length === 0) return { changed, commands, inline, with_base: null };
  const asAtBase = new Set([...changed, ...restored]);
  const again = await rerun((path) => asAtBase.has(path));
  const passing = new Set(results.flatMap(({ last }) => caseIds(last.harnessReport?.value, 'passed')));
  const withBase = again.map(({ last }) => ({
    id: last.id,
    outcome: last.outcome,
    exit_code: last.exitCode,
    failed_cases: failedCasesOf([last]).filter((id) => passing.size === 0 || passing.has(id)),
  }));
  return { changed, commands, inline, with_base: withBase };
}

/** Files of code that lost or changed a test inside of them. */
async function changedTestsInCode(
  { deps, workspace }: RunContext,
  changes: readonly FileChange[],
  tree: string,
): Promise<string[]> {
  const tests = deps.project.tests ?? null;
  const paths = changes.filter(({ path }) => mayHaveInlineTests(path) && !isJudgePath(path, tests));
  const old = paths.filter(({ status }) => status !== 'A').map(({ path }) => path);
  if (old.length === 0) return [];
  const left = paths.filter(({ status }) => status !== 'D').map(({ path }) => path);
  const base = await deps.workspace.readFiles(workspace, workspace.baseSha, old);
  return changedInlineTests(base, await deps.workspace.readFiles(workspace, tree, left));
}

function partText({ path, part }: ChangedCommand): string {
  return part === null ? path : `${path}: ${part}`;
}

interface TracedCommand {
  readonly id: string;
  /** Files that define what the command does. */
  readonly files: readonly string[];
  readonly changes: readonly ChangedCommand[];
}

async function compareCommands(
  context: RunContext,
  step: ValidationStep,
  judge: PreparedJudge,
): Promise<readonly TracedCommand[]> {
  const changed = judge.changes.map(({ path }) => path);
  if (changed.length === 0) return [];
  const traced: TracedCommand[] = [];
  for (const planned of step.validators) {
    const command = wordsOf(context, planned);
    if (command === null) continue;
    const place = {
      changed,
      tests: context.deps.project.tests ?? null,
      folder: planned.kind === 'script' ? (planned.cwd ?? '') : '',
    };
    const texts = await readDefinition(context, judge, command, place);
    const changes = changedCommand(command, texts.base, texts.now, place);
    traced.push({ id: planned.id, files: [...texts.base.keys()], changes });
  }
  return traced;
}

/** The files that define a command, followed from one to the next, at the base and now. */
async function readDefinition(
  { deps, workspace }: RunContext,
  judge: PreparedJudge,
  command: readonly string[],
  place: Parameters<typeof filesOfCommand>[2],
): Promise<{ readonly base: FileTexts; readonly now: FileTexts }> {
  let base: FileTexts = new Map();
  let now: FileTexts = new Map();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const wanted = filesOfCommand(command, base, place);
    if (wanted.length === 0) break;
    const atBase = await deps.workspace.readFiles(workspace, workspace.baseSha, wanted);
    // Only files that the change touches can differ.
    const touched = wanted.filter((path) => judge.changes.some((change) => change.path === path));
    const changedTexts = await deps.workspace.readFiles(workspace, judge.tree, touched);
    base = new Map([...base, ...atBase]);
    now = new Map([...now, ...atBase, ...changedTexts]);
  }
  return { base, now };
}

/** A validator that ran at the base and can't start now, although the change touches nothing that defines it. */
function environmentFailures(
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

/** The end of what failed validators printed. */
async function outputsOf(
  { deps, directory }: RunContext,
  results: readonly TriedValidator[],
  checkout: string,
): Promise<Record<string, string>> {
  const outputs: [string, string][] = [];
  for (const { last } of results) {
    if (last.outcome === 'completed') continue;
    // Before the tail is cut: half of a secret would not be found any more.
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

function reportsAtBase(
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

function reportsNow(results: readonly TriedValidator[]): ReadonlyMap<string, ComparedReport> {
  const reports = new Map<string, ComparedReport>();
  for (const { last } of results) {
    const report = readComparedReport(last.harnessReport?.value ?? null);
    if (report !== null) reports.set(last.id, report);
  }
  return reports;
}

/** From the old to the new path. */
async function renamedFiles(
  { deps, workspace, view }: RunContext,
  { tree }: PreparedJudge,
): Promise<ReadonlyMap<string, string>> {
  const { files } = await deps.workspace.diff(workspace, view().started.base_tree, tree);
  return new Map(files.flatMap(({ oldPath, path }) => (oldPath === null ? [] : [[oldPath, path] as const])));
}

function caseIds(report: unknown, status: string): string[] {
  const readable = readComparedReport(report);
  return readable === null ? [] : readable.cases.filter((each) => each.status === status).map(({ id }) => id);
}
