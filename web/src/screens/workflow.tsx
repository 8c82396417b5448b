import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { WorkflowPage } from '../../../src/contracts/http/workflow-page.ts';
import { useDocument } from '../api/document-cache.ts';
import type { Diagnostic, Proofs } from '../api/documents.ts';
import { ApiError, postJson } from '../api/http.ts';
import { repoPath } from '../api/paths.ts';
import { formatRoute, type Route } from '../state/routes.ts';
import { useTitle } from '../state/title.ts';
import { countOf, formatTokens, formatUsd } from '../text/numbers.ts';
import { formatDuration } from '../text/time.ts';
import type { Verdict } from '../text/verdict.ts';
import { Commands } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { Graph } from '../ui/graph.tsx';
import { Icon } from '../ui/icon.tsx';
import { VerdictText } from '../ui/mark.tsx';
import { Section } from '../ui/section.tsx';
import '../styles/workflow.css';

type WorkflowRoute = Extract<Route, { screen: 'workflow' }>;

const TYPING_MS = 300;

/** Is this workflow right, and what is the worst that it can do? */
export function Workflow({ route }: { readonly route: WorkflowRoute }): JSX.Element {
  const path = `${repoPath(route.repo)}/workflows/${encodeURIComponent(route.workflow)}`;
  const workflow = useDocument<WorkflowPage>(path);
  useTitle(route.workflow, 'workflow');
  return (
    <>
      <a class="back" href={formatRoute({ screen: 'workflows', repo: route.repo })}>
        <Icon name="back" />
        Workflows
      </a>
      <h1>{route.workflow}</h1>
      <DocumentView of={workflow} what="the workflow" lines={8}>
        {(data) => <WorkflowView key={path} route={route} stored={data} />}
      </DocumentView>
    </>
  );
}

function WorkflowView({
  route,
  stored,
}: {
  readonly route: WorkflowRoute;
  readonly stored: WorkflowPage;
}): JSX.Element {
  const [source, setSource] = useState(stored.source);
  const [checked, setChecked] = useState<WorkflowPage>(stored);
  const [error, setError] = useState<ApiError | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const isEdited = source !== stored.source;
  useEffect(() => {
    if (source === checked.source) return undefined;
    const timer = setTimeout(() => {
      postJson<WorkflowPage>(`${repoPath(route.repo)}/workflows/check`, { source }).then(
        (found) => {
          setChecked(found);
          setError(null);
        },
        (cause: unknown) => setError(cause instanceof ApiError ? cause : null),
      );
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [source]);
  const [file] = checked.validation.files;
  const diagnostics = file?.diagnostics ?? [];
  const goTo = (line: number): void => selectLine(area.current, line);
  return (
    <>
      <p class="facts workflow-head">
        <span role="status">
          <VerdictText verdict={verdictOf(diagnostics)} />
        </span>
        <span class="path">{stored.origin === 'built_in' ? 'built in' : stored.path}</span>
        {isEdited ? <span>edited here; nothing is written</span> : null}
      </p>
      <div class="workflow">
        <section aria-label="Source" class="workflow-source">
          <Editor areaRef={area} source={source} diagnostics={diagnostics} onInput={setSource} />
          {isEdited ? (
            <button type="button" class="button" onClick={() => setSource(stored.source)}>
              Undo all edits
            </button>
          ) : null}
        </section>
        <div class="workflow-facts">
          {error === null ? null : (
            <p class="notice tone-attention-edge">The edited text can’t be checked: {error.message}</p>
          )}
          <Diagnostics diagnostics={diagnostics} onGo={goTo} />
          {file?.proofs == null ? null : <ProofList proofs={file.proofs} />}
        </div>
      </div>
      {checked.graph === null ? null : (
        <Section title="Graph">
          <Graph graph={checked.graph} linkOf={null} />
        </Section>
      )}
      <Commands commands={stored.commands} />
    </>
  );
}

/** A plain text area with the line numbers and the marks of the diagnostics beside it. */
function Editor({
  areaRef,
  source,
  diagnostics,
  onInput,
}: {
  readonly areaRef: { current: HTMLTextAreaElement | null };
  readonly source: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly onInput: (source: string) => void;
}): JSX.Element {
  const lines = source.split('\n').length;
  const marks = new Map(diagnostics.map(({ line, severity }) => [line, severity] as const));
  return (
    <div class="editor">
      <div class="editor-lines" aria-hidden="true">
        {Array.from({ length: lines }, (_, index) => {
          const mark = marks.get(index + 1);
          return (
            <div
              key={index}
              class={
                mark === undefined
                  ? ''
                  : mark === 'error'
                    ? 'editor-mark tone-danger'
                    : 'editor-mark tone-attention'
              }
            >
              {index + 1}
            </div>
          );
        })}
      </div>
      <textarea
        ref={areaRef}
        class="source"
        rows={lines}
        wrap="off"
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        aria-label="Source of the workflow"
        value={source}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

function selectLine(area: HTMLTextAreaElement | null, line: number): void {
  if (area === null) return;
  const lines = area.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}

function Diagnostics({
  diagnostics,
  onGo,
}: {
  readonly diagnostics: readonly Diagnostic[];
  readonly onGo: (line: number) => void;
}): JSX.Element | null {
  if (diagnostics.length === 0) return null;
  return (
    <Section title="Diagnostics" count={diagnostics.length}>
      <ul class="diagnostics">
        {diagnostics.map(({ code, severity, message, line, help, notes }, index) => (
          <li key={index} class="diagnostic">
            <button type="button" class="button-text" data-row onClick={() => onGo(line)}>
              line {line}
            </button>
            <div>
              <p>
                <span class={severity === 'error' ? 'tone-danger' : 'tone-attention'}>
                  {severity} {code}
                </span>{' '}
                {message}
              </p>
              {notes.map((note) => (
                <p key={note} class="muted">
                  {note}
                </p>
              ))}
              {help === null ? null : <p class="muted">help: {help}</p>}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function verdictOf(diagnostics: readonly Diagnostic[]): Verdict {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) return { tone: 'danger', word: countOf(errors, 'error') };
  return diagnostics.length > 0
    ? { tone: 'attention', word: countOf(diagnostics.length, 'warning') }
    : { tone: 'success', word: 'no errors' };
}

function ProofList({ proofs }: { readonly proofs: Proofs }): JSX.Element {
  const { worst_case: worst, validated, goldens, dead_routes, loops } = proofs;
  const figures = [
    { name: 'Agent runs', value: String(worst.agent_runs) },
    { name: 'Evaluations', value: String(worst.planner_calls) },
    {
      name: 'Time',
      value: worst.wall_ms === null ? 'unbounded: a gate has no timeout' : formatDuration(worst.wall_ms),
    },
    { name: 'Work', value: formatDuration(worst.work_ms) },
    { name: 'Tokens', value: worst.tokens === null ? 'not bounded' : formatTokens(worst.tokens) },
    { name: 'Cost', value: worst.cost_usd === null ? 'not bounded' : formatUsd(worst.cost_usd) },
  ];
  return (
    <Section title="Proofs">
      <ul class="diagnostics">
        <Proof holds={validated.holds} text="Every success has passed a validation" path={validated.path} />
        <Proof holds={goldens.holds} text="No golden changes without an approval" path={goldens.path} />
        <Proof
          holds={dead_routes.length === 0}
          text={
            dead_routes.length === 0
              ? 'Every route can be taken'
              : `${countOf(dead_routes.length, 'route')} can never be taken`
          }
          path={null}
        />
      </ul>
      {loops.map(({ steps }) => (
        <p key={steps.map(({ step_id }) => step_id).join()} class="muted">
          Loop: {steps.map(({ step_id, max_entries }) => `${step_id} (at most ${max_entries})`).join(' → ')}
        </p>
      ))}
      <table class="table">
        <caption>Worst case of one run</caption>
        <tbody>
          {figures.map(({ name, value }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Proof({
  holds,
  text,
  path,
}: {
  readonly holds: boolean;
  readonly text: string;
  readonly path: readonly { readonly step_id: string; readonly key: string }[] | null;
}): JSX.Element {
  return (
    <li>
      <VerdictText
        verdict={holds ? { tone: 'success', word: 'holds' } : { tone: 'danger', word: 'does not hold' }}
      />{' '}
      {text}
      {holds || path === null ? null : (
        <p class="muted">
          Counterexample: {path.map(({ step_id, key }) => `${step_id} (${key})`).join(' → ')}
        </p>
      )}
    </li>
  );
}
