import type { AttentionItem } from "@merkle/wire";

/** Where an item happened, as a path of the dashboard: an ask at its message, a proposal where it is decided about. */
export function placeOfItem({
  kind,
  session,
  sequence,
  number,
}: Pick<AttentionItem, "kind" | "session" | "sequence" | "number">): string {
  const home = `/sessions/${session}`;
  if (kind === "proposal") return `${home}/doc?proposal=${number}`;
  if (kind === "job_failed") return `${home}/jobs`;
  return sequence === null ? home : `${home}?m=${sequence}`;
}
