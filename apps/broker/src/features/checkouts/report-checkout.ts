import { saveCheckout } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "../../sessions/context.js";

/** Stores where the calling peer works, with the task that it holds (CHECKOUT-1). */
export async function reportCheckout(
  ctx: TeamContext<SessionServices>,
  { checkout }: ParsedInputOf<"report_checkout">,
): Promise<OutputOf<"report_checkout">> {
  const { sessionId } = ctx.session;
  const { channels } = ctx.services;
  return ctx.write(async ({ tx, afterCommit }) => {
    const task = await saveCheckout(tx, { sessionId, peerId: ctx.team.peer.peerId, checkout });
    afterCommit(() =>
      channels.announceChange(
        sessionId,
        task === 0 ? "roster" : "tasks",
        channels.find(sessionId)?.head ?? 0,
      ),
    );
    return { task: task === 0 ? null : task };
  });
}
