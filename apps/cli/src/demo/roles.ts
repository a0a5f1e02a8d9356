import type { Message } from "@merkle/wire";
import { MerkleError } from "@merkle/wire/client";
import { CliError, exitCodes } from "../core/cli-error.js";
import { createPlayer, type Stage, think, waitForMessages } from "./player.js";
import { cast, document, lines, rename, session } from "./story.js";
import { followFeed } from "./watch-feed.js";

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

/** The team that has the clients: joins, agrees, writes its part, and loses a race for the document on the way. */
export async function playBirch(stage: Stage): Promise<void> {
  const { client, signal, session: session_id = "" } = stage;
  const joined = await client.call("join_session", { session_id, team_name: cast.birch }, { signal });
  const { team_id, cursor } = joined;
  const me = { session_id, team_id };
  const birch = createPlayer({ stage, ...me, messages: waitForMessages(stage, { ...me, cursor }) });

  await birch.hearLine(lines.proposal);
  await birch.say(lines.condition);
  await birch.hearLine(lines.agreement);

  const { content = "", version } = await client.call("read_session_doc", me, { signal });
  await birch.say(lines.start);
  // An agent that is in the middle of writing goes on from what it has read.
  await birch.hearLine(lines.server);
  await writeMerged(stage, me, { content, version });
  await birch.say(lines.merged);

  await birch.hearLine(lines.question);
  await birch.say(lines.fact);
  await birch.hear({ event: "session_metadata_updated", by: cast.atlas, ...rename });
  await client.call("append_to_session_doc", { ...me, text: document.rollout }, { signal });
  await birch.say(lines.rollout);
  await birch.hearOut();
}

/** Writes from a version that is no longer the current one, is refused, and writes again from what the refusal brings. */
async function writeMerged(
  { client, signal }: Stage,
  me: { session_id: string; team_id: string },
  read: { content: string; version: number },
): Promise<void> {
  const write = ({ content, version }: { content: string; version: number }) =>
    client.call(
      "update_session_doc",
      { ...me, content: document.writeClients(content), expected_version: version, include_content: true },
      { signal },
    );
  const { current_version: version, content } = await conflictOf(write(read));
  await write({ content: String(content), version: Number(version) });
}

async function conflictOf(call: Promise<{ version: number }>): Promise<MerkleError["details"]> {
  try {
    const { version } = await call;
    throw new CliError("demo_failed", `Expected a conflict, but the document became version ${version}.`, {
      exitCode: exitCodes.unexpected,
    });
  } catch (error) {
    if (error instanceof MerkleError && error.code === "conflict") return error.details;
    throw error;
  }
}
