import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ItemActionDocument } from '../../../src/contracts/http/work-page.ts';
import { fetchDocument, useDocument } from '../api/document-cache.ts';
import type { ItemDocument } from '../api/documents.ts';
import { ApiError, postJson } from '../api/http.ts';
import { repoPath } from '../api/paths.ts';
import { background } from '../state/background.ts';
import { formatRoute, type Route, runRoute } from '../state/routes.ts';
import { useTitle } from '../state/title.ts';
import { plainWaiting, verdictOfCase } from '../text/verdict.ts';
import { Ago } from '../ui/clock.tsx';
import { Commands } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { Icon } from '../ui/icon.tsx';
import { Mark, VerdictText } from '../ui/mark.tsx';
import { Section } from '../ui/section.tsx';
import '../styles/board.css';

type ItemRoute = Extract<Route, { screen: 'item' }>;
type Act = (action: string, body: object) => Promise<void>;

/** What does this item need? */
export function Item({ route }: { readonly route: ItemRoute }): JSX.Element {
  const path = `${repoPath(route.repo)}/items/${encodeURIComponent(route.item)}`;
  const item = useDocument<ItemDocument>(path);
  useTitle(item.data?.item.title ?? null, 'item');
  return (
    <>
      <a class="back" href={formatRoute({ screen: 'board', repo: route.repo })}>
        <Icon name="back" />
        Items
      </a>
      <DocumentView of={item} what="the item" lines={7}>
        {(data) => <ItemView route={route} path={path} data={data} />}
      </DocumentView>
    </>
  );
}

function ItemView({
  route,
  path,
  data,
}: {
  readonly route: ItemRoute;
  readonly path: string;
  readonly data: ItemDocument;
}): JSX.Element {
  const { item, criteria, blockers, body, runs, history } = data;
  const [result, setResult] = useState<{ readonly isOk: boolean; readonly text: string } | null>(null);
  const act: Act = async (action, request) => {
    try {
      const done = await postJson<ItemActionDocument>(`${path}/${action}`, request);
      const text = [done.message, done.help].filter((part) => part !== null).join('. ');
      setResult({ isOk: done.ok, text: text === '' ? (done.ok ? 'Done.' : 'Nothing was changed.') : text });
    } catch (cause) {
      const text =
        cause instanceof ApiError ? [cause.message, cause.help].filter(Boolean).join('. ') : String(cause);
      setResult({ isOk: false, text });
    }
    fetchDocument(path);
  };
  return (
    <>
      <h1>{item.title}</h1>
      <p class="facts">
        <VerdictText
          verdict={{
            tone:
              item.waiting_reason?.needs_user === true
                ? 'needs'
                : item.status === 'closed'
                  ? 'success'
                  : 'neutral',
            word: item.status.replaceAll('-', ' '),
          }}
        />
        {item.waiting === null ? null : <span>{plainWaiting(item)}</span>}
        <span>{item.type}</span>
        <span>{item.priority} priority</span>
        {item.run === null ? null : (
          <a href={formatRoute(runRoute(route.repo, item.run.run_id))}>{item.run.role} is working on it</a>
        )}
      </p>
      {result === null ? null : (
        <p class={`notice ${result.isOk ? '' : 'tone-danger-edge'}`} role="status">
          {result.text}
        </p>
      )}
      <div class="item-columns">
        <div>
          {data.question === null ? null : <Question data={data} act={act} />}
          {criteria.length === 0 ? null : (
            <Section title="Acceptance criteria">
              <ul class="criteria">
                {criteria.map(({ text, done }) => (
                  <li key={text}>
                    <Mark
                      verdict={done ? { tone: 'success', word: 'done' } : { tone: 'neutral', word: 'open' }}
                    />
                    <span>
                      <InlineCode text={text} />
                    </span>
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {blockers.length === 0 ? null : (
            <Section title="Blocked by">
              <ul class="item-list">
                {blockers.map(({ id, title, status, done }) => (
                  <li key={id}>
                    <Mark
                      verdict={
                        done ? { tone: 'success', word: 'done' } : { tone: 'attention', word: 'not done' }
                      }
                    />
                    <a href={formatRoute({ screen: 'item', repo: route.repo, item: id })}>
                      {id} {title} <span class="muted">{status}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Section title="Description">
            <div class="item-body">
              {body.split('\n').map((line, index) => (
                <BodyLine key={index} line={line} />
              ))}
            </div>
          </Section>
          {runs.length === 0 ? null : (
            <Section title="Runs" count={runs.length}>
              <ul class="item-list">
                {runs.map(({ run_id, role, ok, reason }) => (
                  <li key={run_id}>
                    <Mark
                      verdict={
                        ok === null
                          ? { tone: 'running', word: 'running' }
                          : verdictOfCase(ok ? 'passed' : 'failed')
                      }
                    />
                    <a data-row href={formatRoute(runRoute(route.repo, run_id))}>
                      {role} <span class="muted">{reason ?? run_id.slice(0, 8)}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {data.reviews.length === 0 ? null : (
            <Section title="Reviews" count={data.reviews.length}>
              <ul class="item-list">
                {data.reviews.map((review, index) => (
                  <li key={index}>
                    <Icon name="comment" />
                    <span class="pre">{describeReview(review)}</span>
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Section title="History" count={history.length}>
            <ol class="item-list">
              {history
                .toReversed()
                .slice(0, 50)
                .map((event) => (
                  <li key={String(event.seq)}>
                    <Icon name="dash" />
                    <span>
                      {String(event.type).replaceAll('_', ' ')}{' '}
                      {typeof event.at === 'string' ? <Ago at={event.at} isPoint /> : null}
                    </span>
                  </li>
                ))}
            </ol>
          </Section>
        </div>
        <Actions data={data} act={act} />
      </div>
      <Commands commands={data.commands} />
    </>
  );
}

/** Markdown as its author wrote it, except that headings look like some. */
function BodyLine({ line }: { readonly line: string }): JSX.Element {
  const heading = /^#{1,6} +(.+)$/.exec(line)?.[1];
  if (heading !== undefined)
    return (
      <p class="item-heading">
        <InlineCode text={heading} />
      </p>
    );
  const [, box, entry] = /^\s*[-*] +(?:\[([ xX])\] +)?(.+)$/.exec(line) ?? [];
  if (entry !== undefined)
    return (
      <p class="item-entry">
        <span aria-hidden="true">{box === undefined ? '•' : box === ' ' ? '☐' : '☑'}</span>
        <span>
          <InlineCode text={entry} />
        </span>
      </p>
    );
  return line === '' ? <p class="item-gap" /> : <p>{<InlineCode text={line} />}</p>;
}

/** Text between backticks is code, as in the rest of the body nothing else is marked up. */
function InlineCode({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {text
        .split(/`([^`]+)`/)
        .map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
    </>
  );
}

function describeReview(review: Readonly<Record<string, unknown>>): string {
  const { verdict, summary } = review;
  return [verdict, summary].filter((part): part is string => typeof part === 'string').join(': ');
}

/** An answer closes the question, with the chosen option as its reason. */
function Question({ data, act }: { readonly data: ItemDocument; readonly act: Act }): JSX.Element | null {
  const [chosen, setChosen] = useState<number | null>(null);
  const own = useRef<HTMLTextAreaElement>(null);
  const { question, actions } = data;
  if (question === null) return null;
  const answer = (): Promise<void> => {
    const option = chosen === null ? '' : (question.options[chosen] ?? '');
    const text = own.current?.value.trim() ?? '';
    return act('transition', {
      to: 'closed',
      reason: [option, text].filter((part) => part !== '').join('. '),
    });
  };
  return (
    <Section title="Question">
      <p class="pre">{question.text}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          background(answer());
        }}
      >
        <fieldset class="options">
          <legend class="sr-only">Options</legend>
          {question.options.map((option, index) => (
            <label key={option} class="option">
              <input
                type="radio"
                name="option"
                checked={chosen === index}
                onChange={() => setChosen(index)}
              />
              <span>
                {option}
                {question.recommendation !== '' && question.recommendation.startsWith(option) ? (
                  <span class="muted"> recommended</span>
                ) : null}
              </span>
            </label>
          ))}
        </fieldset>
        {question.recommendation === '' ? null : (
          <p class="muted">Recommendation: {question.recommendation}</p>
        )}
        <label>
          <span>In your words (optional)</span>
          <textarea ref={own} rows={2} />
        </label>
        <p class="row-end">
          <button type="submit" class="button is-accent" disabled={!actions.transitions.includes('closed')}>
            Answer
          </button>
        </p>
      </form>
    </Section>
  );
}

function Actions({ data, act }: { readonly data: ItemDocument; readonly act: Act }): JSX.Element {
  const { actions } = data;
  const to = useRef<HTMLSelectElement>(null);
  const reason = useRef<HTMLInputElement>(null);
  const paths = useRef<HTMLInputElement>(null);
  const why = useRef<HTMLInputElement>(null);
  return (
    <aside class="actions" aria-label="Actions">
      {actions.merge ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            background(act('merge', { with_blockers: actions.merge_blockers.length > 0 }));
          }}
        >
          <h2>Merge</h2>
          {actions.merge_blockers.length === 0 ? null : (
            <p class="muted">Merges its approved blockers first: {actions.merge_blockers.join(', ')}</p>
          )}
          <button type="submit" class="button is-accent">
            Merge
          </button>
        </form>
      ) : null}
      {actions.transitions.length === 0 ? null : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            background(
              act('transition', {
                to: to.current?.value ?? '',
                reason: reason.current?.value.trim() ?? '',
              }),
            );
          }}
        >
          <h2>Move</h2>
          <label>
            <span>To</span>
            <select ref={to}>
              {actions.transitions.map((status) => (
                <option key={status} value={status}>
                  {status}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span>Reason</span>
            <input ref={reason} type="text" />
          </label>
          <button type="submit" class="button">
            Move
          </button>
        </form>
      )}
      {actions.scope ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const add = (paths.current?.value ?? '').split(/[\s,]+/).filter((path) => path !== '');
            background(act('scope', { add, reason: why.current?.value.trim() ?? '' }));
          }}
        >
          <h2>Allow further paths</h2>
          <label>
            <span>Paths</span>
            <input ref={paths} type="text" required />
          </label>
          <label>
            <span>Reason</span>
            <input ref={why} type="text" required />
          </label>
          <button type="submit" class="button">
            Allow
          </button>
        </form>
      ) : null}
    </aside>
  );
}
