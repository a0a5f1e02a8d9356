/**
 * The segments of a path pattern, as used in claims on files. Within a segment, `*` matches any text and `?`
 * one character. A segment `**` matches any number of whole segments, including none. All other characters
 * are literal.
 */
type Segments = readonly string[];

/** Explains why a string is not a supported pattern. Returns null if it is supported. */
export function problemOfGlob(glob: string): string | null {
  if (/[{}[\]!\\]/.test(glob)) return "only *, ** and ? are wildcards, so { } [ ] ! and \\ are not allowed";
  const segments = glob.split("/");
  if (segments.some((each) => each === "" || each === "." || each === ".."))
    return "must be a path from the repository's root, without empty parts, . and ..";
  if (segments.some((each) => each.includes("**") && each !== "**"))
    return "** matches whole folders, so it must be alone between two slashes";
  return null;
}

/** Returns true if there is a path that matches both patterns. */
export function globsOverlap(a: string, b: string): boolean {
  return meet(a.split("/"), b.split("/"), { isMany: isFolders, mayMeet: segmentsMeet });
}

/** Returns true if a pattern matches a path. Characters in the path are never wildcards. */
export function globMatches(glob: string, path: string): boolean {
  return meet(glob.split("/"), path.split("/"), {
    isMany: isFolders,
    mayMeet: (segment, name) =>
      segment === name || (isPattern(segment) && meet([...segment], [...name], ofName)),
    isPlainB: true,
  });
}

interface Steps {
  /** Returns true if an element is a wildcard for any number of elements on the other side. */
  isMany(element: string): boolean;
  mayMeet(a: string, b: string): boolean;
  /** True if the second sequence has no wildcards. */
  readonly isPlainB?: boolean;
}

const isPattern = (segment: string) => segment.includes("*") || segment.includes("?");
const isFolders = (segment: string) => segment === "**";
const isStar = (character: string) => character === "*";

const ofName: Steps = {
  isMany: isStar,
  mayMeet: (a, b) => a === b || a === "?",
  isPlainB: true,
};

function segmentsMeet(a: string, b: string): boolean {
  if (!isPattern(a) && !isPattern(b)) return a === b;
  return meet([...a], [...b], {
    isMany: isStar,
    mayMeet: (x, y) => x === y || x === "?" || y === "?",
  });
}

/**
 * Returns true if some sequence matches both of the given ones. Follows both at the same time and visits each
 * pair of positions once, so the work is at most the product of their lengths.
 */
function meet(a: Segments, b: Segments, { isMany, mayMeet, isPlainB = false }: Steps): boolean {
  const width = b.length + 1;
  const reached = new Uint8Array((a.length + 1) * width);
  reached[0] = 1;
  for (let i = 0; i <= a.length; i += 1) {
    const x = a[i];
    const xIsMany = x !== undefined && isMany(x);
    for (let j = 0; j <= b.length; j += 1) {
      const at = i * width + j;
      if (reached[at] === 0) continue;
      const y = b[j];
      const yIsMany = !isPlainB && y !== undefined && isMany(y);
      // A wildcard for any number of elements either ends here or matches the next element on the other side.
      if (y !== undefined && (xIsMany || yIsMany)) reached[at + 1] = 1;
      if (x !== undefined && (xIsMany || yIsMany)) reached[at + width] = 1;
      if (x === undefined || y === undefined || xIsMany || yIsMany) continue;
      if (mayMeet(x, y)) reached[at + width + 1] = 1;
    }
  }
  return reached[reached.length - 1] === 1;
}
