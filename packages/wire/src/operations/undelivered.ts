import * as z from "zod";
import { asTeam, Sequence, StorableText, Timestamp, Uuid } from "../core/values.js";
import { formatMessageTime } from "../feed/compact.js";
import { formatInlineAddress, formatInlineName, joinLines } from "../text/neutralise.js";
import { operation } from "./core-operation.js";

export const listUndelivered = operation("list_undelivered", {
  summary: "List messages of open sessions that no recipient has received for a while, oldest first.",
  unlisted: true,
  input: z.strictObject({
    session: StorableText.min(1).max(100).optional().meta({
      description: "Only messages of this session, by id or slug.",
    }),
    for_s: z.coerce.number().int().min(0).max(2_592_000).optional().meta({
      description: "Minimum age in seconds (default: the broker's `undelivered_after_s`).",
    }),
    ...asTeam,
  }),
  output: z.object({
    messages: z.array(
      z.object({
        session_id: Uuid,
        session: z.string().meta({ description: "Its slug." }),
        session_title: z.string(),
        sequence: Sequence,
        team: z.string().meta({ description: "Who wrote it." }),
        peer: z.string().nullable(),
        to: z.array(z.string()),
        posted_at: Timestamp,
        text: z.string().meta({ description: "Cut at 500 characters; empty if it is private." }),
      }),
    ),
    total: z.int().meta({ description: "Total number; a reply contains the first 200." }),
    for_s: z.int(),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ messages, total }) =>
    joinLines(
      ...messages.map(
        ({ session, sequence, team, peer, to, posted_at, text }) =>
          `- ${session} #${sequence} ${formatMessageTime(posted_at)} ${peer === null ? formatInlineName(team) : formatInlineAddress(team, peer)} to ${to.map(formatInlineName).join(", ")}: ${text}`,
      ),
      total > messages.length && `${total - messages.length} more`,
      total === 0 && "every message was delivered",
    ),
});
