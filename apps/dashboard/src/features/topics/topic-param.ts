import { setQuery } from "@/core/address/address";
import { useQueryParam } from "@/core/address/use-query-param";

/** The comments that the URL selects: `?topic=7` or `?topic=list`. */
export type ShownTopic = number | "list" | null;

export function useTopicParam(): ShownTopic {
  const [text] = useQueryParam("topic");
  if (text === "list") return text;
  return text !== null && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null;
}

export function showTopic(shown: ShownTopic): void {
  setQuery({ topic: shown === null ? null : String(shown) });
}
