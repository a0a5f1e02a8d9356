import { findEventKind, isRedacted, type Message, type Redaction } from "@merkle/wire";
import { showHidden } from "./markdown/hidden-characters";

/** Returns a placeholder for removed text, such as `Text removed by Ana`. The page shows time and reason next to it. */
export function describeRemoval(redaction: Redaction | undefined): string {
  const by = redaction?.by ?? null;
  return by === null ? "Text removed" : `Text removed by \u2068${showHidden(by)}\u2069`;
}

/** Returns the placeholder including the reason, for places with a single line. */
export function describeRemovalInLine(redaction: Redaction | undefined): string {
  const reason = redaction?.reason ?? null;
  return reason === null
    ? describeRemoval(redaction)
    : `${describeRemoval(redaction)}: ${showHidden(reason)}`;
}

/** True if the message has text that can be removed. */
export function hasRemovableText(message: Message): boolean {
  return !isRedacted(message) && (message.type === "chat" || findEventKind(message.event)?.hasText === true);
}
