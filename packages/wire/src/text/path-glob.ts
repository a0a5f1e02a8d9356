/**
 * The segments of a path pattern, as used in claims on files. Within a segment, `*` matches any text and `?`
 * one character. A segment `**` matches any number of whole segments, including none. All other characters
 * are literal.
 */
type Segments = readonly string[];

/** Explains why a string is not a supported pattern. Returns null if it is supported. */
export function describeGlobProblem(glob: string): string | null {
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
  return haveCommonMatch(a.split("/"), b.split("/"), { isMany: isFolders, canMatch: segmentsOverlap });
}

/** Returns true if a pattern matches a path. Characters in the path are never wildcards. */
export function globMatches(glob: string, path: string): boolean {
  return haveCommonMatch(glob.split("/"), path.split("/"), {
    isMany: isFolders,
    canMatch: (segment, name) =>
      segment === name || (isPattern(segment) && haveCommonMatch([...segment], [...name], ofName)),
    isPlainB: true,
  });
}

interface MatchRules {
  /** Returns true if an element is a wildcard for any number of elements on the other side. */
  isMany(element: string): boolean;
  canMatch(a: string, b: string): boolean;
  /** True if the second sequence has no wildcards. */
  readonly isPlainB?: boolean;
}

const isPattern = (segment: string) => segment.includes("*") || segment.includes("?");
const isFolders = (segment: string) => segment === "**";
const isStar = (character: string) => character === "*";

const ofName: MatchRules = {
  isMany: isStar,
  canMatch: (a, b) => a === b || a === "?",
  isPlainB: true,
};

function segmentsOverlap(a: string, b: string): boolean {
  if (!isPattern(a) && !isPattern(b)) return a === b;
  return haveCommonMatch([...a], [...b], {
    isMany: isStar,
    canMatch: (x, y) => x === y || x === "?" || y === "?",
  });
}

/**
 * Returns true if some sequence matches both of the given ones. Follows both at the same time and visits each
 * pair of positions once, so the work is at most the product of their lengths.
 */
function haveCommonMatch(
  a: Segments,
  b: Segments,
  { isMany, canMatch, isPlainB = false }: MatchRules,
): boolean {
  const width = b.length + 1;
  const reached = new Uint8Array((a.length + 1) * width);
  reached[0] = 1;
  for (let i = 0; i <= a.length; i += 1) {
    const x = a[i];
    const isXMany = x !== undefined && isMany(x);
    for (let j = 0; j <= b.length; j += 1) {
      const at = i * width + j;
      if (reached[at] === 0) continue;
      const y = b[j];
      const isYMany = !isPlainB && y !== undefined && isMany(y);
      // A wildcard for any number of elements either ends here or matches the next element on the other side.
      if (y !== undefined && (isXMany || isYMany)) reached[at + 1] = 1;
      if (x !== undefined && (isXMany || isYMany)) reached[at + width] = 1;
      if (x === undefined || y === undefined || isXMany || isYMany) continue;
      if (canMatch(x, y)) reached[at + width + 1] = 1;
    }
  }
  return reached[reached.length - 1] === 1;
}
