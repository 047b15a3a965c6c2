import { createStore, useStore } from './store.js';

const BASE = '/dashboard';

export interface Place {
  /** Within the dashboard, with a leading slash. */
  readonly path: string;
  readonly query: URLSearchParams;
}

const place = createStore<Place>(here());

function here(): Place {
  const { pathname, search } = window.location;
  const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname;
  return { path: path === '' ? '/' : path, query: new URLSearchParams(search) };
}

window.addEventListener('popstate', () => place.set(here()));

export const usePlace = (): Place => useStore(place);

export function href(path: string, query?: URLSearchParams): string {
  const text = query?.toString() ?? '';
  return `${BASE}${path}${text === '' ? '' : `?${text}`}`;
}

/** @param to as `href` gives it. */
export function go(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) window.history.replaceState(null, '', to);
  else window.history.pushState(null, '', to);
  place.set(here());
}

/** Lets plain clicks on links of the dashboard change the page without loading it again. */
export function onLinkClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = (event.target as Element | null)?.closest('a');
  if (!link) return;
  if (link.target !== '' || link.hasAttribute('download') || link.origin !== window.location.origin) return;
  if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
  event.preventDefault();
  go(link.pathname + link.search);
}
