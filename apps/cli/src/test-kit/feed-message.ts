import type { Message } from "@merkle/wire";

/** Creates a chat message to everyone, in the form that a subscription pushes. `special` overrides fields. */
export function createFeedMessage(sequence: number, special: Partial<Message> = {}): Message {
  return {
    id: "5e551000-0000-4000-8000-000000000001",
    session_id: "5e551000-0000-4000-8000-000000000001",
    sequence,
    type: "chat",
    posted_by_team_id: null,
    from: { team: "Alder", human: false },
    to: ["*"],
    priority: "next",
    content: { text: "hello" },
    posted_at: "2026-01-01T00:00:00.000Z",
    ...special,
  };
}

/** Creates an event in a feed. Events have no author. */
export function createFeedEvent(sequence: number, event: string, special: Partial<Message> = {}): Message {
  return createFeedMessage(sequence, { type: "system", from: null, event, content: { event }, ...special });
}
