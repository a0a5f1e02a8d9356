import { MerkleError } from "@merkle/wire/client";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { createPlayer, type Stage, waitForMessages } from "../player.js";
import { cast, document, lines, rename } from "../story.js";

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
    throw new CliError(
      "demo_failed",
      `Expected was a conflict, but the document became version ${version}.`,
      {
        exitCode: exitCodes.unexpected,
      },
    );
  } catch (error) {
    if (error instanceof MerkleError && error.code === "conflict") return error.details;
    throw error;
  }
}
