import { beforeAll, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { getSharedBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let rest: TransportClient;
beforeAll(async () => {
  rest = await transports.rest((await getSharedBroker()).url);
});

it("[DOC-12] edits, quotes and proposals made from a text with plain line ends fit a document with carriage returns", async () => {
  const { sessionId, convener } = await createTestSession(rest);
  const own = { session_id: sessionId, team_id: convener };
  const content = "# Auth\r\n\r\n- one\r\n- two\r\n";
  await rest.call("update_session_doc", { ...own, content, expected_version: 0 });

  const opened = await rest.call("open_topic", {
    ...own,
    version: 1,
    quote: "- one\n- two",
    text: "Why two?",
  });
  const { topic_id } = opened;
  expect(opened).toMatchObject({ anchor: { quote: "- one\r\n- two" } });
  const plain = "# Auth\n\n- one\n- three\n";
  const proposed = await rest.call("insert_proposal", {
    topic_id,
    base_version: 1,
    content: plain,
    team_id: convener,
  });
  expect(await rest.call("get_proposal", { proposal_id: proposed.proposal_id })).toMatchObject({
    added: 1,
    removed: 1,
    content: plain.replaceAll("\n", "\r\n"),
  });

  await rest.call("edit_session_doc", { ...own, old_text: "- one\n- two", new_text: "- one\n- 1.5\n- two" });
  expect(await rest.call("read_session_doc", own)).toMatchObject({
    content: "# Auth\r\n\r\n- one\r\n- 1.5\r\n- two\r\n",
  });
});
