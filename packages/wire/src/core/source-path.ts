/** A file that agents work on: which of the configured roots it is in, and where there. */
export interface SourcePathParts {
  readonly root: string;
  readonly path: string;
}

export const sourcePathBytesMax = 400;

/** The form of a root's name: it is typed, stands in addresses, and never passes for an option. */
export const rootNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/;

const utf8 = new TextEncoder();

/**
 * Reads `<root>/<path>`; null for what no file that may be worked on is called by: what leads out of the root or into Git's own
 * folder however that is spelled, what could pass for an option, and what cannot be shown on one line (SOURCE-2). Whether there
 * is such a file is another question.
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

/** As some file systems read it: in any case, with dots and blanks behind it, with characters in it that nobody sees. */
function isGitFolder(segment: string): boolean {
  const seen = segment
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
  return seen === ".git" || /^git~\d+$/.test(seen);
}
