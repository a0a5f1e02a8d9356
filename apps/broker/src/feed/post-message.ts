import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import { say } from "./say.js";
import type { FeedServices } from "./services.js";

/** Posts a chat message, to everyone unless `to` names some (SEND-1). */
export async function postMessage(
  ctx: TeamContext<FeedServices>,
  input: ParsedInputOf<"post_message">,
): Promise<OutputOf<"post_message">> {
  const { content, to, priority, reply_to } = input;
  return say(ctx, { operation: "post_message", content, to, priority, reply_to });
}
