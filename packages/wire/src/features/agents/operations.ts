import * as z from "zod";
import { formatAgentUnread } from "../../core/unread-text.js";
import { asTeam, Sequence, StorableText, Timestamp, Uuid } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { Peer } from "../../operations/peers.js";
import { formatInlineAddress, formatInlineName, joinLines } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

/** Something that an agent waits for a reply to: an ask in the feed, or a permission request. */
export const AgentWait = z
  .object({
    kind: z.enum(["ask", "approval"]),
    number: z.int().meta({ description: "Message number of the ask, or number of the approval." }),
    on: z.array(z.string()).meta({ description: "Recipients; empty for everyone." }),
    human: z.boolean().meta({ description: "Whether a human can answer it." }),
    text: z.string().meta({ description: "Cut at 500 characters." }),
    since: Timestamp,
  })
  .meta({ id: "AgentWait" });

export type AgentWait = z.output<typeof AgentWait>;

export const Agent = Peer.pick({
  peer_id: true,
  team_id: true,
  team: true,
  name: true,
  role: true,
  status: true,
  presence: true,
  declared: true,
  summary: true,
  summary_at: true,
  joined_at: true,
  last_seen_at: true,
  polling: true,
  task: true,
})
  .extend({
    session_id: Uuid,
    session: z.string().meta({ description: "Its slug." }),
    session_title: z.string(),
    colour: z.int(),
    model: z.string().nullable(),
    waits: z.array(AgentWait).meta({ description: "Oldest first." }),
    unread: z.int().meta({
      description: "Undelivered messages for it, up to 100.",
    }),
    tokens: z
      .int()
      .nullable()
      .meta({ description: "As reported, without cached tokens; null if not reported." }),
    cost_usd: z.number().nullable(),
  })
  .meta({ id: "Agent" });

export type Agent = z.output<typeof Agent>;

/** A message between agents, as shown on the map of agents. */
export const AgentTalk = z
  .object({
    session_id: Uuid,
    sequence: Sequence,
    from: Uuid.nullable().meta({ description: "The agent's peer; null for a human, or one that has left." }),
    to: z.array(Uuid).nullable().meta({ description: "The agents that it is for; null for everyone." }),
    ask: z.boolean(),
    at: Timestamp,
  })
  .meta({ id: "AgentTalk" });

export type AgentTalk = z.output<typeof AgentTalk>;

export const listAgents = operation("list_agents", {
  summary:
    "See the agents of all open sessions: what each does, its task, who it waits for and what it has not read.",
  unlisted: true,
  input: z.strictObject({
    session: StorableText.min(1)
      .max(100)
      .optional()
      .meta({ description: "Only agents of this session, by id or slug." }),
    ...asTeam,
  }),
  output: z.object({
    agents: z.array(Agent).meta({
      description:
        "At most 200: first agents that are blocked or ask a human, then agents that ask others; most recently seen first.",
    }),
    talk: z.array(AgentTalk).meta({
      description: "Messages of the last five minutes, oldest first.",
    }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ agents }) => joinLines(...agents.map(compactAgent), agents.length === 0 && "no agents"),
});

/** Formats an agent in one line. All text in the line comes from other users. */
function compactAgent({
  team,
  name,
  session,
  presence,
  declared,
  summary,
  task,
  waits,
  unread,
}: Agent): string {
  const facts = [
    declared?.status ?? presence,
    declared?.reason,
    task && `task ${task.task}`,
    ...waits.map(
      ({ on, human }) =>
        `waits for ${on.length > 0 ? on.map(formatInlineName).join(", ") : human ? "a human" : "an answer"}`,
    ),
    formatAgentUnread(unread),
  ].filter(Boolean);
  return `- ${formatInlineAddress(team, name)} in ${session}, ${facts.join(", ")}${summary && `: ${summary}`}`;
}
