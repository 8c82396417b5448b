import { UNABLE } from '../effects/validation/baseline-verdict.ts';
import type { BaselineView, NoticeView } from './run-view.ts';

/** The result of the baseline in one sentence: `2 of 14 tests already fail at the base`. */
export function baselineText(baseline: BaselineView): string {
  const left = baseline.validators.filter(({ ran }) => !ran);
  const notes = [
    ...left.map(({ id, reason }) => `\`${id}\` did not run${reason === null ? '' : `: ${reason}`}`),
    ...(baseline.cached ? ['kept from an earlier run'] : []),
  ];
  return [baselineVerdict(baseline), ...notes].join('; ');
}

/** The result alone, without skipped validators and without its origin. */
export function baselineVerdict({ outcome, validators, cases, reason }: BaselineView): string {
  switch (outcome) {
    case 'off':
      return 'switched off';
    case 'unable': {
      // Only the first line: the end of the run has the full reason with the output of the checks.
      const [detail] = (reason ?? '').replace(UNABLE, '').trim().split('\n');
      return detail === undefined || detail === '' ? UNABLE : `${UNABLE}: ${detail}`;
    }
    case 'green': {
      if (cases !== null && cases.total > 0)
        return cases.total === 1
          ? 'the only test passes at the base'
          : `all ${cases.total} tests pass at the base`;
      const names = validators.filter(({ ran }) => ran).map(({ id }) => id);
      return names.length === 0
        ? 'no check ran at the base'
        : `${joinNames(names, 'passes', 'pass')} at the base`;
    }
    case 'red': {
      if (cases !== null && cases.failing > 0) return failingText(cases);
      const names = validators.filter(({ ran, outcome: how }) => ran && how !== 'completed');
      return `${joinNames(
        names.map(({ id }) => id),
        'already fails',
        'already fail',
      )} at the base`;
    }
  }
}

/** `2 of 14 tests already fail at the base` */
export function failingText({
  failing,
  total,
}: {
  readonly failing: number;
  readonly total: number;
}): string {
  return `${failing} of ${total} tests already ${failing === 1 ? 'fails' : 'fail'} at the base`;
}

function joinNames(names: readonly string[], singular: string, plural: string): string {
  return `${names.map((name) => `\`${name}\``).join(', ')} ${names.length === 1 ? singular : plural}`;
}

/** Describes a notice in one sentence, with the old and the new value. */
export function noticeText({ kind, subject, stepId, message, salvage_ref, ...values }: NoticeView): string {
  if (kind !== 'checkout_changed') return message;
  const kept = salvage_ref === null ? '' : `; the old value is kept in ${salvage_ref}`;
  const when = stepId === null ? 'while the run went on' : `while \`${stepId}\` ran`;
  return `changed in your checkout ${when}; conductor can't tell by whom: ${subject}${describeChange(values)}${kept}`;
}

function describeChange({ old, new: now }: Pick<NoticeView, 'old' | 'new'>): string {
  if (old === null && now === null) return '';
  if (old === null) return ` (new: ${shorten(now ?? '')})`;
  return now === null ? ` (deleted, was ${shorten(old)})` : ` (${shorten(old)} → ${shorten(now)})`;
}

const SHORT_SHA = 12;

/** Shortens commit ids as git does; leaves other values unchanged. */
function shorten(value: string): string {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value.slice(0, SHORT_SHA) : value;
}
