/** The screens and their URLs. Everything that a person may want to point at is in the URL. */

export const EVIDENCE_TABS = ['changes', 'checks', 'claims', 'output', 'prompt', 'artifacts'] as const;
export type EvidenceTab = (typeof EVIDENCE_TABS)[number];

/** A place in a diff: the file, and a line of its old or new side. */
export interface FilePlace {
  readonly file: string | null;
  readonly line: number | null;
}

export interface RunFilter {
  readonly state: string | null;
  readonly workflow: string | null;
  readonly agent: string | null;
  readonly text: string | null;
}

export type Route =
  | { readonly screen: 'start' }
  | { readonly screen: 'home'; readonly repo: string }
  | ({ readonly screen: 'runs'; readonly repo: string } & RunFilter)
  | ({
      readonly screen: 'run';
      readonly repo: string;
      readonly run: string;
      /** The event after which the run is shown; null shows it as it stands now. */
      readonly at: number | null;
      readonly step: string | null;
      readonly tab: EvidenceTab | null;
    } & FilePlace)
  | ({ readonly screen: 'gate'; readonly repo: string; readonly run: string } & FilePlace)
  | {
      readonly screen: 'goldens';
      readonly repo: string;
      readonly run: string;
      readonly golden: string | null;
    }
  | { readonly screen: 'board'; readonly repo: string }
  | { readonly screen: 'item'; readonly repo: string; readonly item: string }
  | { readonly screen: 'workflows'; readonly repo: string }
  | { readonly screen: 'workflow'; readonly repo: string; readonly workflow: string }
  | { readonly screen: 'sessions' }
  | { readonly screen: 'not_found'; readonly path: string };

/** Reads the route of a URL. Unknown paths are a screen of their own, so that a stale link explains itself. */
export function parseRoute(pathname: string, search: string): Route {
  const query = new URLSearchParams(search);
  const text = (name: string): string | null => query.get(name) || null;
  const unknown: Route = { screen: 'not_found', path: pathname };
  const parts = decodePath(pathname);
  if (parts === null) return unknown;
  const [top, repo, area, id, inner, ...rest] = parts;
  if (top === undefined) return { screen: 'start' };
  if (top === 'sessions' && parts.length === 1) return { screen: 'sessions' };
  if (top !== 'r' || repo === undefined || rest.length > 0) return unknown;
  if (area === undefined) return { screen: 'home', repo };
  const place = { file: text('file'), line: readNumber(query.get('line'), 1) };
  if (area === 'runs' && id === undefined)
    return {
      screen: 'runs',
      repo,
      state: text('state'),
      workflow: text('workflow'),
      agent: text('agent'),
      text: text('text'),
    };
  if (area === 'runs' && id !== undefined) {
    if (inner === undefined)
      return {
        screen: 'run',
        repo,
        run: id,
        at: readNumber(query.get('at'), 0),
        step: text('step'),
        tab: EVIDENCE_TABS.find((known) => known === query.get('tab')) ?? null,
        ...place,
      };
    if (inner === 'gate') return { screen: 'gate', repo, run: id, ...place };
    if (inner === 'goldens') return { screen: 'goldens', repo, run: id, golden: text('golden') };
    return unknown;
  }
  if (inner !== undefined) return unknown;
  if (area === 'items')
    return id === undefined ? { screen: 'board', repo } : { screen: 'item', repo, item: id };
  if (area === 'workflows')
    return id === undefined ? { screen: 'workflows', repo } : { screen: 'workflow', repo, workflow: id };
  return unknown;
}

export function formatRoute(route: Route): string {
  switch (route.screen) {
    case 'start':
      return '/';
    case 'sessions':
      return '/sessions';
    case 'not_found':
      return route.path;
    case 'home':
      return joinPath(route.repo);
    case 'runs':
      return `${joinPath(route.repo, 'runs')}${formatQuery({
        state: route.state,
        workflow: route.workflow,
        agent: route.agent,
        text: route.text,
      })}`;
    case 'run':
      return `${joinPath(route.repo, 'runs', route.run)}${formatQuery({
        at: route.at,
        step: route.step,
        tab: route.tab,
        file: route.file,
        line: route.line,
      })}`;
    case 'gate':
      return `${joinPath(route.repo, 'runs', route.run, 'gate')}${formatQuery({
        file: route.file,
        line: route.line,
      })}`;
    case 'goldens':
      return `${joinPath(route.repo, 'runs', route.run, 'goldens')}${formatQuery({ golden: route.golden })}`;
    case 'board':
      return joinPath(route.repo, 'items');
    case 'item':
      return joinPath(route.repo, 'items', route.item);
    case 'workflows':
      return joinPath(route.repo, 'workflows');
    case 'workflow':
      return joinPath(route.repo, 'workflows', route.workflow);
  }
}

/** The route of a run as it stands now, with nothing selected. */
export function runRoute(repo: string, run: string): Extract<Route, { screen: 'run' }> {
  return { screen: 'run', repo, run, at: null, step: null, tab: null, file: null, line: null };
}

export function gateRoute(repo: string, run: string): Extract<Route, { screen: 'gate' }> {
  return { screen: 'gate', repo, run, file: null, line: null };
}

export function runsRoute(repo: string): Extract<Route, { screen: 'runs' }> {
  return { screen: 'runs', repo, state: null, workflow: null, agent: null, text: null };
}

export function repoOf(route: Route): string | null {
  return 'repo' in route ? route.repo : null;
}

/** Null for a path that isn't valid percent-encoding. */
function decodePath(pathname: string): string[] | null {
  try {
    return pathname
      .split('/')
      .filter((part) => part !== '')
      .map((part) => decodeURIComponent(part));
  } catch {
    return null;
  }
}

function joinPath(...parts: readonly string[]): string {
  return `/r/${parts.map((part) => encodeURIComponent(part)).join('/')}`;
}

function formatQuery(values: Readonly<Record<string, string | number | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== null) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function readNumber(text: string | null, least: number): number | null {
  if (text === null || !/^\d{1,9}$/.test(text)) return null;
  const number = Number(text);
  return number >= least ? number : null;
}
