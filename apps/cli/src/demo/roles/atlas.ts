import { createPlayer, type Stage, think, waitForMessages } from "../player.js";
import { cast, document, lines, rename, session } from "../story.js";

/** The convener, who has the login service: opens the session, leads through it and concludes it. */
export async function playAtlas(stage: Stage): Promise<void> {
  const { client, signal } = stage;
  const { session_id, slug, team_id, cursor } = await client.call(
    "create_session",
    { ...session, creator_team_name: cast.atlas },
    { signal },
  );
  stage.announce({ session_id, slug });
  const me = { session_id, team_id };
  const atlas = createPlayer({ stage, ...me, messages: waitForMessages(stage, { ...me, cursor }) });

  await atlas.hear({ event: "team_joined", by: cast.birch });
  await atlas.say(lines.proposal);
  await atlas.hearLine(lines.condition);
  await think(stage, document.outline);
  await client.call(
    "update_session_doc",
    { ...me, content: document.outline, expected_version: 0 },
    { signal },
  );
  await atlas.say(lines.agreement);

  await atlas.hearLine(lines.start);
  const { content = "", version } = await client.call("read_session_doc", me, { signal });
  await client.call(
    "update_session_doc",
    { ...me, content: document.writeServer(content), expected_version: version },
    { signal },
  );
  await atlas.say(lines.server);

  await atlas.hearLine(lines.fact);
  await atlas.say(lines.decision);
  await atlas.hearLine(lines.consent);
  await client.call("edit_session_doc", { ...me, ...document.decision }, { signal });
  await think(stage, rename.reason);
  await client.call("update_session_metadata", { ...me, ...rename }, { signal });

  await atlas.hearLine(lines.rollout);
  await think(stage, document.conclusion);
  await client.call("conclude_session", { ...me, summary_section: document.conclusion }, { signal });
  await atlas.hearOut();
}
