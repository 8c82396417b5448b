import type { JSX } from 'preact';
import type { GoldensDocument } from '../../../src/contracts/http/evidence-page.ts';
import type { GateDocument } from '../../../src/contracts/http/gate-documents.ts';
import type { RunPage } from '../../../src/contracts/http/run-page.ts';
import { useDocument } from '../api/document-cache.ts';
import { runPath } from '../api/paths.ts';
import { useKeys } from '../state/keys.ts';
import { navigate } from '../state/navigation.ts';
import { type ReviewDraft, reviewDraft } from '../state/review-draft.ts';
import { formatRoute, gateRoute, type Route, runRoute } from '../state/routes.ts';
import { createStore, useStore } from '../state/store.ts';
import { useTitle } from '../state/title.ts';
import { countOf } from '../text/numbers.ts';
import type { Verdict } from '../text/verdict.ts';
import { Commands } from '../ui/command.tsx';
import { DocumentView } from '../ui/document-view.tsx';
import { Icon } from '../ui/icon.tsx';
import { Mark } from '../ui/mark.tsx';
import { PictureCompare } from './goldens/picture-compare.tsx';
import '../styles/goldens.css';

type GoldensRoute = Extract<Route, { screen: 'goldens' }>;
type Golden = GoldensDocument['goldens'][number];

const NO_DRAFT = createStore<ReviewDraft>({ lines: [], goldens: {} });

/** Which of the new results are right? */
export function Goldens({ route }: { readonly route: GoldensRoute }): JSX.Element {
  const path = runPath(route.repo, route.run);
  const goldens = useDocument<GoldensDocument>(`${path}/goldens`);
  const run = useDocument<RunPage>(path);
  const gate = useDocument<GateDocument>(`${path}/gate`);
  const isOpen =
    gate.data !== null && gate.error === null && gate.data.answer === null && !gate.data.is_expired;
  useTitle(gate.data?.title ?? null, 'goldens');
  return (
    <>
      <a
        class="back"
        href={formatRoute(isOpen ? gateRoute(route.repo, route.run) : runRoute(route.repo, route.run))}
      >
        <Icon name="back" />
        {isOpen ? 'Gate' : 'Run'}
      </a>
      <h1>Goldens</h1>
      <DocumentView of={goldens} what="the goldens" lines={6}>
        {(data) => <GoldenList route={route} goldens={data.goldens} gate={isOpen ? gate.data : null} />}
      </DocumentView>
      <Commands commands={[`conductor goldens ${run.data?.short_id ?? route.run}`]} />
    </>
  );
}

function GoldenList({
  route,
  goldens,
  gate,
}: {
  readonly route: GoldensRoute;
  readonly goldens: readonly Golden[];
  readonly gate: GateDocument | null;
}): JSX.Element {
  const draft = gate === null ? NO_DRAFT : reviewDraft(gate.request_sha256);
  const { goldens: decisions } = useStore(draft);
  const selected = goldens.find(({ golden_id }) => golden_id === route.golden) ?? goldens[0];
  const at = selected === undefined ? -1 : goldens.indexOf(selected);
  const open = (index: number): void => {
    const found = goldens[Math.max(0, Math.min(goldens.length - 1, index))];
    if (found !== undefined) navigate({ ...route, golden: found.golden_id }, 'replace');
  };
  const decide = (decision: 'accept' | 'refuse'): void => {
    if (gate === null || selected === undefined || !isDecidable(selected)) return;
    draft.set({ ...draft.get(), goldens: { ...draft.get().goldens, [selected.golden_id]: decision } });
  };
  useKeys({
    n: () => open(at + 1),
    p: () => open(at - 1),
    a: () => decide('accept'),
    r: () => decide('refuse'),
  });
  if (selected === undefined) return <p class="empty">This run proposes no goldens.</p>;
  const decidable = goldens.filter(isDecidable);
  const decided = decidable.filter(({ golden_id }) => decisions[golden_id] !== undefined).length;
  return (
    <div class="goldens">
      <nav aria-label="Goldens" class="golden-list">
        <ul>
          {goldens.map((golden) => (
            <li key={golden.golden_id}>
              <a
                class={`golden-link${golden === selected ? ' is-selected' : ''}`}
                data-row
                aria-current={golden === selected ? 'true' : undefined}
                href={formatRoute({ ...route, golden: golden.golden_id })}
              >
                <Mark verdict={verdictOf(golden, decisions[golden.golden_id])} />
                <span class="path">{golden.golden_path ?? golden.id ?? 'unnamed'}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="golden-view">
        <GoldenView golden={selected} base={runPath(route.repo, route.run)} />
        {gate === null ? (
          <p class="muted">{STATE_WORDS[selected.state]}</p>
        ) : (
          <div class="golden-answers">
            {isDecidable(selected) ? (
              <fieldset class="segments">
                <legend class="sr-only">Decision</legend>
                <button
                  type="button"
                  class="button"
                  aria-pressed={decisions[selected.golden_id] === 'refuse'}
                  onClick={() => decide('refuse')}
                >
                  Refuse
                </button>
                <button
                  type="button"
                  class="button"
                  aria-pressed={decisions[selected.golden_id] === 'accept'}
                  onClick={() => decide('accept')}
                >
                  Accept
                </button>
              </fieldset>
            ) : (
              <p class="muted">{selected.why ?? STATE_WORDS[selected.state]}</p>
            )}
            <span
              class="muted"
              role="status"
            >{`${decided} of ${countOf(decidable.length, 'golden')} decided`}</span>
            <a
              class={`button${decided === decidable.length ? ' is-accent' : ''}`}
              href={formatRoute(gateRoute(route.repo, route.run))}
            >
              Answer the gate
            </a>
          </div>
        )}
      </div>
    </div>
  );
}

function isDecidable({ acceptable, state }: Golden): boolean {
  return acceptable && state === 'pending';
}

const STATE_WORDS: Readonly<Record<Golden['state'], string>> = {
  pending: 'Not decided.',
  accepted: 'Accepted.',
  not_accepted: 'Not accepted.',
  rejected: 'Rejected.',
  timed_out: 'The gate timed out.',
  superseded: 'Replaced by a later proposal.',
};

function verdictOf(golden: Golden, decision: 'accept' | 'refuse' | undefined): Verdict {
  if (decision === 'accept' || golden.state === 'accepted') return { tone: 'success', word: 'accepted' };
  if (decision === 'refuse' || golden.state === 'rejected') return { tone: 'danger', word: 'refused' };
  return golden.state === 'pending'
    ? { tone: 'needs', word: 'not decided' }
    : { tone: 'neutral', word: golden.state.replaceAll('_', ' ') };
}

function GoldenView({ golden, base }: { readonly golden: Golden; readonly base: string }): JSX.Element {
  const { old_url, new_url, diff_url, pixels, insertions, deletions, validator, difference } = golden;
  const addressOf = (url: string | null): string | null =>
    url === null ? null : `${base}/${url.replace(/^\//, '')}`;
  return (
    <>
      <h2 class="path">{golden.golden_path ?? golden.id}</h2>
      <p class="facts">
        <span>{validator}</span>
        {old_url === null ? <span>new</span> : null}
        {pixels === null ? null : <span class="number">{countOf(pixels, 'pixel')} differ</span>}
        {insertions === null ? null : (
          <span class="number">
            +{insertions} −{deletions ?? 0}
          </span>
        )}
      </p>
      {golden.picture ? (
        <PictureCompare
          key={golden.golden_id}
          oldUrl={addressOf(old_url)}
          newUrl={addressOf(new_url)}
          diffUrl={addressOf(diff_url)}
        />
      ) : (
        <TextDifference text={difference} />
      )}
    </>
  );
}

function TextDifference({ text }: { readonly text: string | null }): JSX.Element {
  if (text === null)
    return <p class="empty">There is no difference to show as text. Download the files to compare them.</p>;
  return (
    <div class="text-difference">
      {text.split('\n').map((line, index) => {
        const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
        return (
          <div key={index} class={`difference-line is-${kind}`}>
            {kind === 'context' ? null : <span class="sr-only">{kind}: </span>}
            <code class="pre">{line || ' '}</code>
          </div>
        );
      })}
    </div>
  );
}
