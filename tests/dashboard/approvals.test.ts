import { hash, randomBytes } from "node:crypto";
import { toDeviceId } from "@merkle/wire/identity";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();
const toDevice = (credential: string) =>
  toDeviceId(credential, (bytes) => hash("sha256", bytes, "buffer")) ?? "";

describe("the approvals of a person", { tags: "chromium" }, () => {
  /** Stages an agent that asks for approvals, and a person whose browser answers them. */
  async function startAsking() {
    const session = await createTestSession(dashboard.rest, "Split the auth service");
    const as = await dashboard.newPerson("Ana");
    const agent = { session_id: session.sessionId, team_id: session.convener };
    const launch = randomBytes(32).toString("hex");
    const ask = async (input: object, tool = "Bash") => {
      const { approval } = await dashboard.rest.call("ask_approval", {
        ...{ ...agent, devices: [toDevice(as)], tool, input: JSON.stringify(input) },
        ...{ folder: "/home/ana/auth-service", salt: randomBytes(32).toString("hex") },
        ...(tool === "Bash" && { launch }),
      });
      return approval;
    };
    const answerTo = (approval: number) => dashboard.rest.call("wait_for_approval", { ...agent, approval });
    return { as, agent, ask, answerTo };
  }

  it("[APPROVE-9] a command and an edit are shown to the last sign, allowed and denied by keys alone, and what ends elsewhere goes by itself", {
    tags: "long",
  }, async () => {
    const { as, agent, ask, answerTo } = await startAsking();
    const { page, problems, findBarriers } = await dashboard.open("/", { as });
    await page.getByRole("button", { name: /^More/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "More pages" }).getByRole("link", { name: "Approvals" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("No pending approvals").waitFor();
    await page.getByText(`merkle config set approvers ${toDevice(as)} --local`).waitFor();
    expect(await findBarriers()).toEqual([]);

    // Once the page shows "Live", it receives changes.
    await page.getByText("Live", { exact: true }).first().waitFor();
    const command = await ask({ command: "rm -rf build \u202e && ls", description: "clean up" });
    const first = page.getByRole("listitem", { name: "Atlas asks to use Bash" });
    await first.getByText("rm -rf build \\u202e && ls").waitFor();
    await first.getByText("clean up").waitFor();
    expect(await page.getByText(/always/i).count()).toBe(0);
    expect(await findBarriers()).toEqual([]);
    await first.getByRole("button", { name: "Allow once" }).focus();
    await page.keyboard.press("Enter");
    expect(await answerTo(command)).toMatchObject({ state: "allowed" });
    await first.waitFor({ state: "detached" });

    const edit = { file_path: "/etc/hosts", old_string: "one", new_string: "two" };
    const denied = await ask(edit, "Edit");
    const second = page.getByRole("listitem", { name: "Atlas asks to use Edit" });
    await second.getByText("/etc/hosts\n- one\n+ two").waitFor();
    await second.getByRole("button", { name: "Deny…" }).focus();
    await page.keyboard.press("Enter");
    await second.getByRole("textbox").waitFor();
    await page.keyboard.type("not the hosts file");
    await page.keyboard.press("Enter");
    expect(await answerTo(denied)).toMatchObject({ state: "denied", words: "not the hosts file" });
    await second.waitFor({ state: "detached" });

    // The approval was answered in the terminal, so it disappears from the page.
    const approval = await ask({ command: "make" });
    const third = page.getByRole("listitem", { name: "Atlas asks to use Bash" });
    await third.waitFor();
    await dashboard.rest.call("withdraw_approval", { ...agent, approval });
    await third.waitFor({ state: "detached" });
    const ended = page.getByRole("region", { name: "Ended" });
    await ended.getByText("Answered in the terminal").waitFor();
    await ended.getByText("Denied").waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-417] after an answer no other request moves, so that a second click decides nothing", async () => {
    const { as, ask, answerTo } = await startAsking();
    const first = await ask({ command: "rm -rf build" });
    const second = await ask({ command: "git push" });
    const third = await ask({ command: "make" });
    const { page, problems, findBarriers } = await dashboard.open("/approvals", { as });
    const waiting = page.getByRole("list", { name: "Waiting" });
    const cards = waiting.getByRole("listitem");
    await cards.nth(2).getByText("make", { exact: true }).waitFor();
    const listBoxes = async () => [await cards.nth(1).boundingBox(), await cards.nth(2).boundingBox()];
    const before = await listBoxes();
    await cards.nth(0).getByRole("button", { name: "Allow once" }).dblclick();
    expect(await answerTo(first)).toMatchObject({ state: "allowed" });
    await cards.nth(0).getByText("Allowed once: rm -rf build").waitFor();
    await page.getByRole("region", { name: "Ended" }).getByText("rm -rf build").first().waitFor();
    expect(await listBoxes()).toEqual(before);
    await cards.nth(1).getByRole("button", { name: "Allow once" }).focus();
    await page.keyboard.press("Enter");
    expect(await answerTo(second)).toMatchObject({ state: "allowed" });
    await cards.nth(1).getByText("Allowed once: git push").waitFor();
    await expect.poll(() => cards.nth(1).evaluate((each) => each.matches(":focus"))).toBe(true);
    expect(await listBoxes()).toEqual(before);
    expect(await findBarriers()).toEqual([]);
    await cards.nth(2).getByRole("button", { name: "Allow once" }).click();
    expect(await answerTo(third)).toMatchObject({ state: "allowed" });
    await page.getByText("No pending approvals").waitFor();
    expect(problems).toEqual([]);
  });

  it("[APPROVE-8] [APPROVE-9] it is among what needs its person, is all there on a phone, and another device of theirs has nothing of it", async () => {
    const { as, ask, answerTo } = await startAsking();
    const approval = await ask({ command: `curl https://example.com/${"x".repeat(200)}` });
    const small = await dashboard.open("/needs-you", { as, ...phone });
    await small.page.getByRole("button", { name: `Review approval ${approval}` }).click();
    const allow = small.page.getByRole("button", { name: "Allow once" });
    await allow.waitFor();
    expect(await small.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await small.findBarriers()).toEqual([]);

    const other = await dashboard.open("/approvals", { as: await dashboard.newPerson("Bo") });
    await other.page.getByText("No pending approvals").waitFor();
    await allow.tap();
    expect(await answerTo(approval)).toMatchObject({ state: "allowed" });
    expect([...small.problems, ...other.problems]).toEqual([]);
  });

  it("[DASH-415] a plain command is allowed for the launch by one tap on a phone, listed and revoked; others can only be allowed once", async () => {
    const { as, ask, answerTo } = await startAsking();
    const command = await ask({ command: "npm test" });
    const { page, problems, findBarriers } = await dashboard.open("/approvals", { as, ...phone });
    await page.getByText("Live", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Allow for this launch" }).tap();
    expect(await answerTo(command)).toMatchObject({ state: "allowed" });
    expect(await answerTo(await ask({ command: "npm test" }))).toMatchObject({ state: "allowed" });
    const listed = page.getByRole("region", { name: "Allowed for a launch" });
    await listed.getByText("npm test").waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await listed.getByRole("button", { name: "Revoke" }).tap();
    await listed.waitFor({ state: "detached" });

    await ask({ command: "npm test" });
    const forLaunch = page.getByRole("button", { name: "Allow for this launch" });
    await forLaunch.waitFor();
    await page.getByRole("button", { name: "Answer in terminal" }).tap();
    await forLaunch.waitFor({ state: "detached" });
    await ask({ command: "rm -rf build" });
    await page.getByText("rm -rf build").waitFor();
    expect(await forLaunch.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  const database = {
    question: "Which database \u202efor the tokens?",
    header: "Database",
    multiSelect: false,
    options: [
      { label: "Postgres", description: "Relational", preview: "db:\n  image: postgres" },
      { label: "SQLite", description: "A file" },
    ],
  };
  const features = {
    question: "Which features?",
    header: "Features",
    multiSelect: true,
    options: [
      { label: "Auth", description: "Login" },
      { label: "Search", description: "Find" },
      { label: "Export", description: "CSV" },
    ],
  };

  it("[APPROVE-8] [APPROVE-10] an agent's question is among what needs its person, and answered there by one tap on a phone", async () => {
    const { as, ask, answerTo } = await startAsking();
    const approval = await ask({ questions: [database] }, "AskUserQuestion");
    const { page, problems, findBarriers } = await dashboard.open("/needs-you", { as, ...phone });
    await page.getByRole("button", { name: /Atlas asks you a question/ }).tap();
    const detail = page.getByRole("region", { name: "Detail" });
    await detail.getByText("Which database \\u202efor the tokens?").waitFor();
    await detail.getByText("db:\n  image: postgres").waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const option = detail.getByRole("button", { name: "SQLite" });
    expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await option.tap();
    expect(await answerTo(approval)).toMatchObject({ state: "allowed", answers: ["SQLite"] });
    await page.getByText("You're all caught up").waitFor();
    expect(problems).toEqual([]);
  });

  it("[APPROVE-9] [APPROVE-10] several questions are answered together by keys alone, with options and own words", async () => {
    const { as, ask, answerTo } = await startAsking();
    const approval = await ask({ questions: [database, features] }, "AskUserQuestion");
    const { page, problems, findBarriers } = await dashboard.open("/approvals", { as });
    const card = page.getByRole("listitem", { name: "Atlas asks you a question" });
    const press = async (name: string) => {
      await card.getByRole("button", { name }).focus();
      await page.keyboard.press("Enter");
    };
    const send = card.getByRole("button", { name: "Send answers" });
    await press("Postgres");
    expect(await send.isDisabled()).toBe(true);
    await press("Search");
    await press("Auth");
    await press("Search");
    await press("SQLite");
    const pressed = card.locator("[aria-pressed=true]");
    expect(await pressed.allInnerTexts()).toEqual(["SQLite\nA file", "Auth\nLogin"]);
    await card.getByRole("textbox", { name: "Your own answer to Which features?" }).focus();
    await page.keyboard.type("no export");
    expect(await findBarriers()).toEqual([]);
    await page.keyboard.press("Enter");
    expect(await answerTo(approval)).toMatchObject({ answers: ["SQLite", "Auth, no export"] });
    const ended = page.getByRole("region", { name: "Ended" });
    await ended.getByText("Answered", { exact: true }).click();
    await ended.getByText("SQLite; Auth, no export").waitFor();

    const own = await ask({ questions: [database] }, "AskUserQuestion");
    await card.getByRole("textbox").fill("DuckDB");
    await card.getByRole("button", { name: "Send" }).click();
    expect(await answerTo(own)).toMatchObject({ answers: ["DuckDB"] });
    expect(problems).toEqual([]);
  });

  it("[APPROVE-9] [APPROVE-11] a plan is shown as written, approved, or sent back with words", async () => {
    const { as, ask, answerTo } = await startAsking();
    const plan = { plan: "# Plan\n\n1. Test it\n2. Do it", planFilePath: "/home/ana/.claude/plans/x.md" };
    const first = await ask(plan, "ExitPlanMode");
    const { page, problems, findBarriers } = await dashboard.open("/approvals", { as });
    const card = page.getByRole("listitem", { name: "Atlas asks you to approve its plan" });
    await card.getByText("# Plan\n\n1. Test it\n2. Do it\n\n/home/ana/.claude/plans/x.md").waitFor();
    expect(await findBarriers()).toEqual([]);
    await card.getByRole("button", { name: "Keep planning…" }).click();
    await card.getByRole("textbox").fill("test two tabs, too");
    await page.keyboard.press("Enter");
    expect(await answerTo(first)).toMatchObject({ state: "denied", words: "test two tabs, too" });
    const second = await ask(plan, "ExitPlanMode");
    await card.getByRole("button", { name: "Approve plan" }).click();
    expect(await answerTo(second)).toMatchObject({ state: "allowed", answers: null });
    expect(problems).toEqual([]);
  });

  it("[APPROVE-9] [APPROVE-12] a question at a turn's end is shown as written, and answered by a message to the agent", async () => {
    const { as, agent, ask } = await startAsking();
    const approval = await ask({ last_assistant_message: "Tests pass.\n\nShall I deploy?" }, "Stop");
    const { page, problems, findBarriers } = await dashboard.open("/needs-you", { as, ...phone });
    await page.getByRole("button", { name: /Atlas ended its turn with a question/ }).tap();
    const detail = page.getByRole("region", { name: "Detail" });
    await detail.getByText("Tests pass.\n\nShall I deploy?").waitFor();
    expect(await findBarriers()).toEqual([]);
    await detail.getByRole("textbox", { name: "Your answer" }).fill("Yes, deploy it.");
    await detail.getByRole("button", { name: "Send" }).tap();
    await detail.getByText("Sent as a message to the agent.").waitFor();
    const { messages } = await dashboard.rest.call("check_messages", agent);
    expect(messages.at(-1)).toMatchObject({ content: { text: "Yes, deploy it." }, to: ["Atlas"] });
    // The agent begins another turn.
    await dashboard.rest.call("withdraw_approval", { ...agent, approval });
    await page.getByText("You're all caught up").waitFor();
    expect(problems).toEqual([]);
  });

  it("[APPROVE-9] no other page can put it into a frame, and have a click meant for itself allow something", async () => {
    const { as } = await startAsking();
    const { page } = await dashboard.open("/approvals", { as });
    const address = page.url();
    await page.goto("about:blank");
    await page.setContent(`<iframe src="${address}"></iframe>`);
    await expect.poll(() => page.frames()[1]?.url()).toContain("chrome-error://");
  });
});
