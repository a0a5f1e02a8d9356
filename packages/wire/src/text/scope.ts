import { describeGlobProblem, globMatches, globsOverlap } from "./path-glob.js";

/** Prefix of a scope that is a file pattern. The pattern is relative to the root of a repository. */
const filesMark = "repo:";

/**
 * Returns the form in which a scope is stored. File patterns get a prefix. A folder, which ends in a slash,
 * becomes a pattern for everything in it (CLAIM-1).
 */
export function normaliseScope(text: string): string {
  const scope = text.normalize("NFC").trim();
  const glob = findGlob(scope);
  if (glob === null) return scope;
  const path = glob.replace(/^\/+|^(?:\.\/+)+/, "");
  return `${filesMark}${path === "" || path.endsWith("/") ? `${path}**` : path}`;
}

/** Returns the stored form of a scope that can only be files, so that a plain word is also a path. */
export function toFileScope(text: string): string {
  const path = text.trim();
  return normaliseScope(path === "" || path.startsWith(filesMark) ? path : `${filesMark}${path}`);
}

/** Returns a scope as people write it: files without their prefix. */
export function formatScope(scope: string): string {
  return scope.startsWith(filesMark) ? scope.slice(filesMark.length) : scope;
}

/** Explains why a scope cannot be claimed. Returns null if it can be claimed. */
export function describeScopeProblem(scope: string): string | null {
  const file = scope.replace(lineRange, "");
  if (file !== scope && findGlob(file) !== null)
    return `claims are on whole files, not on lines of one; claim ${normaliseScope(file)}`;
  const glob = findGlob(scope);
  return glob === null ? null : describeGlobProblem(glob);
}

/** Returns true if a scope refers to files, and not to an issue or another name. */
export function isFileScope(scope: string): boolean {
  return findGlob(scope) !== null;
}

/** Returns true if two scopes overlap: some file matches both patterns, or both are the same name. */
export function scopesOverlap(a: string, b: string): boolean {
  const [globA, globB] = [findGlob(a), findGlob(b)];
  if (globA === null || globB === null) return a === b;
  return globsOverlap(withContents(globA), globB) || globsOverlap(globA, withContents(globB));
}

/**
 * Returns true if a scope includes a file. The path must be relative to the repository's root and use
 * slashes.
 */
export function scopeContainsFile(scope: string, path: string): boolean {
  const glob = findGlob(scope);
  return glob !== null && globMatches(withContents(glob), path);
}

/** Extends a plain path, because it may be a folder and then includes everything in it. */
function withContents(glob: string): string {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  return /[*?]/.test(name) ? glob : `${glob}/**`;
}

function findGlob(scope: string): string | null {
  if (scope.startsWith(filesMark)) return scope.slice(filesMark.length);
  return looksLikePath(scope) ? scope : null;
}

/** Matches the beginning of a scope that states its kind, such as `issue:#12` or `https://…`. */
const kindMark = /^[a-z][\w+.-]*:/i;

/**
 * Returns true if a scope looks like a path. A single word does if it contains a slash or star, starts with a
 * dot or has an extension. A sentence never does, even with a slash.
 */
function looksLikePath(scope: string): boolean {
  return !kindMark.test(scope) && /^\S+$/.test(scope) && /[/*]|^\.|\.[a-z]\w{0,9}$/i.test(scope);
}

/** Matches a line range at the end of a scope: `:10`, `:10-20`, `#L10-L20`, ` lines 10-20` or ` (L10-20)`. */
const lineRange = /(?:[:#]L?|\s\(?(?:lines?\s?|L))\d+(?:\s?[-–:,]\s?L?\d+)*\)?$/i;
