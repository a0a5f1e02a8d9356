/**
 * Merges Tailwind classes: if two set the same property under the same conditions, the later one wins. Covers the
 * classes used in the dashboard and leaves others unchanged. The tailwind-merge library covers all of Tailwind, but
 * would be a quarter of our pages' scripts. A test compares the results of both.
 */
export function mergeClasses(text: string): string {
  const cached = merged.get(text);
  if (cached !== undefined) return cached;
  const result = merge(text);
  if (merged.size < mergedMax) merged.set(text, result);
  return result;
}

/** Cache of merge results, because the same few strings recur in every render. */
const merged = new Map<string, string>();
const mergedMax = 2_000;

function merge(text: string): string {
  const seenGroups = new Set<string>();
  const keptNames: string[] = [];
  for (const name of text.split(/\s+/).filter(Boolean).reverse()) {
    const { condition, utility } = parseClass(name);
    const [group, ...overrides] = findGroups(utility);
    if (group !== undefined) {
      if (seenGroups.has(`${condition}${group}`)) continue;
      for (const each of [group, ...overrides]) seenGroups.add(`${condition}${each}`);
    }
    keptNames.push(name);
  }
  return keptNames.reverse().join(" ");
}

/** Splits `sm:hover:p-2` into `p-2` and its conditions, whose order does not matter. */
function parseClass(name: string): { condition: string; utility: string } {
  const parts = name.split(/:(?![^[(]*[\])])/);
  const last = parts.pop() ?? "";
  const isImportant = last.startsWith("!") || last.endsWith("!");
  return {
    condition: `${parts.sort().join(":")}${isImportant ? "!" : ""} `,
    utility: last.replace(/^!|!$/g, "").replace(/^-/, ""),
  };
}

/** Returns the group of properties that a class sets, followed by the groups that it overrides. Empty for an unknown class. */
function findGroups(utility: string): readonly string[] {
  for (const [pattern, toGroups] of rules) {
    const match = pattern.exec(utility);
    if (match) return toGroups(match[1] ?? "", match[2] ?? "");
  }
  return [];
}

type ToGroups = (first: string, second: string) => readonly string[];

const sides: Readonly<Record<string, readonly string[]>> = {
  "": ["x", "y", "t", "r", "b", "l", "s", "e"],
  x: ["l", "r", "s", "e"],
  y: ["t", "b"],
};
const corners: Readonly<Record<string, readonly string[]>> = {
  "": ["t", "r", "b", "l", "tl", "tr", "bl", "br"],
  t: ["tl", "tr"],
  r: ["tr", "br"],
  b: ["bl", "br"],
  l: ["tl", "bl"],
};

const expandSides: ToGroups = (property, side) => [
  `${property}${side}`,
  ...(sides[side] ?? []).map((each) => `${property}${each}`),
];
const group =
  (...names: readonly string[]): ToGroups =>
  () =>
    names;
const toProperty: ToGroups = (property) => [property];

const rules: readonly (readonly [RegExp, ToGroups])[] = [
  [/^float-/, group("float")],
  [
    /^(?:block|inline-block|inline|flex|inline-flex|grid|inline-grid|contents|hidden|table|table-cell|flow-root)$/,
    group("display"),
  ],
  [/^(?:static|fixed|absolute|relative|sticky)$/, group("position")],
  [/^(?:sr-only|not-sr-only)$/, group("sr-only")],
  [/^(?:visible|invisible|collapse)$/, group("visibility")],
  [/^(p|m)([xytrblse]?)-/, expandSides],
  [/^(scroll-[mp])([xytrblse]?)-/, expandSides],
  [/^(break-after|break-before|break-inside)-/, toProperty],
  [/^size-/, group("size", "w", "h")],
  [/^line-clamp-/, group("line-clamp", "display", "overflow")],
  [/^(justify-items|justify-self|field-sizing)-/, toProperty],
  [/^overscroll-([xy])-/, (axis) => [`overscroll-${axis}`]],
  [/^overscroll-/, group("overscroll", "overscroll-x", "overscroll-y")],
  [
    /^(w|h|min-w|max-w|min-h|max-h|basis|z|order|opacity|cursor|select|col-span|col-start|row-span|grid-cols|grid-rows|auto-rows|self|justify|items|content|whitespace|leading|tracking|duration|delay|ease|animate|aspect|resize|appearance|pointer-events|outline-offset|underline-offset|shadow|columns|will-change|list|align|touch|object|place-items|place-content)-/,
    toProperty,
  ],
  [/^(gap)-([xy])-/, (property, axis) => [`${property}-${axis}`]],
  [/^gap-/, group("gap", "gap-x", "gap-y")],
  [/^overflow-([xy])-/, (axis) => [`overflow-${axis}`]],
  [/^overflow-/, group("overflow", "overflow-x", "overflow-y")],
  [/^inset-x-/, group("inset-x", "left", "right", "start", "end")],
  [/^inset-y-/, group("inset-y", "top", "bottom")],
  [/^inset-/, group("inset", "inset-x", "inset-y", "top", "right", "bottom", "left", "start", "end")],
  [/^(top|right|bottom|left|start|end)-/, toProperty],
  [/^text-(?:xs|sm|base|lg|xl|[2-9]xl|title|\[[\d.]+(?:px|rem|em)\])$/, group("font-size", "leading")],
  [/^text-(?:left|center|right|start|end)$/, group("text-align")],
  [/^text-(?:wrap|nowrap|balance|pretty)$/, group("text-wrap")],
  [/^(?:truncate|text-ellipsis|text-clip)$/, group("text-overflow")],
  [/^text-/, group("text-color")],
  [/^font-(?:sans|mono)$/, group("font-family")],
  [/^font-/, group("font-weight")],
  [/^(?:tabular-nums|proportional-nums)$/, group("numeric")],
  [/^(?:underline|no-underline|line-through)$/, group("text-decoration")],
  [/^decoration-\d/, group("decoration-thickness")],
  [/^(?:uppercase|lowercase|capitalize|normal-case)$/, group("text-transform")],
  [/^(?:italic|not-italic)$/, group("font-style")],
  [/^break-(?:normal|words|all|keep)$/, group("break")],
  [/^bg-/, group("bg")],
  [/^border-(?:collapse|separate)$/, group("border-collapse")],
  [/^border-(?:solid|dashed|dotted|double|none)$/, group("border-style")],
  [/^border(?:-([xytrblse]))?(?:-\d+|-\[[\d.]+px\])?$/, (side) => expandSides("border-w", side)],
  [/^border(?:-([xytrblse]))?-/, (side) => expandSides("border-color", side)],
  [
    /^rounded(?:-(tl|tr|bl|br|[trbl]))?(?:-|$)/,
    (corner) => [`rounded${corner}`, ...(corners[corner] ?? []).map((each) => `rounded${each}`)],
  ],
  [/^flex-(?:row|col)/, group("flex-direction")],
  [/^flex-(?:wrap|nowrap)/, group("flex-wrap")],
  [/^flex-/, group("flex", "basis", "grow", "shrink")],
  [/^(grow|shrink)(?:-|$)/, toProperty],
  [/^divide-([xy])(?:-|$)/, (axis) => [`divide-${axis}`]],
  [/^space-([xy])-/, (axis) => [`space-${axis}`]],
  [/^(translate)-([xy])-/, (property, axis) => [`${property}-${axis}`]],
  [/^table-(?:fixed|auto)$/, group("table-layout")],
  [/^shadow$/, group("shadow")],
  [/^transition(?:-|$)/, group("transition")],
  [/^outline(?:-\d+)?$/, group("outline-width")],
  [/^outline-none$/, group("outline-style")],
  [/^outline-/, group("outline-color")],
  [/^fill-/, group("fill")],
  [/^stroke-/, group("stroke")],
];
