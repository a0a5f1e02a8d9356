/** The query that was written to the URL but that Next has not rendered yet. Global, because a page has one URL. */
let pendingQuery: string | null = null;
const listeners = new Set<() => void>();

/** Changes several URL parameters in one history entry. Null or "" removes a parameter. */
export function setQuery(
  values: Readonly<Record<string, string | null>>,
  { replace = false }: SetQueryOptions = {},
): void {
  const { pathname, search, hash } = window.location;
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === "") params.delete(name);
    else params.set(name, value);
  }
  // Commas and colons stay readable: URLs allow them in a query without escaping.
  const query = params.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  const address = `${pathname}${query === "" ? "" : `?${query}`}${hash}`;
  if (address === `${pathname}${search}${hash}`) return;
  if (replace) window.history.replaceState(null, "", address);
  else window.history.pushState(null, "", address);
  pendingQuery = window.location.search;
  for (const listener of listeners) listener();
}

export interface SetQueryOptions {
  /** Replaces the current history entry, so that Back skips it. */
  readonly replace?: boolean;
}

/** Returns the query that Next has yet to render, or null. */
export function findPendingQuery(): string | null {
  // The user may have gone back or forward since the query was set.
  return pendingQuery === window.location.search ? pendingQuery : null;
}

export function onAddressChange(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}

/** Call this once the page has been rendered for the query. */
export function clearPendingQuery(rendered: URLSearchParams): void {
  if (pendingQuery !== null && new URLSearchParams(pendingQuery).toString() === rendered.toString())
    pendingQuery = null;
}
