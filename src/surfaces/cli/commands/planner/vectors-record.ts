import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { plannerDecisionSchema } from '../../../../contracts/planner/planner-decision.ts';
import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import { parseEnvelope } from '../../../../planner/envelope.ts';
import { vectorFrom } from '../../../../planner/vector.ts';
import { readEvidenceJson } from '../../../../runtime/evidence/evidence.ts';
import type { StepView } from '../../../../runtime/record/run-view.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { type OpenRun, openRun } from '../../open.ts';
import { entryName } from '../../output/progress.ts';
import { shortId } from '../../output/terminal.ts';
import { VECTORS_FOLDER } from './vectors.ts';

/** Turns a judgement of a run into a vector, so that it has to be made again from now on. */
export async function recordVector(
  context: VerbContext,
  wanted: string,
  step: string,
  out: string | null,
): Promise<ExitCode> {
  const open = await openRun(context, wanted);
  const judged = judgedStep(open, step);
  const input = parseEnvelope(await readEvidenceJson(open.record.directory, judged, 'planner_input'));
  const decision = plannerDecisionSchema.safeParse(
    await readEvidenceJson(open.record.directory, judged, 'planner_decision'),
  );
  if (!input.ok || !decision.success)
    throw new CliError(
      `the evidence of ${entryName(judged)} can't be read`,
      `conductor verify ${shortId(open.view.runId)} says what is wrong with it`,
      EXIT.failed,
    );
  const name = vectorId(open, judged);
  const path = out ?? join(open.records.repoRoot, VECTORS_FOLDER, `${name}.json`);
  const { workflow_id: workflow } = open.view.started;
  const summary = `${entryName(judged)} of a run of ${workflow} was judged ${decision.data.status}.`;
  const vector = vectorFrom(name, summary, input.envelope, decision.data);
  await writeNew(path, `${JSON.stringify(vector, null, 2)}\n`);
  const shown = relative('.', path);
  if (context.json) printJson(context, { vector_id: name, path: shown, status: decision.data.status });
  else context.terminal.out(`${shown}\n`);
  return EXIT.success;
}

/** `judge` is the last judgement of that step, `judge@2` its second. */
function judgedStep({ view }: OpenRun, wanted: string): StepView {
  const judged = view.steps.filter((step) => step.opcode === 'EVALUATE' && step.termination !== null);
  const found = judged.findLast((step) => entryName(step) === wanted || step.stepId === wanted);
  if (found !== undefined) return found;
  const names = judged.map(entryName);
  if (names.length === 0)
    throw new CliError(`run ${view.runId} has no judgement yet`, 'an EVALUATE step makes one');
  const near = didYouMean(wanted, names);
  throw new CliError(
    `run ${view.runId} has no judgement "${wanted}"`,
    near === null ? `it has ${names.join(', ')}` : `did you mean ${near}?`,
  );
}

function vectorId({ view }: OpenRun, step: StepView): string {
  const entry = step.attempt === 1 ? step.stepId : `${step.stepId}-${step.attempt}`;
  return `${view.started.workflow_id}_${entry}_${shortId(view.runId)}`;
}

/** A vector that is there stays as it is: somebody may have written down why. */
async function writeNew(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CliError(`${path} is there already`, 'remove it first, or name another file with --out');
  }
}
