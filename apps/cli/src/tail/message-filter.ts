import type { Message } from "@merkle/wire";
import type { TailOptions } from "./tail-options.js";

/** Tells which messages the flags ask for: of these types, and said or caused by this team. */
export function createFilter({
  types,
  from,
}: Pick<TailOptions, "types" | "from">): (message: Message) => boolean {
  const team = from?.trim().toLowerCase();
  return (message) =>
    (types === undefined || types.includes(message.type)) &&
    (team === undefined || teamOf(message).toLowerCase() === team);
}

function teamOf({ from, content }: Message): string {
  const team = from?.team ?? content["by"] ?? content["team"];
  return typeof team === "string" ? team : "";
}
