import type { JSX } from 'preact';
import type { RunPage, StepLine } from '../../../../src/contracts/http/run-page.ts';
import { connection } from '../../api/stream.ts';
import { formatRoute, type Route } from '../../state/routes.ts';
import { useStore } from '../../state/store.ts';
import { formatCost } from '../../text/numbers.ts';
import { formatClock, formatDuration } from '../../text/time.ts';
import { type Verdict, verdictOfStep } from '../../text/verdict.ts';
import { Elapsed } from '../../ui/clock.tsx';
import { Mark } from '../../ui/mark.tsx';

type RunRoute = Extract<Route, { screen: 'run' }>;

/** The step that the URL names, or the one a reader most likely wants: the current one, else the last with evidence. */
export function chooseStep(run: RunPage, key: string | null): StepLine | null {
  const named = run.steps.find((step) => step.key === key);
  if (named !== undefined) return named;
  const open = run.steps.findLast(({ state }) => state !== 'ended');
  const withEvidence = run.steps.findLast(({ opcode }) => opcode !== 'STOP' && opcode !== 'GATE');
  return open ?? withEvidence ?? run.steps.at(-1) ?? null;
}

export function verdictOfLine({ state, termination, opcode }: StepLine): Verdict {
  switch (state) {
    case 'waiting':
      return { tone: 'needs', word: 'waiting for approval' };
    case 'parked':
      return { tone: 'neutral', word: 'parked' };
    case 'interrupted':
      return { tone: 'attention', word: 'interrupted' };
    case 'running':
      return { tone: 'running', word: 'running' };
    case 'ended':
      if (termination === null) return { tone: 'neutral', word: 'ended' };
      if (opcode === 'RUN_VALIDATION' && termination === 'completed')
        return { tone: 'success', word: 'passed' };
      if (opcode === 'RUN_VALIDATION' && termination === 'error') return { tone: 'danger', word: 'failed' };
      return verdictOfStep(termination);
  }
}

export function Steps({
  route,
  run,
  selected,
}: {
  readonly route: RunRoute;
  readonly run: RunPage;
  readonly selected: string | null;
}): JSX.Element {
  return (
    <section aria-label="Steps">
      <ol class="steps">
        {run.steps.map((step) => (
          <StepRow key={step.key} route={route} step={step} isSelected={step.key === selected} />
        ))}
      </ol>
    </section>
  );
}

function StepRow({
  route,
  step,
  isSelected,
}: {
  readonly route: RunRoute;
  readonly step: StepLine;
  readonly isSelected: boolean;
}): JSX.Element {
  const link = useStore(connection);
  const verdict = verdictOfLine(step);
  const isRunning = step.state === 'running';
  const isStale = isRunning && link.state === 'lost' && link.heardAt !== null;
  return (
    <li>
      <a
        class={`step${isSelected ? ' is-selected' : ''}`}
        data-row
        aria-current={isSelected ? 'true' : undefined}
        href={formatRoute({ ...route, step: step.key, file: null, line: null })}
      >
        <Mark verdict={verdict} silent />
        <span class="step-name">
          {step.step_id}
          {step.attempt > 1 ? <span class="muted"> attempt {step.attempt}</span> : null}
        </span>
        <span class="step-time number muted">
          {step.duration_ms !== null ? (
            formatDuration(step.duration_ms)
          ) : isRunning && !isStale && route.at === null ? (
            <Elapsed since={step.started_at} />
          ) : null}
        </span>
        <span class={`step-result tone-${verdict.tone}`}>
          {verdict.word}
          {isStale && link.heardAt !== null ? ` as of ${formatClock(link.heardAt)}` : ''}
          {step.recovery ? ', after a crash' : ''}
        </span>
        <span class="step-cost number muted">
          {step.spend === null ? '' : formatCost(step.spend.cost_usd, step.spend.unknown.cost_usd)}
        </span>
      </a>
    </li>
  );
}
