import { globMatches, globsOverlap, problemOfGlob } from "./path-glob.js";

/** Before a pattern of files, from the root of a repository. */
const filesMark = "repo:";

/** A scope as it is stored: files have their mark, and a folder, which ends in a slash, is all that is in it (CLAIM-1). */
export function normaliseScope(text: string): string {
  const scope = text.normalize("NFC").trim();
  const glob = globOf(scope);
  if (glob === null) return scope;
  const path = glob.replace(/^\/+|^(?:\.\/+)+/, "");
  return `${filesMark}${path === "" || path.endsWith("/") ? `${path}**` : path}`;
}

/** Why nothing can be claimed by this name; null where it can. */
export function problemOfScope(scope: string): string | null {
  const file = scope.replace(lineRange, "");
  if (file !== scope && globOf(file) !== null)
    return `claims are on whole files, not on lines of one; claim ${normaliseScope(file)}`;
  const glob = globOf(scope);
  return glob === null ? null : problemOfGlob(glob);
}

/** Whether a scope is files, and not an issue or another name. */
export function isFileScope(scope: string): boolean {
  return globOf(scope) !== null;
}

/** Whether two scopes have anything in common: a file that both patterns mean, or the same name. */
export function scopesOverlap(a: string, b: string): boolean {
  const [globA, globB] = [globOf(a), globOf(b)];
  if (globA === null || globB === null) return a === b;
  return globsOverlap(withContents(globA), globB) || globsOverlap(globA, withContents(globB));
}

/** Whether a scope means a file, by its path from the repository's root, with slashes between folders. */
export function scopeHoldsFile(scope: string, path: string): boolean {
  const glob = globOf(scope);
  return glob !== null && globMatches(withContents(glob), path);
}

/** A plain path may be a folder's, and then everything in it is meant. */
function withContents(glob: string): string {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /[*?]/.test(name) ? glob : `${glob}/**`;
}

function globOf(scope: string): string | null {
  if (scope.startsWith(filesMark)) return scope.slice(filesMark.length);
  return looksLikePath(scope) ? scope : null;
}

/** `issue:#12`, `https://…`: a scope that says itself what it is. */
const kindMark = /^[a-z][\w+.-]*:/i;

/** A slash, a star, a leading dot or an extension makes a word a path; a sentence with a slash in it is none. */
function looksLikePath(scope: string): boolean {
  return !kindMark.test(scope) && /^\S+$/.test(scope) && /[/*]|^\.|\.[a-z]\w{0,9}$/i.test(scope);
}

/** `:10`, `:10-20`, `#L10-L20`, ` lines 10-20`, ` (L10-20)` at the end of a scope. */
const lineRange = /(?:[:#]L?|\s\(?(?:lines?\s?|L))\d+(?:\s?[-–:,]\s?L?\d+)*\)?$/i;
