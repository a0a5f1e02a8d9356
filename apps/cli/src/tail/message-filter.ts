import type { Message } from "@merkle/wire";
import type { MessageType, TailOptions } from "../feed/tail/tail-options.js";

/** Tells which messages the flags ask for: of these types, and said or caused by this team. */
export function createFilter({
  types,
  from,
}: Pick<TailOptions, "types" | "from">): (message: Message) => boolean {
  const team = from?.trim().toLowerCase();
  return (message) =>
    (types === undefined || types.some((type) => isOfType(message, type))) &&
    (team === undefined || teamOf(message).toLowerCase() === team);
}

function isOfType({ type, content }: Message, wanted: MessageType): boolean {
  switch (wanted) {
    case "ask":
      return type === "chat" && (content["kind"] === "ask" || content["answer"] !== undefined);
    case "decision":
      return type === "chat" && content["kind"] === "decision";
    default:
      return type === wanted;
  }
}

function teamOf({ from, content }: Message): string {
  const team = from?.team ?? content["by"] ?? content["team"];
  return typeof team === "string" ? team : "";
}
