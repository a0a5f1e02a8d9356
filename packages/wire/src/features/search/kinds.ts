/** The kinds of things that `search` finds, in the order in which they are offered. */
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
