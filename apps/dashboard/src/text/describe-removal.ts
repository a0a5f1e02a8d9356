import { findEventKind, isRedacted, type Message, type Redaction } from "@merkle/wire";
import { showHidden } from "./markdown/hidden-characters";

/** `Text removed by Ana`, in place of a text. The time and reason are shown beside it. */
export function describeRemoval(redaction: Redaction | undefined): string {
  const by = redaction?.by ?? null;
  return by === null ? "Text removed" : `Text removed by \u2068${showHidden(by)}\u2069`;
}

/** The same with its reason, where there is but one line for both. */
export function describeRemovalInLine(redaction: Redaction | undefined): string {
  const reason = redaction?.reason ?? null;
  return reason === null
    ? describeRemoval(redaction)
    : `${describeRemoval(redaction)}: ${showHidden(reason)}`;
}

/** Whether a message has a text that a person may remove. */
export function hasRemovableText(message: Message): boolean {
  return (
    !isRedacted(message) && (message.type === "chat" || findEventKind(message.event)?.holdsText === true)
  );
}
