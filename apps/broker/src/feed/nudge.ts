import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { NudgeFrame, OutputOf, ParsedInputOf, WakePath } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { sessionClosed } from "../sessions/access/authorize.js";
import type { TeamContext } from "../sessions/context.js";
import type { Peer } from "../sessions/peers/peer.js";
import { type KnownPeer, presentPeers, readKnownPeers } from "../sessions/roster/known-peers.js";
import { addressOf, resolveRecipients } from "./recipients.js";
import type { FeedServices } from "./services.js";

/**
 * Runs the wake paths of those that `to` names, and tells what was reached; it posts nothing (NUDGE-1). A parked wait is
 * answered as at its timeout; a client that holds a peer is asked to run its own paths, and to say which it ran.
 *
 * @throws not_found or bad_request as a message to them would be answered
 */
export async function nudge(
  ctx: TeamContext<FeedServices>,
  input: ParsedInputOf<"nudge">,
): Promise<OutputOf<"nudge">> {
  const { services, session, team } = ctx;
  const channel = await services.channels.open(session.sessionId);
  if (channel.closed) throw sessionClosed(session);
  const known = await readKnownPeers(services, session.sessionId);
  const { reaches } = resolveRecipients(known, input.to, team.peer.peerId);
  const meant = presentPeers(known).filter(({ peerId }) => {
    return peerId !== team.peer.peerId && (reaches === null || reaches.includes(peerId));
  });
  const by: NudgeFrame["by"] = {
    name: addressOf({ team: team.name, name: team.peer.name }),
    human: team.kind === "human",
  };
  const reached = await Promise.all(meant.map(({ live }) => (live ? wake(ctx, live, by) : [])));
  return { nudged: meant.map((peer, index) => toNudged(peer, reached[index] ?? [])) };
}

async function wake(
  ctx: TeamContext<FeedServices>,
  peer: Peer,
  by: NudgeFrame["by"],
): Promise<readonly WakePath[]> {
  const waits = [...peer.waits];
  for (const wait of waits) wait.expire();
  const answers = await Promise.all(
    [...peer.holders].map((holder) =>
      withinNudgeTime(
        holder.nudge({ type: "nudge", id: randomUUID(), session_id: peer.sessionId, by }),
        ctx.signal,
      ),
    ),
  );
  return [...new Set([...(waits.length > 0 ? (["wait"] as const) : []), ...answers.flat()])];
}

/** A client that does not say in time what it has run has run nothing that could be told. */
async function withinNudgeTime(
  answer: Promise<readonly WakePath[]>,
  signal: AbortSignal,
): Promise<readonly WakePath[]> {
  const answered = new AbortController();
  const tooLate = delay(limits.nudgeAnswerMsMax, [], {
    signal: AbortSignal.any([answered.signal, signal]),
  }).catch(() => []);
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    answered.abort();
  }
}

function toNudged(
  { team, name, connections, lastSeenAt, joinedAt }: KnownPeer,
  reached: readonly WakePath[],
): OutputOf<"nudge">["nudged"][number] {
  return {
    team,
    peer: name,
    connected: connections > 0,
    reached: [...reached],
    last_seen_at: (lastSeenAt ?? joinedAt).toISOString(),
  };
}
