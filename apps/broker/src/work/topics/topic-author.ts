import type { NewTopicMessage } from "@merkle/db";
import type { MeshContext } from "../../sessions/context.js";
import { authorOf } from "../../sessions/roster/author.js";
import type { TopicServices } from "./services.js";

/** Who speaks in a topic: a team of the session that it is about, or a person. */
export type TopicAuthor = Pick<NewTopicMessage, "author" | "authorHuman" | "teamId" | "personId">;

/** @throws bad_request when a team speaks where another session's document is talked about */
export async function topicAuthorOf(
  ctx: MeshContext<TopicServices>,
  sessionId: string | null,
): Promise<TopicAuthor> {
  const { name: author } = await authorOf(ctx, sessionId ?? undefined);
  const { team, person } = ctx;
  return team
    ? { author, authorHuman: team.kind === "human", teamId: team.teamId, personId: null }
    : { author, authorHuman: person.verified, teamId: null, personId: person.personId };
}
