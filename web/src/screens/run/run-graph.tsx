import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { GraphDocument } from '../../../../src/contracts/http/run-page.ts';
import { useDocument } from '../../api/document-cache.ts';
import { runPath, withQuery } from '../../api/paths.ts';
import { formatRoute, type Route } from '../../state/routes.ts';
import { DocumentView } from '../../ui/document-view.tsx';
import { Graph } from '../../ui/graph.tsx';

type RunRoute = Extract<Route, { screen: 'run' }>;

/** What else could have happened. Folded on a phone, where the path as text says enough. */
export function RunGraph({
  route,
  asOf,
}: {
  readonly route: RunRoute;
  readonly asOf: number | null;
}): JSX.Element {
  const [isOpen, setOpen] = useState(() => matchMedia('(min-width: 760px)').matches);
  return (
    <details class="run-graph" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Graph</h2>
      </summary>
      {isOpen ? <GraphOf route={route} asOf={asOf} /> : null}
    </details>
  );
}

function GraphOf({ route, asOf }: { readonly route: RunRoute; readonly asOf: number | null }): JSX.Element {
  const graph = useDocument<GraphDocument>(
    withQuery(`${runPath(route.repo, route.run)}/graph`, { at: asOf }),
  );
  return (
    <DocumentView of={graph} what="the graph" lines={4}>
      {(data) => (
        <Graph
          graph={data}
          legend
          linkOf={(key) => formatRoute({ ...route, step: key, tab: null, file: null, line: null })}
        />
      )}
    </DocumentView>
  );
}
