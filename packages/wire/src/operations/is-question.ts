import type { AlertKind, AttentionItem } from "./attention.js";

/** Returns whether the item is a question that can be answered: an ask, or a blocked peer with its open ask (ATT-4). */
export function isQuestion({ kind, sequence }: Pick<AttentionItem, "kind" | "sequence">): boolean {
  return kind === "ask" || (kind === "blocked" && sequence !== null);
}

/** Returns the kinds of alerts that cover an item. A blocked peer's question is both. */
export function listAlertKinds(item: AttentionItem): readonly AlertKind[] {
  return item.kind === "blocked" && isQuestion(item) ? ["blocked", "ask"] : [item.kind];
}
