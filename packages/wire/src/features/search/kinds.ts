/** The kinds of items that `search` finds, in the order of display. */
export const searchKinds = [
  "message",
  "decision",
  "document",
  "task",
  "memory",
  "session",
  "state",
  "progress",
  "topic",
] as const;

export type SearchKind = (typeof searchKinds)[number];
