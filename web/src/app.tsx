import type { ComponentType, JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { RunPage } from '../../src/contracts/http/run-page.ts';
import type { SessionDocument } from '../../src/contracts/http/session-documents.ts';
import { fetchDocument, forgetDocuments, useDocument } from './api/document-cache.ts';
import { access } from './api/http.ts';
import { runPath } from './api/paths.ts';
import { watch } from './api/stream.ts';
import { Gate } from './screens/gate.tsx';
import { Pair } from './screens/pair.tsx';
import { moveRowFocus, useKeys } from './state/keys.ts';
import { navigate, useRoute } from './state/navigation.ts';
import { pairingCode } from './state/pairing.ts';
import { type Route, repoOf, runsRoute } from './state/routes.ts';
import { useStore } from './state/store.ts';
import { Announcer } from './ui/announcer.tsx';
import { Skeleton } from './ui/document-view.tsx';
import { Palette } from './ui/palette.tsx';
import { Shell } from './ui/shell.tsx';

/** The gate is part of the first download: it is what a phone opens. Every other screen comes when it is opened. */
const SCREENS: Readonly<Record<string, () => Promise<ComponentType<{ readonly route: never }>>>> = {
  home: async () => (await import('./screens/home.tsx')).Home,
  runs: async () => (await import('./screens/runs.tsx')).Runs,
  run: async () => (await import('./screens/run.tsx')).Run,
  goldens: async () => (await import('./screens/goldens.tsx')).Goldens,
  board: async () => (await import('./screens/board.tsx')).Board,
  item: async () => (await import('./screens/item.tsx')).Item,
  workflows: async () => (await import('./screens/workflows.tsx')).Workflows,
  workflow: async () => (await import('./screens/workflow.tsx')).Workflow,
  sessions: async () => (await import('./screens/sessions.tsx')).Sessions,
};

export function App(): JSX.Element {
  const state = useStore(access);
  const route = useRoute();
  const code = useStore(pairingCode);
  const isPairing = code !== null || state === 'unpaired';
  useEffect(() => {
    if (state === 'unpaired') forgetDocuments();
    else if (code === null) fetchDocument('/api/session');
  }, [state, code]);
  if (isPairing)
    return (
      <>
        <Pair />
        <Announcer />
      </>
    );
  return <Page route={route} />;
}

function Page({ route }: { readonly route: Route }): JSX.Element {
  const session = useDocument<SessionDocument>('/api/session');
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const first = session.data?.repos[0]?.id ?? null;
  const repo = repoOf(route) ?? first;
  const run = 'run' in route ? route.run : null;
  const shown = useDocument<RunPage>(repo === null || run === null ? null : runPath(repo, run));
  // The stream starts after what the document has, so that a long run isn't sent twice.
  const isKnown = run === null || shown.data !== null || shown.error !== null;
  useEffect(() => {
    if (isKnown) watch(repo, run, shown.data?.as_of_seq ?? null);
  }, [repo, run, isKnown]);
  useEffect(() => {
    if (route.screen === 'start' && first !== null) navigate({ screen: 'home', repo: first }, 'replace');
  }, [route, first]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setPaletteOpen((isOpen) => !isOpen);
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  useKeys({
    j: () => moveRowFocus(1),
    k: () => moveRowFocus(-1),
    '/': () => {
      if (repo !== null) navigate(runsRoute(repo));
    },
    '?': () => setPaletteOpen(true),
  });
  return (
    <>
      <Shell route={route} repo={repo} session={session} onPalette={() => setPaletteOpen(true)}>
        <ScreenOf route={route} />
      </Shell>
      {isPaletteOpen ? <Palette route={route} repo={repo} onClose={() => setPaletteOpen(false)} /> : null}
      <Announcer />
    </>
  );
}

function ScreenOf({ route }: { readonly route: Route }): JSX.Element {
  const { screen } = route;
  useScreenFocus(screen);
  if (screen === 'gate') return <Gate route={route} key={route.run} />;
  if (screen === 'not_found') return <NotFound path={route.path} />;
  if (screen === 'start') return <Skeleton what="the page" lines={6} />;
  return <LazyScreen route={route} key={screen} />;
}

function LazyScreen({ route }: { readonly route: Route }): JSX.Element {
  const [Loaded, setLoaded] = useState<ComponentType<{ readonly route: never }> | null>(null);
  const [hasFailed, setFailed] = useState(false);
  useLayoutEffect(() => {
    let isShown = true;
    const load = SCREENS[route.screen];
    load?.().then(
      (found) => {
        if (isShown) setLoaded(() => found);
      },
      () => setFailed(true),
    );
    return () => {
      isShown = false;
    };
  }, [route.screen]);
  if (hasFailed)
    return (
      <div class="notice tone-danger-edge" role="alert">
        <p>
          <strong>This part of the page can’t be loaded.</strong> The server is gone, or has been updated:
          load the page again.
        </p>
        <button type="button" class="button" onClick={() => location.reload()}>
          Load again
        </button>
      </div>
    );
  if (Loaded === null) return <Skeleton what="this screen" lines={6} />;
  return <Loaded route={route as never} />;
}

/** Moves the focus to the heading of a newly opened screen, as a page load would. */
function useScreenFocus(screen: string): void {
  useEffect(() => {
    const main = document.getElementById('main');
    if (document.activeElement === document.body || document.activeElement === null) return;
    main?.focus({ preventScroll: true });
  }, [screen]);
}

function NotFound({ path }: { readonly path: string }): JSX.Element {
  return (
    <>
      <h1>No such page</h1>
      <p>
        <code>{path}</code> is no address of this page. <a href="/">What needs you</a>
      </p>
    </>
  );
}
