import type { StoredMessage } from "@merkle/db";
import type { MeshChangedKind, SystemEvent } from "@merkle/wire";

/** Which reads of the mesh a committed message changes; a kind too many costs a read, one too few leaves a page wrong. */
export function changesOf(message: StoredMessage): readonly MeshChangedKind[] {
  if (message.type === "system") return changesOfEvent(message);
  const mayNeedSomebody = message.authorHuman || message.answers !== null || isAsk(message);
  return mayNeedSomebody ? ["sessions", "attention"] : ["sessions"];
}

const changesByEvent: Readonly<Record<SystemEvent["event"], readonly MeshChangedKind[]>> = {
  team_joined: ["sessions", "attention"],
  team_left: ["sessions", "attention"],
  session_metadata_updated: ["sessions", "attention"],
  session_concluded: ["sessions", "attention"],
  session_held: ["sessions", "attention"],
  session_resumed: ["sessions", "attention"],
  budget_spent: ["sessions", "attention"],
  settings_changed: ["settings", "attention"],
  proposal_decided: [],
  topic_opened: ["topics"],
  topic_closed: ["topics"],
  topic_reopened: ["topics"],
  state_changed: [],
  message_redacted: ["sessions", "attention"],
};

function changesOfEvent({ content }: StoredMessage): readonly MeshChangedKind[] {
  const { event }: SystemEvent = JSON.parse(content);
  return changesByEvent[event];
}

/** Canonical JSON has its quotes escaped within a text, so this is a key and its value. */
function isAsk({ content }: StoredMessage): boolean {
  return content.includes('"kind":"ask"');
}
