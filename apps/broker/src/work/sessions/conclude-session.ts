import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { AgentContext, SessionContext, TeamContext } from "../../sessions/context.js";
import type { TopicServices } from "../topics/services.js";
import { concludeAsAgent } from "./conclude-as-agent.js";
import { concludeWith } from "./conclude-with.js";

/** Ends a session, as a team of it or as the agent that the session lets conclude. */
export async function concludeSession(
  ctx: TeamContext<TopicServices> | (SessionContext<TopicServices> & AgentContext<TopicServices>),
  { summary_section }: ParsedInputOf<"conclude_session">,
): Promise<OutputOf<"conclude_session">> {
  if (ctx.team === null) return concludeAsAgent(ctx, summary_section);
  return concludeWith(ctx, { summary: summary_section });
}
