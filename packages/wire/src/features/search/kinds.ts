/** The kinds of items that `search` finds, in display order. */
export const searchKinds = [
  "message",
  "decision",
  "document",
  "memory",
  "session",
  "state",
  "progress",
  "topic",
] as const;

export type SearchKind = (typeof searchKinds)[number];
