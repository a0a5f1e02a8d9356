import type { OutputOf } from "@merkle/wire";
import { addressOf } from "./roster-rows";

type Nudged = OutputOf<"nudge">["nudged"][number];

/** What a nudge came to, for each peer that it was for. */
export function describeNudge(nudged: readonly Nudged[]): string {
  return nudged.length === 0 ? "Nobody is there to be woken." : nudged.map(describePeer).join(" ");
}

function describePeer({ team, peer, connected, reached }: Nudged): string {
  const name = addressOf(team, peer);
  if (reached.length > 0) return `${name} was woken (${reached.map((path) => wakeWords[path]).join(", ")}).`;
  if (connected) return `${name} is connected, but nothing can wake it: it reads when it next looks.`;
  return `${name} is away and reads when it comes back.`;
}

const wakeWords = {
  inbox: "by its inbox",
  hooks: "in its running turn",
  wait: "its wait was answered",
  channel: "by its channel",
} as const;
