import type { Message } from "@merkle/wire";
import { followFeed } from "./follow-feed.js";
import { createPlayer, type Stage } from "./player.js";
import { cast, lines } from "./story.js";

/** The human, from support: reads along, and becomes a participant by asking something. */
export async function playAna(stage: Stage): Promise<void> {
  const { client, signal, session: session_id = "" } = stage;
  const { person_id: team_id } = await client.call("create_person", { name: cast.ana }, { signal });
  const me = { session_id, team_id };
  const ana = createPlayer({ stage, ...me, messages: readAlong(stage, me) });

  await ana.hearLine(lines.merged);
  await ana.say(lines.question);
  await ana.hearLine(lines.decision);
  await ana.say(lines.consent);
  await ana.hearOut();
}

/** Reading joins nobody; what has been read is kept for the person. */
async function* readAlong(
  { client, signal }: Stage,
  { session_id, team_id }: { session_id: string; team_id: string },
): AsyncGenerator<Message> {
  for await (const message of followFeed(client, { session: session_id, signal })) {
    yield message;
    if (message.event !== "session_concluded") continue;
    await client.call("ack", { session_id, team_id, cursor: message.sequence }, { signal });
    return;
  }
}
