import type { WorkspaceDiff } from '../../contracts/run/workspace-change.ts';
import { lifecycleOf } from '../../runtime/record/derived-files.ts';
import type { AnswerView, NoticeView, RunView, StepView } from '../../runtime/record/run-view.ts';

/** The document of `run --json` and `show --json`. */
export function runDocument(
  view: RunView,
  runDirectory: string,
  findings: readonly string[],
): Readonly<Record<string, unknown>> {
  const { usage } = view.state;
  const flaky = view.steps.flatMap(flakyOf);
  return {
    run_id: view.runId,
    title: view.title,
    workflow_id: view.started.workflow_id,
    lifecycle_state: lifecycleOf(view),
    outcome: view.end?.outcome ?? null,
    termination: view.end?.termination ?? null,
    last_step_id: view.steps.at(-1)?.stepId ?? null,
    steps: view.steps.map((step) => ({
      step_id: step.stepId,
      opcode: step.opcode,
      attempt: step.attempt,
      termination: step.termination,
      duration_ms:
        step.endedAt === null ? null : Math.max(0, Date.parse(step.endedAt) - Date.parse(step.startedAt)),
    })),
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cost_usd: usage.costUsd,
    },
    run_directory: runDirectory,
    ...(view.setup.length === 0 ? {} : { setup: view.setup }),
    ...(view.baseline === null ? {} : { baseline: view.baseline }),
    ...(view.notices.length === 0 ? {} : { notices: view.notices.map(noticeOf) }),
    ...(view.answers.length === 0 ? {} : { answers: view.answers.map(answerOf) }),
    ...(flaky.length === 0 ? {} : { flaky }),
    ...(findings.length === 0 ? {} : { findings }),
  };
}

function noticeOf({ stepId, seq, ...notice }: NoticeView) {
  return { step_id: stepId, seq, ...notice };
}

function answerOf({ stepId, answer, attempt, by, comment, answered_at, from }: AnswerView) {
  return { step_id: stepId, attempt, answer, by, comment, answered_at, from: from ?? null };
}

function flakyOf({ stepId, attempt, flaky }: StepView) {
  return flaky.map(({ id, itself, tries, cases }) => ({
    step_id: stepId,
    attempt,
    validator: id,
    itself,
    tries,
    cases,
  }));
}

/** The changed files in the documents of `diff --json` and `undo --json`. */
export function diffDocument({ files, insertions, deletions }: WorkspaceDiff) {
  return {
    files: files.map(({ oldPath, oldMode, newMode, ...file }) => ({
      ...file,
      old_path: oldPath,
      old_mode: oldMode,
      new_mode: newMode,
    })),
    insertions,
    deletions,
  };
}
