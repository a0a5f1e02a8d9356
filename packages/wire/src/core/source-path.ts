/** A file that agents work on: the name of a configured root, and the path within it. */
export interface SourcePathParts {
  readonly root: string;
  readonly path: string;
}

export const sourcePathBytesMax = 400;

/** A root's name is typed by people, appears in URLs and must not look like an option. */
export const rootNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

const utf8 = new TextEncoder();

/**
 * Parses `<root>/<path>`. Returns null for paths that are not allowed: those that leave the root, enter Git's
 * own folder in any spelling, look like an option, or do not fit on one line (SOURCE-2). Does not check
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
 * Recognises the spellings that some file systems treat as .git: any case, trailing dots and spaces,
 * invisible characters.
 */
function isGitFolder(segment: string): boolean {
  const seen = segment
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
  return seen === ".git" || /^git~\d+$/.test(seen);
}
