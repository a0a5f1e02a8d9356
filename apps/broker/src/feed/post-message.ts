import type { OutputOf, ParsedInputOf, TeamContext } from "../context.js";
import { say } from "./say.js";

/** Posts a chat message, to everyone unless `to` names some (SEND-1). */
export async function postMessage(
  ctx: TeamContext,
  input: ParsedInputOf<"post_message">,
): Promise<OutputOf<"post_message">> {
  const { content, to, priority, reply_to } = input;
  return say(ctx, { operation: "post_message", content, to, priority, reply_to });
}
