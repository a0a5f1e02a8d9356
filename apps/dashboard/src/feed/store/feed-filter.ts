import type { InputOf } from "@merkle/wire";

/** The kinds of message that have a filter chip, named as in the URL. */
export const feedTypes = ["chat", "ask", "decision", "system"] as const;
export type FeedType = (typeof feedTypes)[number];

export interface FeedViewFilter {
  /** The kinds of message to show. Empty for all kinds. */
  readonly types: readonly FeedType[];
  readonly team: string | null;
  readonly q: string | null;
  /** Sequence of a message. Shows only the thread that contains it. */
  readonly thread: number | null;
}

/** Parses a list such as `chat,ask` from the URL. Ignores unknown words. */
export function parseFeedTypes(text: string | null): readonly FeedType[] {
  const names = new Set((text ?? "").split(","));
  const types = feedTypes.filter((type) => names.has(type));
  return types.length === feedTypes.length ? [] : types;
}

export function isFiltered({ types, team, q, thread }: FeedViewFilter): boolean {
  return types.length > 0 || team !== null || q !== null || thread !== null;
}

type HistoryFilter = Pick<InputOf<"get_history">, "types" | "kinds" | "team" | "q" | "thread">;

/** Converts the filter to the input of `get_history`. */
export function toHistoryFilter({ types, team, q, thread }: FeedViewFilter): HistoryFilter {
  return {
    ...toTypes(types),
    ...(team === null ? {} : { team }),
    ...(thread === null ? {} : { thread }),
    ...(q === null || q.trim() === "" ? {} : { q: q.trim() }),
  };
}

const kinds = { chat: "plain", ask: "ask", decision: "decision" } as const;

function toTypes(types: readonly FeedType[]): HistoryFilter {
  if (types.length === 0) return {};
  const chat = types.filter((type) => type !== "system").map((type) => kinds[type]);
  if (chat.length === 0) return { types: ["system"] };
  const all = chat.length === 3 ? {} : { kinds: chat };
  return types.includes("system") ? all : { types: ["chat"], ...all };
}
