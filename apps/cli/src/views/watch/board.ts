import type { Message, OutputOf, Peer } from "@merkle/wire";
import type { Need } from "../needs.js";

/** The part above the feed, as it was read last. */
export interface Facts {
  readonly session: OutputOf<"get_session">;
  readonly peers: readonly Peer[];
  readonly needs: readonly Need[];
}

/** Which messages are shown. */
export const filters = ["all", "chat", "asks"] as const;
type Filter = (typeof filters)[number];

/** All that a watch shows. */
export interface Board {
  readonly facts: Facts;
  readonly filter: Filter;
  readonly messages: readonly Told[];
  /** The text that is being typed; null when nothing is. */
  readonly draft: string | null;
  /** The last thing that was said about the connection, or about what was typed. */
  readonly notice: string;
}

/** A message, and how it is printed. */
export interface Told {
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
