import { globMatches, globsOverlap, problemOfGlob } from "./path-glob.js";

/** Before a pattern of files, from the root of the repository that the session is about. */
const filesMark = "repo:";

/** A scope as it is kept: a folder, which ends in a slash, is all that is in it. */
export function normaliseScope(text: string): string {
  const scope = text.normalize("NFC").trim();
  const glob = globOf(scope);
  if (glob === null) return scope;
  const path = glob.replace(/^\/+/, "");
  return `${filesMark}${path === "" || path.endsWith("/") ? `${path}**` : path}`;
}

/** Why nothing can be claimed by this name; null where it can. */
export function problemOfScope(scope: string): string | null {
  const glob = globOf(scope);
  return glob === null ? null : problemOfGlob(glob);
}

/** Whether two scopes have anything in common: a file that both patterns mean, or the same name. */
export function scopesOverlap(a: string, b: string): boolean {
  const [globA, globB] = [globOf(a), globOf(b)];
  return globA !== null && globB !== null ? globsOverlap(globA, globB) : a === b;
}

/** Whether a scope means a file, by its path from the repository's root, with slashes between folders. */
export function scopeHoldsFile(scope: string, path: string): boolean {
  const glob = globOf(scope);
  return glob !== null && globMatches(glob, path);
}

function globOf(scope: string): string | null {
  return scope.startsWith(filesMark) ? scope.slice(filesMark.length) : null;
}
