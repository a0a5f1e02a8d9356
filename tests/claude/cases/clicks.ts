import { afterAll, describe, expect, it } from "vitest";
import { testDashboard } from "../../dashboard/open-dashboard.js";
import { createTestSession } from "../../kit/session.js";
import type { Cleanup } from "../../kit/test-database.js";
import { stageRepository } from "../../sources/staged-repository.js";
import { createSkilledModel, makeJobAgent, type Step } from "../kit/job-agent.js";

type Answers = readonly Record<string, unknown>[];
type Mind = (answers: Answers, topic: string) => Step | null;

/** Scripted models, each of which follows one of Merkle's skills from start to finish. */
const minds: Readonly<Record<string, Mind>> = {
  "merkle-perspective": ([persona, doc, ...rest]) => {
    if (!persona) return { verb: "get-persona" };
    if (!doc) return { verb: "read-doc" };
    if (rest.length > 0) return null;
    const read = `--persona-sha ${persona["hash"]} --source-version ${doc["version"]}`;
    return { verb: `put-perspective ${read}`, input: "Nobody says for how long." };
  },
  "merkle-incorporate": ([topic, doc, others, ...rest], id) => {
    if (!topic) return { verb: `get-topic --id ${id}` };
    if (!doc) return { verb: "read-doc" };
    if (!others) return { verb: "list-open-topics" };
    if (rest.length > 0) return null;
    const edit = "<<<<<<< OLD\nKeep v1 tokens.\n======= NEW\nKeep v1 tokens until 1 June.\n>>>>>>> END";
    return {
      verb: `insert-proposal --topic-id ${id} --base-version ${doc["version"]} --note "Gives it a date." --edits`,
      input: edit,
    };
  },
  "merkle-conclude": ([doc, feed, ...rest]) => {
    if (!doc) return { verb: "read-doc" };
    if (!feed) return { verb: "read-feed" };
    if (rest.length > 0) return null;
    return { verb: `conclude --base-version ${doc["version"]}`, input: "v1 tokens stay until 1 June." };
  },
};

const source_path = "handbook/docs/guide.md";

const changeFile: Mind = ([topic, file, others, ...rest], id) => {
  if (!topic) return { verb: `get-topic --id ${id}` };
  if (!file) return { verb: "read-source" };
  if (!others) return { verb: "list-open-topics" };
  if (rest.length > 0) return null;
  return {
    verb: `insert-proposal --topic-id ${id} --base-sha ${file["sha"]} --note "Says how long." --edits`,
    input: "<<<<<<< OLD\nTokens live.\n======= NEW\nTokens live for an hour.\n>>>>>>> END",
  };
};

const cleanUp: Cleanup = (run) => afterAll(run);
const { agent } = await makeJobAgent(cleanUp, (shown) => {
  const skill = /Use the (\S+) skill\./.exec(shown.conversation)?.[1] ?? "";
  const topic = /^Topic ID: (\d+)$/m.exec(shown.conversation)?.[1] ?? "";
  const mind = shown.conversation.includes(source_path) ? changeFile : minds[skill];
  return createSkilledModel((answers) => mind?.(answers, topic) ?? null)(shown);
});
const repository = await stageRepository(cleanUp);
await repository.write("docs/guide.md", "# Tokens\n\nTokens live.\n");
await repository.git("add", "-A");
await repository.git("commit", "-q", "-m", "Write down what tokens are");
const dashboard = testDashboard({
  agent: {
    ...agent,
    author: { name: "Docs agent", email: "agent@example.com" },
    roots: { handbook: repository.folder },
  },
});

describe.skipIf(dashboard.isMissing)("from a click to the result", () => {
  it("[AGENT-7] a reading, a comment worked in, and a conclusion: asked for, seen and accepted in the browser", async () => {
    const { rest } = dashboard;
    const session = await createTestSession(rest);
    const { sessionId: session_id, convener: team_id } = session;
    const content = "# Plan\n\nKeep v1 tokens.\n\nMove the issuer.\n";
    await rest.call("update_session_doc", { session_id, team_id, content, expected_version: 0 });
    const as = await dashboard.newPerson();
    const { page, problems } = await dashboard.open(`/sessions/${session.slug}/doc`, { as });

    await page.getByRole("button", { name: "Perspectives" }).click();
    const pane = page.getByRole("complementary", { name: "Perspectives" });
    await pane.getByRole("radio", { name: "Sceptic" }).check();
    await pane.getByRole("button", { name: "Review as Sceptic" }).click();
    await pane.getByText("Nobody says for how long.").waitFor();
    await pane.getByRole("button", { name: "Close perspectives" }).click();

    const quote = "Keep v1 tokens";
    const { topic_id } = await rest.call("open_topic", {
      session_id,
      team_id,
      version: 1,
      quote,
      text: "Until when?",
    });
    await page.goto(`${dashboard.broker.url}/sessions/${session.slug}/doc?topic=${topic_id}`);
    const card = page.getByRole("article", { name: "Until when?" });
    await card.getByRole("button", { name: "Send to the agent" }).click();
    await page
      .getByRole("button", { name: /^Review proposal \d+$/ })
      .first()
      .click();
    const review = page.getByRole("region", { name: /^Proposal \d+$/ });
    await review.getByText("Gives it a date.").waitFor();
    await review.getByRole("button", { name: "Accept", exact: true }).click();
    await review.getByRole("status").getByText("Accepted as v2 by Ana").waitFor();
    const read = await rest.call("read_session_doc", { session_id });
    expect(read.content).toBe(content.replace("tokens.", "tokens until 1 June."));
    expect(await rest.call("get_topic", { topic_id })).toMatchObject({ status: "closed" });

    await page.goto(`${dashboard.broker.url}/sessions/${session.slug}/jobs?conclude=1`);
    const dialog = page.getByRole("dialog", { name: "Conclude this session?" });
    await dialog.getByRole("button", { name: "Draft conclusion" }).click();
    const field = dialog.getByRole("textbox", { name: "Conclusion (Markdown)" });
    await expect.poll(() => field.inputValue()).toBe("v1 tokens stay until 1 June.\n");
    await dialog.getByRole("button", { name: "Conclude for everyone" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await rest.call("get_session", { session_id })).toMatchObject({ status: "closed" });
    const concluded = await rest.call("read_session_doc", { session_id, section: "Conclusion" });
    expect(concluded.content).toContain("v1 tokens stay until 1 June.");
    expect(problems).toEqual([]);
  });

  it("[AGENT-7] [SOURCE-7] a comment on a file: written, sent to the agent, and accepted as a commit in the browser", async () => {
    const as = await dashboard.newPerson();
    const { page, problems } = await dashboard.open(`/sources?file=${source_path}`, { as });
    await page.getByRole("button", { name: /^Comments/ }).click();
    await page.getByRole("button", { name: "Comment on the whole file" }).click();
    await page.getByRole("textbox", { name: "Your comment" }).fill("How long?");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    const card = page.getByRole("article", { name: "How long?" });
    await card.getByRole("button", { name: "Send to the agent" }).click();
    await page
      .getByRole("button", { name: /^Review proposal \d+$/ })
      .first()
      .click();
    const review = page.getByRole("region", { name: /^Proposal \d+$/ });
    await review.getByText("Says how long.").waitFor();
    await review.getByRole("button", { name: "Accept", exact: true }).click();
    await review.getByText(/^Accepted as commit [0-9a-f]{12} by Ana/).waitFor();
    expect(
      await repository.git("log", "-1", "--format=%an|%s|%(trailers:key=Approved-by,separator=)"),
    ).toEqual(expect.stringMatching(/^Docs agent\|Incorporate topic \d+: How long\?\|Approved-by: Ana$/));
    expect(await repository.read("docs/guide.md")).toBe("# Tokens\n\nTokens live for an hour.\n");
    expect(problems).toEqual([]);
  });
});
