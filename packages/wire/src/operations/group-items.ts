import { formatNumber } from "../core/format-number.js";
import type { AttentionItem } from "./attention.js";

type Kind = AttentionItem["kind"];

/** The items of one kind, in the order of the list. */
export interface ItemGroup {
  readonly kind: Kind;
  /** Items with a line each. */
  readonly shown: readonly AttentionItem[];
  /** Items behind one line that unfolds, after the shown items. */
  readonly folded: readonly AttentionItem[];
  /** The number of folded items, including those that the broker counted and did not list. */
  readonly foldedCount: number;
  /** True if the person has unfolded the group. Its folded items are then listed as well. */
  readonly isOpen: boolean;
}

export interface GroupOptions {
  readonly items: readonly AttentionItem[];
  readonly kinds: readonly { readonly kind: Kind; readonly count: number }[];
  /** The kinds that the person has unfolded. */
  readonly opened: ReadonlySet<string>;
  /** The item in the URL. It always has a line. */
  readonly linkedId: string | null;
}

/** Above this number of lines, kinds fold, the least urgent first. */
const linesMax = 5;

/**
 * Groups items by kind and folds groups until the list has at most `linesMax` lines. The most urgent kind is folded last and
 * keeps as many lines as there is room for. Items of a single kind are not folded.
 */
export function groupItems({ items, kinds, opened, linkedId }: GroupOptions): ItemGroup[] {
  const found = [...new Set(items.map(({ kind }) => kind))].map((kind) => ({
    kind,
    ofKind: items.filter((item) => item.kind === kind),
  }));
  const isFolded = new Set<Kind>();
  const countLines = () =>
    found.reduce((lines, { kind, ofKind }) => lines + (isFolded.has(kind) ? 1 : ofKind.length), 0);
  for (const { kind, ofKind } of found.slice(1).reverse()) {
    if (countLines() > linesMax && ofKind.length > 1) isFolded.add(kind);
  }
  return found.map(({ kind, ofKind }, index) => {
    const isFirst = index === 0;
    const room = linesMax - (countLines() - ofKind.length);
    const kept = isFolded.has(kind)
      ? 0
      : isFirst && found.length > 1
        ? countKept(ofKind.length, room)
        : ofKind.length;
    const shown = ofKind.slice(0, kept);
    const folded = ofKind.slice(kept);
    const counted = kinds.find((each) => each.kind === kind)?.count ?? ofKind.length;
    return {
      kind,
      shown,
      folded,
      foldedCount: folded.length === 0 ? 0 : Math.max(counted, ofKind.length) - kept,
      isOpen: opened.has(kind) || folded.some(({ id }) => id === linkedId),
    };
  });
}

/** Returns how many of the items have a line each. The line that unfolds the others needs room as well. */
function countKept(items: number, room: number): number {
  return items <= Math.max(room, 1) ? items : Math.max(room - 1, 0);
}

/** Describes items of one kind in a line, such as `23 tasks were handed back`. */
export function describeGroup({ kind, shown, folded, foldedCount }: ItemGroup): string {
  const count = `${formatNumber(foldedCount)}${shown.length > 0 ? " more" : ""}`;
  switch (kind) {
    case "blocked":
      return `${count} agents are blocked`;
    case "ask":
      return `${count} questions have no answer`;
    case "approval":
      return `${count} requests for permission`;
    case "proposal":
      return `${count} proposals to review`;
    case "in_review":
      return `${count} tasks to review`;
    case "held":
      return `${count} sessions are held`;
    case "budget_spent":
      return `${count} sessions have reached their message limit`;
    case "job_failed":
      return `${count} jobs failed`;
    case "handed_back":
      return `${count} ${folded.some(({ number }) => number === null) ? "tasks and claims" : "tasks"} were handed back`;
    case "undelivered":
      return `${count} sessions have undelivered messages`;
    case "budget_near":
      return `${count} token budgets are nearly used up`;
    case "quota_near":
      return `${count} quotas are nearly used up`;
    case "quiet":
      return `${count} sessions have gone quiet`;
  }
}
