/** A file that agents work on, identified by the name of a configured root and the path within that root. */
export interface SourcePathParts {
  readonly root: string;
  readonly path: string;
}

export const sourcePathBytesMax = 400;

/**
 * Form of a root's name. People type the name, URLs contain it, and it must not look like a command-line
 * option.
 */
export const rootNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

const utf8 = new TextEncoder();

/**
 * Parses `<root>/<path>`. Returns null for a path that is not allowed: one that leaves the root, enters Git's
 * own folder in any spelling, looks like an option or does not fit on one line (SOURCE-2). Does not check
 * whether the file exists.
 */
export function parseSourcePath(text: string): SourcePathParts | null {
  if (text.length > sourcePathBytesMax || utf8.encode(text).length > sourcePathBytesMax) return null;
  if (/[\p{C}\u2028\u2029\\]/u.test(text)) return null;
  const [root = "", ...segments] = text.split("/");
  if (!rootNamePattern.test(root) || segments.length === 0 || !segments.every(isPlain)) return null;
  return { root, path: segments.join("/") };
}

function isPlain(segment: string): boolean {
  return segment !== "" && !segment.startsWith("-") && !/^\.{1,2}$/.test(segment) && !isGitFolder(segment);
}

/**
 * Returns true for every spelling that some file system treats as .git, for instance in another case, with
 * trailing dots or spaces, or with invisible characters.
 */
function isGitFolder(segment: string): boolean {
  const seen = segment
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
  return seen === ".git" || /^git~\d+$/.test(seen);
}
