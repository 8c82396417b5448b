import type { JSX } from 'preact';
import type { WorkflowsDocument } from '../../../src/contracts/http/workflow-page.ts';
import { useDocument } from '../api/document-cache.ts';
import { repoPath } from '../api/paths.ts';
import { formatRoute, type Route } from '../state/routes.ts';
import { useTitle } from '../state/title.ts';
import { Commands } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { Mark } from '../ui/mark.tsx';
import '../styles/home.css';

const ORIGINS = { repository: 'this repository', user: 'your settings', built_in: 'built in' } as const;

/** What can be run here? */
export function Workflows({
  route,
}: {
  readonly route: Extract<Route, { screen: 'workflows' }>;
}): JSX.Element {
  const workflows = useDocument<WorkflowsDocument>(`${repoPath(route.repo)}/workflows`);
  useTitle(null, 'workflows');
  return (
    <>
      <h1>Workflows</h1>
      <DocumentView of={workflows} what="the workflows" lines={6}>
        {(data) => (
          <ul class="lines">
            {data.workflows.map(({ id, path, origin, description, ok, shadowed }) => (
              <li key={`${origin}${path}`} class="line-item">
                <Mark
                  verdict={
                    ok ? { tone: 'success', word: 'no errors' } : { tone: 'danger', word: 'has errors' }
                  }
                />
                <div class="line-text">
                  <a
                    class="line-title"
                    data-row
                    href={formatRoute({ screen: 'workflow', repo: route.repo, workflow: id })}
                  >
                    {id}
                  </a>
                  <p>{description}</p>
                  <p class="facts">
                    <span>{ORIGINS[origin]}</span>
                    {origin === 'built_in' ? null : <span class="path">{path}</span>}
                    {shadowed ? <span>another of this name runs instead</span> : null}
                  </p>
                </div>
              </li>
            ))}
          </ul>
        )}
      </DocumentView>
      <Commands commands={['conductor run --help']} />
    </>
  );
}
