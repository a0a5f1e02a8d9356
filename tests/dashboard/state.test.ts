import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("the state of a session", { tags: "chromium" }, () => {
  async function startState(values: Readonly<Record<string, unknown>>) {
    const session = await createTestSession(dashboard.rest);
    const at = { session_id: session.sessionId, team_id: session.convener };
    const set = (key: string, value: unknown, more: object = {}) =>
      dashboard.rest.call("set_state", { ...at, key, value, ...more });
    for (const [key, value] of Object.entries(values)) await set(key, value);
    return { session, at, set, path: `/sessions/${session.slug}/state` };
  }

  it("[DASH-82] [DASH-140] [DASH-143] keys are counted, and stand with value, author and version; a value opens by its keys alone", {
    tags: "long",
  }, async () => {
    const { path } = await startState({
      deploy_frozen: true,
      owners: { issuer: "Atlas", gateway: ["Birch", "Cedar"] },
    });
    const { page, problems, findBarriers } = await dashboard.open(path);
    const frozen = page.getByRole("row", { name: /deploy_frozen/ });
    await frozen.getByText("true").waitFor();
    await frozen.getByText("Atlas").waitFor();
    await frozen.getByText(/v1$/).waitFor();

    await page.getByRole("link", { name: "State 2" }).waitFor();

    const tree = page.getByRole("tree", { name: "Value of owners" });
    await tree.getByRole("treeitem").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await tree.getByText("0: ").waitFor();
    expect(await tree.getByRole("treeitem").allInnerTexts()).toHaveLength(5);
    await page.keyboard.press("ArrowLeft");
    expect(await tree.getByRole("treeitem").allInnerTexts()).toHaveLength(3);
    expect(await findBarriers()).toEqual([]);

    await page.getByPlaceholder("Key prefix…").fill("own");
    await frozen.waitFor({ state: "detached" });
    await page.waitForURL("**?prefix=own");
    expect(problems).toEqual([]);
  });

  it("[DASH-141] a change by somebody else is there at once and marked, and its history says what was before", async () => {
    const { session, set, path } = await startState({ deploy_frozen: false });
    const { credential } = await session.join("Birch");
    const { page, problems } = await dashboard.open(path);
    const row = page.getByRole("row", { name: /deploy_frozen/ });
    await row.getByText("false").waitFor();
    expect(await row.getAttribute("data-changed")).toBeNull();
    await set("deploy_frozen", true, { team_id: credential });
    await row.getByText("true").waitFor();
    await row.getByText("Birch").waitFor();
    await expect.poll(() => row.getAttribute("data-changed")).toBe("true");

    await dashboard.rest.call("watch_state", {
      session_id: session.sessionId,
      team_id: credential,
      prefix: "deploy",
    });
    await page.getByRole("button", { name: "History of deploy_frozen" }).click();
    const history = page.getByRole("region", { name: "History of deploy_frozen" });
    await history.getByText("Birch is notified of changes.").waitFor();
    expect(await history.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringMatching(/^v2\s+true\s+Birch/),
      expect.stringMatching(/^v1\s+false\s+Atlas/),
    ]);
    expect(problems).toEqual([]);
  });

  it("[DASH-142] a value is set after what goes and what comes was shown; who is slower sees what it became", async () => {
    const { at, set, path } = await startState({ retries: { max: 3 } });
    const { page, problems } = await dashboard.open(path, { as: await dashboard.newPerson() });
    await page.getByRole("button", { name: "Edit retries" }).click();
    const value = page.getByRole("textbox", { name: "Value" });
    await value.fill('{"max": ');
    await page.getByRole("button", { name: "Review change" }).click();
    await page.getByText(/Invalid JSON/).waitFor();
    await value.fill('{"max": 5}');
    await page.getByRole("button", { name: "Review change" }).click();
    const change = page.getByRole("figure", { name: "Changes" });
    expect(await change.getByText("removed:").count()).toBe(1);

    await set("retries", { max: 4 });
    await page.getByRole("button", { name: "Set value" }).click();
    await page.getByText("Atlas changed this key (v2)", { exact: false }).waitFor();
    await change.getByText('"max": 4').waitFor();
    await page.getByRole("button", { name: "Overwrite" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { session_id } = at;
    const entry = await dashboard.rest.call("get_state", { session_id, key: "retries" });
    expect(entry).toMatchObject({ value: { max: 5 }, version: 3, updatedBy: "Ana" });
    expect(problems).toEqual([]);
  });

  it("[DASH-142] [DASH-144] a key is made, also for all sessions, and deleted; what is no JSON is text", async () => {
    const { at, path } = await startState({});
    const { page, problems } = await dashboard.open(path, { as: await dashboard.newPerson() });
    await page.getByText("No facts yet").waitFor();
    await page.getByRole("radio", { name: "All sessions" }).check();
    await page.waitForURL("**?scope=mesh");
    const key = `freeze ${at.session_id}`;
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("textbox", { name: "Key" }).fill(key);
    await page.getByRole("textbox", { name: "Value" }).fill("until Friday");
    await page.getByText("Not JSON, so it’s stored as text.").waitFor();
    await page.getByRole("button", { name: "Review change" }).click();
    await page.getByRole("button", { name: "Set value" }).click();
    const row = page.getByRole("row", { name: new RegExp(key) });
    await row.getByText('"until Friday"').waitFor();

    await page.getByRole("button", { name: `Delete ${key}` }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
    const { session_id } = at;
    const gone = await dashboard.rest.call("get_state", { session_id, scope: "mesh", key });
    expect(gone).toMatchObject({ deleted: true });
    expect(problems).toEqual([]);
  });

  it("[DASH-145] a phone shows cards to read, and a closed session's state cannot be changed", {
    tags: "long",
  }, async () => {
    const { session, at, path } = await startState({ "a-key-of-a-good-length.and-more": "x".repeat(5_000) });
    const { page, problems } = await dashboard.open(path, phone);
    await page.getByRole("button", { name: "Show all 5,000 characters" }).waitFor();
    expect(await page.getByRole("button", { name: /^Edit/ }).count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);

    await dashboard.rest.call("conclude_session", { ...at, summary_section: "Done." });
    const { page: later } = await dashboard.open(`/sessions/${session.slug}/state`);
    await later.getByText("The session is closed: its state is read-only").waitFor();
    expect(await later.getByRole("button", { name: "New key" }).count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
