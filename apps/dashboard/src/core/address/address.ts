/**
 * The query that was put into the address of this page and that is not known to be rendered for yet: a page has one address.
 */
let ahead: string | null = null;
const listeners = new Set<() => void>();

/** Changes several parameters of the address in one step of the history; null and "" take one out. */
export function setQuery(
  values: Readonly<Record<string, string | null>>,
  { replace = false }: SetOptions = {},
): void {
  const { pathname, search, hash } = window.location;
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === "") params.delete(name);
    else params.set(name, value);
  }
  // The same characters stay readable that browsers show as they are.
  const query = params.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  const address = `${pathname}${query === "" ? "" : `?${query}`}${hash}`;
  if (address === `${pathname}${search}${hash}`) return;
  if (replace) window.history.replaceState(null, "", address);
  else window.history.pushState(null, "", address);
  ahead = window.location.search;
  for (const listener of listeners) listener();
}

export interface SetOptions {
  /** Changes the current entry of the history, so that Back leads past it. */
  readonly replace?: boolean;
}

/** The query that the page will be rendered for; null once it is. */
export function queryAhead(): string | null {
  // Back or forward may have changed the address in between.
  return ahead === window.location.search ? ahead : null;
}

export function onAddress(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}

/** The page is now rendered for this query. */
export function addressBecame(rendered: URLSearchParams): void {
  if (ahead !== null && new URLSearchParams(ahead).toString() === rendered.toString()) ahead = null;
}
