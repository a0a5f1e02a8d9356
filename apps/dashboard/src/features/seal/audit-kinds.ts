import { findEventKind, type Message } from "@merkle/wire";
import { readKind } from "@/feed/store/message-text";

/** The kinds of message in the audit log. */
export const auditKinds = ["people", "session", "decision", "record"] as const;
export type AuditKind = (typeof auditKinds)[number];

export const auditKindLabels: Readonly<Record<AuditKind, string>> = {
  people: "Joins and leaves",
  session: "Changes and holds",
  decision: "Decisions",
  record: "Seals and removals",
};

/**
 * Returns the kind of a message in the audit log. Null for chat other than decisions, and for state changes, which have their own
 * history.
 */
export function findAuditKind(message: Message): AuditKind | null {
  if (message.type === "chat") return readKind(message) === "decision" ? "decision" : null;
  const kind = findEventKind(message.event);
  return kind ? kind.log : "session";
}

export function parseAuditKind(text: string | null): AuditKind | null {
  return auditKinds.find((kind) => kind === text) ?? null;
}
