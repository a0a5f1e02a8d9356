import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import { say } from "./say.js";
import type { FeedServices } from "./services.js";

/** Posts a chat message to those that `to` names (SEND-1). */
export async function sendMessage(
  ctx: TeamContext<FeedServices>,
  input: ParsedInputOf<"send_message">,
): Promise<OutputOf<"send_message">> {
  const { message, to, priority, reply_to } = input;
  const content = input.private ? ({ private: true, sealed: message } as const) : { text: message };
  return say(ctx, { operation: "send_message", content, to, priority, reply_to });
}
