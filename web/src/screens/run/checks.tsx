import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type {
  CaseFilter,
  CheckedCase,
  ChecksDocument,
} from '../../../../src/contracts/http/evidence-page.ts';
import { useDocument } from '../../api/document-cache.ts';
import { getJson } from '../../api/http.ts';
import { stepPath, withQuery } from '../../api/paths.ts';
import { countOf, formatCount } from '../../text/numbers.ts';
import { formatDuration } from '../../text/time.ts';
import { type Verdict, verdictOfCase, verdictOfStep } from '../../text/verdict.ts';
import { Command } from '../../ui/command.tsx';
import { DocumentView, Failure } from '../../ui/document-view.tsx';
import { Mark, VerdictText } from '../../ui/mark.tsx';
import { useRanges } from '../../ui/ranges.ts';
import { VirtualRows } from '../../ui/virtual-rows.tsx';

interface Of {
  readonly repo: string;
  readonly run: string;
  readonly step: string;
  readonly version: string;
}

const PAGE = 200;

/** The validators, what changed against the base, and every case. */
export function Checks(of: Of): JSX.Element {
  const path = `${stepPath(of.repo, of.run, of.step)}/checks`;
  const head = useDocument<ChecksDocument>(withQuery(path, { limit: 1 }));
  return (
    <DocumentView of={head} what="the checks" lines={6}>
      {(data) => (
        <>
          <Validators checks={data} />
          {data.counts.total === 0 ? null : (
            <Cases key={path} path={path} version={of.version} checks={data} />
          )}
          {data.notes.length === 0 ? null : (
            <details class="check-notes">
              <summary>How far these checks can be trusted</summary>
              <ul>
                {data.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </DocumentView>
  );
}

function Validators({ checks }: { readonly checks: ChecksDocument }): JSX.Element {
  return (
    <ul class="validators">
      {checks.validators.map(
        ({ id, outcome, exit_code, duration_ms, reason, counts, baseline, flaky, tries }) => (
          <li key={id} class="validator">
            <Mark verdict={verdictOfStep(outcome)} silent />
            <strong>{id}</strong>
            <span class="facts">
              <span class={`tone-${verdictOfStep(outcome).tone}`}>
                {outcome === 'completed' ? 'passed' : verdictOfStep(outcome).word}
                {exit_code === null || exit_code === 0 ? '' : `, exit ${exit_code}`}
              </span>
              {counts === null ? null : (
                <span class="number">{`${formatCount(counts.passed)} of ${formatCount(counts.total)} passed`}</span>
              )}
              {flaky ? <span class="tone-attention">{`passed on try ${tries}`}</span> : null}
              {duration_ms === null ? null : <span class="number">{formatDuration(duration_ms)}</span>}
              <span>{describeBaseline(baseline)}</span>
              {reason === null ? null : <span>{reason}</span>}
            </span>
          </li>
        ),
      )}
    </ul>
  );
}

function describeBaseline(baseline: ChecksDocument['validators'][number]['baseline']): string {
  if (baseline === null || !baseline.ran) return 'not run on the base';
  const result = baseline.outcome === 'completed' ? 'passed' : verdictOfStep(baseline.outcome).word;
  const { counts } = baseline;
  return counts === null
    ? `on the base: ${result}`
    : `on the base: ${formatCount(counts.passed)} of ${formatCount(counts.total)} passed`;
}

function Cases({
  path,
  version,
  checks,
}: {
  readonly path: string;
  readonly version: string;
  readonly checks: ChecksDocument;
}): JSX.Element {
  const { counts, changes } = checks;
  const changed = changes.regressions + changes.fixed + changes.added + changes.missing;
  const [filter, setFilter] = useState<CaseFilter>(counts.failed > 0 ? 'failed' : 'all');
  const ranges = useRanges<CheckedCase>(`${path} ${filter}`, version, PAGE, async (offset, limit) => {
    const found = await getJson<ChecksDocument>(withQuery(path, { filter, offset, limit }));
    return { rows: found.cases, total: found.total };
  });
  const filters: { readonly id: CaseFilter; readonly text: string; readonly count: number }[] = [
    { id: 'all', text: 'All', count: counts.total },
    { id: 'failed', text: 'Failed', count: counts.failed },
    { id: 'changed', text: 'Changed', count: changed },
    { id: 'skipped', text: 'Skipped', count: counts.skipped },
    { id: 'flaky', text: 'Flaky', count: counts.flaky },
  ];
  return (
    <>
      <p class="case-changes">
        {changes.regressions > 0 ? (
          <VerdictText verdict={{ tone: 'danger', word: countOf(changes.regressions, 'regression') }} />
        ) : (
          <VerdictText verdict={{ tone: 'success', word: 'no regression' }} />
        )}
        <span class="muted number">
          {[
            changes.fixed > 0 ? `${changes.fixed} fixed` : '',
            changes.added > 0 ? `${changes.added} added` : '',
            changes.missing > 0 ? `${changes.missing} missing` : '',
          ]
            .filter((text) => text !== '')
            .join(', ')}
        </span>
      </p>
      <fieldset class="segments">
        <legend class="sr-only">Cases</legend>
        {filters
          .filter(({ id, count }) => count > 0 || id === 'all' || id === filter)
          .map(({ id, text, count }) => (
            <button
              key={id}
              type="button"
              class="segment"
              aria-pressed={filter === id}
              onClick={() => setFilter(id)}
            >
              {text} <span class="number">{formatCount(count)}</span>
            </button>
          ))}
      </fieldset>
      {ranges.error === null ? null : <Failure error={ranges.error} what="the cases" />}
      <VirtualRows
        label="Cases"
        count={ranges.total ?? 0}
        estimate={() => 36}
        keyOf={(index) => `${filter}${index}`}
        onRange={ranges.need}
        row={(index) => <Case found={ranges.get(index)} />}
      />
    </>
  );
}

const CHANGE_WORDS: Readonly<Record<string, string>> = {
  regression: 'passed on the base',
  fixed: 'failed on the base',
  added: 'new',
  missing: 'ran on the base only',
};

function Case({ found }: { readonly found: CheckedCase | undefined }): JSX.Element {
  if (found === undefined) return <p class="case muted">…</p>;
  const { name, status, change, message, place, repro } = found;
  const verdict: Verdict =
    status === 'flaky' || status === 'missing' ? { tone: 'attention', word: status } : verdictOfCase(status);
  const note = change === null ? undefined : CHANGE_WORDS[change];
  return (
    <div class="case">
      <Mark verdict={verdict} />
      <div>
        <p data-row tabIndex={-1}>
          {name} {note === undefined ? null : <span class={`case-note tone-${verdict.tone}`}>{note}</span>}
        </p>
        {message === null ? null : <pre class="case-message">{message}</pre>}
        {place === null ? null : <p class="path muted">{place}</p>}
        {repro === null ? null : <Command text={repro} />}
      </div>
    </div>
  );
}
