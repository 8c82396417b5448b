import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useDocument } from '../api/document-cache.ts';
import type { RunsDocument } from '../api/documents.ts';
import { repoPath, withQuery } from '../api/paths.ts';
import { navigate } from '../state/navigation.ts';
import { gateRoute, type Route, runRoute, runsRoute } from '../state/routes.ts';
import { setTheme, THEMES } from '../state/theme.ts';
import { Dialog } from './dialog.tsx';

interface Choice {
  readonly id: string;
  readonly text: string;
  readonly note: string;
  /** Further words by which it is found. */
  readonly hidden: string;
  readonly act: () => void;
}

const MAX_CHOICES = 12;

/** Everything the page can do or open, by name. */
export function Palette({
  route,
  repo,
  onClose,
}: {
  readonly route: Route;
  readonly repo: string | null;
  readonly onClose: () => void;
}): JSX.Element {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const runs = useDocument<RunsDocument>(
    repo === null ? null : withQuery(`${repoPath(repo)}/runs`, { limit: 50 }),
  );
  const choices = useMemo(() => listChoices(route, repo, runs.data), [route, repo, runs.data]);
  const found = choices.filter((choice) => matches(choice, text)).slice(0, MAX_CHOICES);
  const selected = Math.min(at, found.length - 1);
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    onClose();
    choice.act();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, selected + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, selected - 1));
    else if (event.key === 'Enter') choose(found[selected]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Search and commands" className="palette" onClose={onClose}>
      <input
        type="text"
        class="palette-input"
        placeholder="Go to, or find a run"
        aria-label="Go to, or find a run"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[selected] === undefined ? undefined : `palette-${found[selected].id}`}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label="Choices" class="palette-list">
        {found.map((choice, index) => (
          <div
            key={choice.id}
            id={`palette-${choice.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === selected}
            class="palette-choice"
            onClick={() => choose(choice)}
            onKeyDown={onKeyDown}
          >
            <span>{choice.text}</span>
            <span class="muted">{choice.note}</span>
          </div>
        ))}
      </div>
      {found.length === 0 ? <p class="muted palette-empty">Nothing has this name.</p> : null}
      <p class="palette-help muted">
        <kbd>j</kbd> <kbd>k</kbd> next and previous row · <kbd>/</kbd> runs · <kbd>Esc</kbd> close
      </p>
    </Dialog>
  );
}

function matches({ text, note, hidden }: Choice, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const name = `${text} ${note} ${hidden}`.toLowerCase();
  return words.every((word) => name.includes(word));
}

function listChoices(route: Route, repo: string | null, runs: RunsDocument | null): Choice[] {
  const go = (id: string, text: string, to: Route, note = '', hidden = ''): Choice => ({
    id,
    text,
    note,
    hidden,
    act: () => navigate(to),
  });
  const screens =
    repo === null
      ? []
      : [
          go('home', 'Home', { screen: 'home', repo }, 'what needs you'),
          go('runs', 'Runs', runsRoute(repo)),
          go('items', 'Items', { screen: 'board', repo }, 'board'),
          go('workflows', 'Workflows', { screen: 'workflows', repo }),
        ];
  const here =
    'run' in route
      ? [
          go('this-gate', 'Gate of this run', gateRoute(route.repo, route.run)),
          go('this-run', 'Steps of this run', runRoute(route.repo, route.run)),
        ]
      : [];
  const found =
    repo === null
      ? []
      : (runs?.runs ?? []).map(({ run_id, title, state, status }) =>
          go(
            `run-${run_id}`,
            title ?? run_id,
            runRoute(repo, run_id),
            state,
            `${run_id} ${status?.workflow_id ?? ''}`,
          ),
        );
  const themes = THEMES.map((name) => ({
    id: `theme-${name}`,
    text: `Colours: ${name}`,
    note: '',
    hidden: '',
    act: () => setTheme(name),
  }));
  return [
    ...here,
    ...screens,
    go('sessions', 'Sessions', { screen: 'sessions' }, 'pair a phone, revoke'),
    ...found,
    ...themes,
  ];
}
