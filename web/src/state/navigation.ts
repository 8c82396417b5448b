import { formatRoute, parseRoute, type Route } from './routes.ts';
import { createStore, useStore } from './store.ts';

const current = createStore<Route>(readLocation());

function readLocation(): Route {
  return parseRoute(location.pathname, location.search);
}

export function useRoute(): Route {
  return useStore(current);
}

/** Opens a route. Replaces the entry of the history where going back to it would be of no use. */
export function navigate(route: Route, how: 'push' | 'replace' = 'push'): void {
  const before = current.get();
  const url = formatRoute(route);
  if (url === formatRoute(before)) return;
  if (how === 'push') history.pushState(null, '', url);
  else history.replaceState(null, '', url);
  current.set(route);
  if (how === 'push' && hasMoved(before, route)) scrollTo(0, 0);
}

function hasMoved(before: Route, after: Route): boolean {
  const place = ({ pathname }: URL): string => pathname;
  const base = location.origin;
  return place(new URL(formatRoute(before), base)) !== place(new URL(formatRoute(after), base));
}

/** Makes links of the page change the screen without loading it anew, and the back button work. */
export function startNavigation(): void {
  addEventListener('popstate', () => current.set(readLocation()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || url.pathname.startsWith('/api/') || url.hash !== '') return;
    event.preventDefault();
    navigate(parseRoute(url.pathname, url.search));
  });
}
