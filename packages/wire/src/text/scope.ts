import { globMatches, globsOverlap, problemOfGlob } from "./path-glob.js";

/** Prefix of a file pattern, which is relative to a repository's root. */
const filesMark = "repo:";

/**
 * Returns a scope in stored form: file patterns have a prefix, and a folder, which ends in a slash, includes
 * everything in it (CLAIM-1).
 */
export function normaliseScope(text: string): string {
  const scope = text.normalize("NFC").trim();
  const glob = globOf(scope);
  if (glob === null) return scope;
  const path = glob.replace(/^\/+|^(?:\.\/+)+/, "");
  return `${filesMark}${path === "" || path.endsWith("/") ? `${path}**` : path}`;
}

/** Explains why a scope cannot be claimed. Returns null if it can. */
export function problemOfScope(scope: string): string | null {
  const file = scope.replace(lineRange, "");
  if (file !== scope && globOf(file) !== null)
    return `claims are on whole files, not on lines of one; claim ${normaliseScope(file)}`;
  const glob = globOf(scope);
  return glob === null ? null : problemOfGlob(glob);
}

/** True if a scope refers to files rather than an issue or another name. */
export function isFileScope(scope: string): boolean {
  return globOf(scope) !== null;
}

/** True if two scopes overlap: a file matches both patterns, or they are the same name. */
export function scopesOverlap(a: string, b: string): boolean {
  const [globA, globB] = [globOf(a), globOf(b)];
  if (globA === null || globB === null) return a === b;
  return globsOverlap(withContents(globA), globB) || globsOverlap(globA, withContents(globB));
}

/** True if a scope includes a file. The path is relative to the repository's root, with slashes. */
export function scopeHoldsFile(scope: string, path: string): boolean {
  const glob = globOf(scope);
  return glob !== null && globMatches(withContents(glob), path);
}

/** A plain path may be a folder, and then includes everything in it. */
function withContents(glob: string): string {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /[*?]/.test(name) ? glob : `${glob}/**`;
}

function globOf(scope: string): string | null {
  if (scope.startsWith(filesMark)) return scope.slice(filesMark.length);
  return looksLikePath(scope) ? scope : null;
}

/** `issue:#12`, `https://…`: a scope with an explicit kind. */
const kindMark = /^[a-z][\w+.-]*:/i;

/**
 * A slash, star, leading dot or extension makes a word a path. A sentence that contains a slash is not a
 * path.
 */
function looksLikePath(scope: string): boolean {
  return !kindMark.test(scope) && /^\S+$/.test(scope) && /[/*]|^\.|\.[a-z]\w{0,9}$/i.test(scope);
}

/** `:10`, `:10-20`, `#L10-L20`, ` lines 10-20`, ` (L10-20)` at the end of a scope. */
const lineRange = /(?:[:#]L?|\s\(?(?:lines?\s?|L))\d+(?:\s?[-–:,]\s?L?\d+)*\)?$/i;
