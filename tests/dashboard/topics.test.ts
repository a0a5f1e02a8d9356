import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createFakeRunner } from "../kit/fake-runner.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";

const fake = createFakeRunner("a runner");
const dashboard = testDashboard({ agent: { ...fake.agent, maxConcurrentJobs: 2 } });
const wide = { viewport: { width: 1440, height: 900 } };

const plan = `# Plan

Move token issuing out of the **gateway** \\*soon\\*.

## Decisions

- Keep v1 tokens
- Old clients get 410
`;

describe("comments on a document in the page", { tags: "chromium" }, () => {
  it("[DASH-278] [DASH-279] [DASH-281] [DASH-282] [DASH-305] selected text is commented on, answered live, resolved and reopened", async () => {
    const session = await startWith(plan);
    const { page, problems, findBarriers } = await open(session);
    await select(page, { from: ["Move token", 5], to: ["soon", 4] });
    await page.keyboard.press("c");
    const form = page.getByRole("dialog", { name: "Comment on selection" });
    await form.getByText("token issuing out of the **gateway** \\*soon").waitFor();
    await form
      .getByRole("textbox", { name: "Your comment" })
      .fill("Since when?\n\nIt was not there in March.");
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Escape");

    // The draft that was typed before is offered again for the next selection.
    await select(page, { from: ["gateway", 0], to: ["gateway", 7] });
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await form.getByText("gateway", { exact: true }).waitFor();
    await form.getByRole("button", { name: "Comment", exact: true }).click();
    const card = page.getByRole("article", { name: "Since when?" });
    await card.getByText("It was not there in March.").waitFor();
    const [topic] = (await dashboard.rest.call("list_topics", { session_id: session.sessionId })).topics;
    expect(topic?.anchor).toMatchObject({ quote: "gateway", version: 1 });
    expect(topic?.place).toMatchObject({ found: "exact", start: plan.indexOf("gateway") });
    const topic_id = topic?.topic_id ?? 0;
    expect(new URL(page.url()).searchParams.get("topic")).toBe(String(topic_id));
    await expect.poll(() => marked(page, "topic-shown")).toEqual(["gateway"]);

    await dashboard.rest.call("reply_to_topic", {
      topic_id,
      team_id: session.convener,
      text: "Since **May**.",
    });
    await card.getByText("Since May.").waitFor();
    expect(await findBarriers()).toEqual([]);
    await card.getByRole("textbox", { name: "Your reply" }).fill("Then it is right.");
    await card.getByRole("button", { name: "Reply and resolve" }).click();
    await card.getByText("resolved by Ana").waitFor();
    await card.getByText("Then it is right.").waitFor();
    await expect.poll(() => marked(page, "topics")).toEqual([]);

    await card.getByRole("button", { name: "Reopen" }).click();
    await card.getByRole("textbox", { name: "Your reply" }).waitFor();
    await expect.poll(() => marked(page, "topic-shown")).toEqual(["gateway"]);
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-279] [DASH-281] by keys alone, and on a phone, where they open over the text", {
    tags: "long",
  }, async () => {
    const session = await startWith(plan);
    const { page, problems, findBarriers } = await open(session, phone);
    await page.getByRole("button", { name: "Comments" }).click();
    const sheet = page.getByRole("dialog", { name: "Comments" });
    await sheet.getByRole("button", { name: "Comment on a passage…" }).click();
    const source = sheet.getByRole("textbox", { name: /^Select a passage/ });
    await source.press("Control+Home");
    await source.press("Shift+End");
    await sheet.getByRole("button", { name: "Comment on this" }).click();
    await sheet.getByRole("blockquote").getByText("# Plan").waitFor();
    await sheet.getByRole("textbox", { name: "Your comment" }).fill("A better title?");
    await page.keyboard.press("Control+Enter");
    await sheet.getByRole("article", { name: "A better title?" }).getByRole("textbox").waitFor();
    await sheet.getByRole("button", { name: "Comment on the whole document" }).click();
    await sheet.getByRole("textbox", { name: "Your comment" }).fill("Who is this for?");
    await page.keyboard.press("Control+Enter");
    await sheet
      .getByRole("region", { name: "On the whole document" })
      .getByRole("article", { name: "Who is this for?" })
      .waitFor();
    expect(await findBarriers()).toEqual([]);
    await sheet.getByRole("button", { name: "Close", exact: true }).click();
    await expect.poll(() => marked(page, "topics")).toEqual(["Plan"]);
    expect(problems).toEqual([]);
  });

  it("[DASH-283] a comment is sent to the agent, which says where it stands, and is asked again when it failed", {
    tags: "long",
  }, async () => {
    const session = await startWith(plan);
    const topic = await dashboard.rest.call("open_topic", {
      session_id: session.sessionId,
      team_id: session.convener,
      version: 1,
      quote: "Keep v1 tokens",
      text: "For how long?",
    });
    const { page } = await open(session, wide, `?topic=${topic.topic_id}`);
    const card = page.getByRole("article", { name: "For how long?" });
    await card.getByRole("button", { name: "Send to the agent" }).click();
    const run = await fake.next();
    await card.getByText(`The agent is working on it (job ${run.job.job_id})`).waitFor();
    run.end({ exit_code: 3, error_tail: "no licence" });
    await card.getByText("Agent failed with exit code 3").waitFor();
    await card.getByText("Last output").click();
    await card.getByText("no licence").waitFor();
    await card.getByRole("button", { name: "Retry" }).click();
    (await fake.next()).end({ exit_code: 1 });
    await card.getByText("Agent failed with exit code 1").waitFor();
  });

  it("[DASH-280] what moved says so where it is, and what is lost stands on top with its quote", async () => {
    const session = await startWith(plan);
    const { sessionId: session_id, convener: team_id } = session;
    for (const quote of ["Keep v1 tokens", "Old clients get 410"]) {
      await dashboard.rest.call("open_topic", {
        session_id,
        team_id,
        version: 1,
        quote,
        text: `About: ${quote}`,
      });
    }
    const { page } = await open(session);
    await page.getByRole("article", { name: "About: Old clients get 410" }).waitFor();
    await dashboard.rest.call("update_session_doc", {
      session_id,
      team_id,
      content: "# Plan\n\n## Decisions\n\n- Old clients get 410\n\nMove token issuing out of the gateway.\n",
      expected_version: 1,
    });
    const lost = page.getByRole("region", { name: "Text not found" });
    await lost.getByRole("article", { name: "About: Keep v1 tokens" }).waitFor();
    await lost.getByRole("blockquote").getByText("Keep v1 tokens").waitFor();
    await lost.getByText("text not found", { exact: true }).waitFor();
    await expect.poll(() => marked(page, "topics")).toEqual(["Old clients get 410"]);
  });

  async function startWith(content: string): Promise<TestSession> {
    const session = await createTestSession(dashboard.rest);
    await dashboard.rest.call("update_session_doc", {
      session_id: session.sessionId,
      team_id: session.convener,
      content,
      expected_version: 0,
    });
    return session;
  }

  async function open(session: TestSession, device: object = wide, query = "") {
    const as = await dashboard.newPerson();
    const opened = await dashboard.open(`/sessions/${session.slug}/doc${query}`, { as, ...device });
    await opened.page.getByRole("heading", { name: "Plan" }).waitFor();
    // The comments are loaded after the text.
    await opened.page.getByRole("button", { name: "Comments" }).waitFor();
    return opened;
  }
});

type Point = readonly [text: string, offset: number];

/**
 * Selects the text from one character of the document to another, as a mouse would, and waits for the Comment button.
 */
async function select(page: Page, { from, to }: { from: Point; to: Point }): Promise<void> {
  const offered = page.getByRole("button", { name: "Comment", exact: true });
  await expect
    .poll(async () => {
      await page.evaluate(`(${selectHere})(${JSON.stringify({ from, to })})`);
      return offered.isVisible();
    })
    .toBe(true);
}

/** Runs in the page. Selects the text between the two points. */
const selectHere = `({ from, to }) => {
  const pointAt = ([text, offset]) => {
    const texts = document.createTreeWalker(document.querySelector("[data-part]").parentElement, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const at = node.textContent.indexOf(text);
      if (at !== -1) return [node, at + offset];
    }
    throw new Error("not in the document: " + text);
  };
  getSelection().setBaseAndExtent(...pointAt(from), ...pointAt(to));
}`;

/** Returns the passages that the browser highlights. */
function marked(page: Page, name: string): Promise<string[]> {
  return page.evaluate<string[]>(`[...(CSS.highlights.get("${name}") ?? [])].map(String)`);
}
