import type { Message, OutputOf, Peer } from "@merkle/wire";
import type { AttentionNeed } from "../needs.js";

/** The facts shown above the feed, as last read. */
export interface BoardFacts {
  readonly session: OutputOf<"get_session">;
  readonly peers: readonly Peer[];
  readonly needs: readonly AttentionNeed[];
}

/** The message filters. Pressing the filter key switches to the next in this order. */
export const filters = ["all", "chat", "asks"] as const;
type Filter = (typeof filters)[number];

/** Everything that the watch screen shows. */
export interface Board {
  readonly facts: BoardFacts;
  readonly filter: Filter;
  readonly messages: readonly FormattedMessage[];
  /** The text being typed; null if the user is not typing. */
  readonly draft: string | null;
  /** The last status message, about the connection or posted text. */
  readonly notice: string;
}

/** A message with its formatted text. */
export interface FormattedMessage {
  readonly message: Message;
  readonly text: string;
}

export function isShown({ type, content }: Message, filter: Filter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "chat":
      return type === "chat";
    case "asks":
      return type === "chat" && (content["kind"] === "ask" || content["answer"] !== undefined);
  }
}
