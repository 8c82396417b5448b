import type { ComponentChildren, JSX } from 'preact';
import type { SessionDocument } from '../../../src/contracts/http/session-documents.ts';
import type { Loaded } from '../api/document-cache.ts';
import { connection, wake } from '../api/stream.ts';
import { navigate } from '../state/navigation.ts';
import { formatRoute, type Route, runsRoute } from '../state/routes.ts';
import { useStore } from '../state/store.ts';
import { setTheme, THEMES, theme } from '../state/theme.ts';
import { formatClock } from '../text/time.ts';
import { Icon } from './icon.tsx';

/** The frame around every screen: where you are, where you can go, and whether what you see is current. */
export function Shell({
  route,
  repo,
  session,
  onPalette,
  children,
}: {
  readonly route: Route;
  readonly repo: string | null;
  readonly session: Loaded<SessionDocument>;
  readonly onPalette: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const repos = session.data?.repos ?? [];
  return (
    <div class={`shell screen-${route.screen}`}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={repo === null ? '/' : formatRoute({ screen: 'home', repo })}>
          conductor
        </a>
        {repos.length > 1 ? (
          <label class="repo">
            <span class="sr-only">Repository</span>
            <select
              value={repo ?? ''}
              onChange={(event) => navigate({ screen: 'home', repo: event.currentTarget.value })}
            >
              {repos.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <span class="repo-name">{repos[0]?.name ?? repo ?? ''}</span>
        )}
        <Navigation route={route} repo={repo} />
        <div class="top-end">
          <ConnectionState />
          <ThemeButton />
          <button type="button" class="button-quiet palette-button" onClick={onPalette}>
            <Icon name="search" />
            <kbd>{/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
            <span class="sr-only">Search and commands</span>
          </button>
        </div>
      </header>
      <LostBanner />
      <main id="main" class="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function Navigation({
  route,
  repo,
}: {
  readonly route: Route;
  readonly repo: string | null;
}): JSX.Element | null {
  if (repo === null) return null;
  const links = [
    { text: 'Home', to: { screen: 'home', repo }, screens: ['home', 'start'] },
    { text: 'Runs', to: runsRoute(repo), screens: ['runs', 'run', 'gate', 'goldens'] },
    { text: 'Items', to: { screen: 'board', repo }, screens: ['board', 'item'] },
    { text: 'Workflows', to: { screen: 'workflows', repo }, screens: ['workflows', 'workflow'] },
    { text: 'Sessions', to: { screen: 'sessions' }, screens: ['sessions'] },
  ] satisfies { text: string; to: Route; screens: string[] }[];
  return (
    <nav class="nav" aria-label="Screens">
      {links.map(({ text, to, screens }) => {
        const isHere = screens.includes(route.screen);
        const isExact = screens[0] === route.screen;
        return (
          <a
            key={text}
            href={formatRoute(to)}
            class={isHere ? 'is-here' : undefined}
            aria-current={isExact ? 'page' : isHere ? 'true' : undefined}
          >
            {text}
          </a>
        );
      })}
    </nav>
  );
}

function ConnectionState(): JSX.Element {
  const { state, heardAt } = useStore(connection);
  if (state === 'live')
    return (
      <span class="live">
        <Icon name="dot" />
        live
      </span>
    );
  if (state === 'connecting') return <span class="live is-waiting">connecting</span>;
  return (
    <span class="live is-lost">
      <Icon name="half" />
      {heardAt === null ? 'offline' : `as of ${formatClock(heardAt)}`}
    </span>
  );
}

function LostBanner(): JSX.Element | null {
  const { state, heardAt } = useStore(connection);
  return (
    <div role="status" class="banner-place">
      {state === 'lost' ? (
        <p class="banner">
          <span>
            {heardAt === null
              ? 'The server can’t be reached.'
              : `As of ${formatClock(heardAt)}. The server can’t be reached, so nothing here is newer.`}
          </span>
          <button type="button" class="button" onClick={wake}>
            Try now
          </button>
        </p>
      ) : null}
    </div>
  );
}

function ThemeButton(): JSX.Element {
  const chosen = useStore(theme);
  const next = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length] ?? 'system';
  return (
    <button
      type="button"
      class="button-quiet theme-button"
      title={`Colours: ${chosen}`}
      onClick={() => setTheme(next)}
    >
      <Icon name="theme" />
      <span class="sr-only">{`Colours: ${chosen}. Change to ${next}.`}</span>
    </button>
  );
}
