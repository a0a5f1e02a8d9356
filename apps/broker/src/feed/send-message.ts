import type { OutputOf, ParsedInputOf, TeamContext } from "../context.js";
import { say } from "./say.js";

/** Posts a chat message to those that `to` names (SEND-1). */
export async function sendMessage(
  ctx: TeamContext,
  input: ParsedInputOf<"send_message">,
): Promise<OutputOf<"send_message">> {
  const { message: text, to, priority, reply_to } = input;
  return say(ctx, { operation: "send_message", content: { text }, to, priority, reply_to });
}
