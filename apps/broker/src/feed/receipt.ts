import { MerkleError } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import { offerUpTo, type Peer } from "../sessions/peers/peer.js";
import { refuseBeyondEnd, refuseOtherHistory } from "./cursors.js";
import type { Channel } from "./delivery/channel.js";
import type { FeedServices } from "./services.js";

/** Names what a reply without a cursor brought to a peer, for the call that says that it has arrived (CURSOR-6). */
export function makeReceipt({ database }: FeedServices, { peerId }: Peer, upTo: number): string {
  return `${upTo}.${peerId}.${database.epoch}`;
}

/**
 * Returns up to where the reply went; 0 for `none`, by which a caller says that it has none yet.
 *
 * @throws bad_request for what is no receipt of this peer, resync for one from another history of the database
 */
export async function readReceipt(
  ctx: TeamContext<FeedServices>,
  channel: Channel,
  receipt: string,
): Promise<number> {
  const { peer } = ctx.team;
  if (receipt === "none") return 0;
  const [, upTo, peerId, epoch] = /^(\d{1,15})\.([0-9a-f-]{36})\.([0-9a-f-]{36})$/.exec(receipt) ?? [];
  if (upTo === undefined || peerId !== peer.peerId) {
    throw new MerkleError(
      "bad_request",
      `receipt ${upTo === undefined ? "is no receipt" : "is another peer's or session's"}. Give the one of your own last reply as it was, or none before the first.`,
      { fields: [{ field: "receipt", problem: "is no receipt of yours" }] },
    );
  }
  await refuseOtherHistory(ctx, { epoch });
  await refuseBeyondEnd(ctx, "receipt", Number(upTo), channel.head);
  // The broker may have been killed before it had noted that the reply was written.
  offerUpTo(peer, Number(upTo));
  return Number(upTo);
}
