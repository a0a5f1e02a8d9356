/**
 * Patterns of paths, as claims on files have them: segments between slashes, in which `*` is any text and `?` one character,
 * and `**` for any number of whole segments, none included. All else stands for itself.
 */
type Segments = readonly string[];

/** Why a text is no pattern that can be decided about; null where it is one. */
export function problemOfGlob(glob: string): string | null {
  if (/[{}[\]!\\]/.test(glob)) return "only *, ** and ? are wildcards, so { } [ ] ! and \\ are not allowed";
  const segments = glob.split("/");
  if (segments.some((each) => each === "" || each === "." || each === ".."))
    return "must be a path from the repository's root, without empty parts, . and ..";
  if (segments.some((each) => each.includes("**") && each !== "**"))
    return "** matches whole folders, so it must be alone between two slashes";
  return null;
}

/** Whether there is a path that both patterns mean. */
export function globsOverlap(a: string, b: string): boolean {
  return meet(a.split("/"), b.split("/"), { isMany: isFolders, mayMeet: segmentsMeet });
}

/** Whether the pattern means this path; in a path nothing stands for anything else. */
export function globMatches(glob: string, path: string): boolean {
  return meet(glob.split("/"), path.split("/"), {
    isMany: isFolders,
    mayMeet: (segment, name) =>
      segment === name || (isPattern(segment) && meet([...segment], [...name], ofName)),
    isPlainB: true,
  });
}

interface Steps {
  /** Whether an element stands for any number of the other side's. */
  isMany(element: string): boolean;
  mayMeet(a: string, b: string): boolean;
  /** Whether nothing of the second side stands for anything else. */
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
 * Whether two sequences can stand for the same one: both automata are walked at once, each pair of places once, so that the
 * work is the product of the lengths whatever the patterns are.
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
      // One that stands for any number ends here, or takes what the other side has next.
      if (y !== undefined && (xIsMany || yIsMany)) reached[at + 1] = 1;
      if (x !== undefined && (xIsMany || yIsMany)) reached[at + width] = 1;
      if (x === undefined || y === undefined || xIsMany || yIsMany) continue;
      if (mayMeet(x, y)) reached[at + width + 1] = 1;
    }
  }
  return reached[reached.length - 1] === 1;
}
