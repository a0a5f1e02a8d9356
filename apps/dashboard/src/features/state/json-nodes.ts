/** A line of a JSON value rendered as a tree. */
export type JsonNode =
  | {
      readonly kind: "value";
      /** Position in the value, as a JSON pointer. */
      readonly path: string;
      /** Property name or list index. Null for the whole value. */
      readonly name: string | null;
      readonly value: unknown;
      /** Number of members. Null if the value is not a list or object. */
      readonly childCount: number | null;
      readonly isOpen: boolean;
      readonly level: number;
    }
  /** A placeholder line for the hidden members of a long list or object. */
  | { readonly kind: "more"; readonly path: string; readonly left: number; readonly level: number };

/** Number of members of a list or object that are shown initially. */
export const childrenPerPage = 100;

export interface OpenNodes {
  /** Paths of the expanded nodes. */
  readonly open: ReadonlySet<string>;
  /** Number of members shown per path, if more than `childrenPerPage`. */
  readonly shown: ReadonlyMap<string, number>;
}

/** Returns the visible lines of a value, from top to bottom. Collapsed parts are not traversed. */
export function listVisibleNodes(value: unknown, { open, shown }: OpenNodes): readonly JsonNode[] {
  const nodes: JsonNode[] = [];
  const visit = (path: string, name: string | null, child: unknown, level: number) => {
    const entries = listEntries(child);
    const isOpen = entries !== null && entries.length > 0 && open.has(path);
    nodes.push({
      kind: "value",
      path,
      name,
      value: child,
      childCount: entries?.length ?? null,
      isOpen,
      level,
    });
    if (!isOpen) return;
    const count = shown.get(path) ?? childrenPerPage;
    for (const [key, inner] of entries.slice(0, count)) visit(toChildPath(path, key), key, inner, level + 1);
    if (entries.length > count)
      nodes.push({ kind: "more", path, left: entries.length - count, level: level + 1 });
  };
  visit("", null, value, 1);
  return nodes;
}

/** Returns the paths to expand so that a value is visible down to `level`. Skips nodes that would exceed `linesMax` lines. */
export function computeOpenNodes(value: unknown, level: number, linesMax: number): ReadonlySet<string> {
  const open = new Set<string>();
  let lines = 1;
  let row: (readonly [path: string, value: unknown])[] = [["", value]];
  for (let depth = 0; depth < level; depth++) {
    const next: typeof row = [];
    for (const [path, each] of row) {
      const entries = listEntries(each) ?? [];
      if (entries.length === 0 || lines + entries.length > linesMax) continue;
      lines += entries.length;
      open.add(path);
      next.push(...entries.map(([key, inner]) => [toChildPath(path, key), inner] as const));
    }
    row = next;
  }
  return open;
}

function listEntries(value: unknown): readonly (readonly [string, unknown])[] | null {
  return typeof value === "object" && value !== null ? Object.entries(value) : null;
}

function toChildPath(path: string, key: string): string {
  return `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
