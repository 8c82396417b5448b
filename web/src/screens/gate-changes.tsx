import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { GateDocument } from '../../../src/contracts/http/gate-documents.ts';
import type { GateRequestView } from '../api/gate-request.ts';
import type { DiffProps } from '../diff/diff-view.tsx';
import { reviewDraft } from '../state/review-draft.ts';
import { formatRoute, gateRoute, type Route } from '../state/routes.ts';
import { useStore } from '../state/store.ts';
import { countOf } from '../text/numbers.ts';
import { ChangeCount } from '../ui/change-count.tsx';
import { Icon } from '../ui/icon.tsx';
import { GateBlock } from './gate-block.tsx';

type GateRoute = Extract<Route, { screen: 'gate' }>;

/** How many files the list names before the diff is opened. */
const MAX_LISTED = 12;

export function GateChanges({
  route,
  gate,
  request,
  isOpen,
}: {
  readonly route: GateRoute;
  readonly gate: GateDocument;
  readonly request: GateRequestView | null;
  readonly isOpen: boolean;
}): JSX.Element {
  const [isShown, setShown] = useState(route.file !== null || matchMedia('(min-width: 1000px)').matches);
  useEffect(() => {
    if (route.file !== null) setShown(true);
  }, [route.file]);
  const draft = reviewDraft(gate.request_sha256);
  const { lines, goldens } = useStore(draft);
  const diff = request?.diff;
  const goldenCount = request?.proposed_goldens?.length ?? 0;
  const decided = Object.keys(goldens).length;
  return (
    <>
      {goldenCount === 0 ? null : (
        <GateBlock title="Goldens">
          <ul class="file-lines">
            <li>
              <a href={formatRoute({ screen: 'goldens', repo: route.repo, run: route.run, golden: null })}>
                <span>Compare old and new: {countOf(goldenCount, 'proposal')}</span>
                <span class="change-count">
                  {decided === 0 ? 'not decided' : `${decided} decided`} <Icon name="chevron" />
                </span>
              </a>
            </li>
          </ul>
        </GateBlock>
      )}
      <GateBlock
        title="Changes"
        note={
          <span class="muted number">
            {diff === undefined ? '' : `${countOf(diff.file_count, 'file')} `}
            {diff === undefined ? null : (
              <ChangeCount insertions={diff.insertions} deletions={diff.deletions} />
            )}
            {lines.length === 0 ? '' : ` · ${countOf(lines.length, 'comment')}`}
          </span>
        }
      >
        {isShown ? (
          <LazyDiff
            repo={route.repo}
            run={route.run}
            step={null}
            version={gate.tree}
            place={route}
            placeUrl={(file, line) => ({ ...gateRoute(route.repo, route.run), file, line })}
            draft={isOpen ? draft : null}
          />
        ) : (
          <>
            <ul class="file-lines">
              {diff?.files.slice(0, MAX_LISTED).map((file) => (
                <li key={file.path}>
                  <a href={formatRoute({ ...gateRoute(route.repo, route.run), file: file.path })}>
                    <span class="path">{file.path}</span>
                    <ChangeCount insertions={file.insertions} deletions={file.deletions} />
                  </a>
                </li>
              ))}
            </ul>
            <button type="button" class="button" onClick={() => setShown(true)}>
              Show the diff
            </button>
          </>
        )}
      </GateBlock>
    </>
  );
}

/** The diff viewer is a download of its own, which the first view of a gate doesn't need. */
function LazyDiff(props: DiffProps): JSX.Element {
  const [View, setView] = useState<ComponentType<DiffProps> | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    import('../diff/diff-view.tsx').then(
      ({ DiffView }) => setView(() => DiffView),
      () => setFailed(true),
    );
  }, []);
  if (hasFailed) return <p class="notice tone-danger-edge">The diff viewer can’t be loaded.</p>;
  return View === null ? <p class="muted">Loading the diff</p> : <View {...props} />;
}
