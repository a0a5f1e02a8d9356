import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("the settings", { tags: "chromium" }, () => {
  it("[DASH-362] settings are listed in five groups, open on the person's own, and the address of a group or section opens it", async () => {
    const { page, problems, findBarriers } = await dashboard.open("/settings");
    const headings = () => page.getByRole("heading", { level: 2 }).allTextContents();
    await expect.poll(headings).toEqual(["Profile", "Appearance", "Your own words"]);
    expect(await findBarriers()).toEqual([]);
    const groups = page.getByRole("navigation", { name: "Settings" });
    for (const [group, titles] of [
      ["Notifications", ["Browser notifications", "Needs you", "Push and webhooks"]],
      ["People and access", ["People", "Meshes"]],
      ["Agents", ["Agents' address", "Waiting and presence", "Job runner", "Usage", "Personas"]],
      ["Broker", ["Retention", "Storage", "Health", "Other endpoints"]],
    ] as const) {
      await groups.getByRole("link", { name: group, exact: true }).first().click();
      await expect.poll(headings).toEqual(titles);
      expect(await findBarriers()).toEqual([]);
    }
    for (const [address, title] of [
      ["?part=me", "Profile"],
      ["?part=people", "People"],
      ["?part=broker", "Storage"],
      ["#meshes", "Meshes"],
      ["#connection", "Agents' address"],
      ["#alerts", "Push and webhooks"],
    ] as const) {
      await page.goto(`${dashboard.broker.url}/settings${address}`);
      await page.getByRole("heading", { level: 2, name: title, exact: true }).waitFor();
    }
    expect(problems).toEqual([]);
  });

  it("[DASH-392] a search finds sections by the names of their settings, in all groups, and a link leads on from it", async () => {
    const { page, problems, findBarriers } = await dashboard.open("/settings");
    const headings = () => page.getByRole("heading", { level: 2 }).allTextContents();
    const field = page.getByRole("searchbox", { name: "Search settings" });
    await field.fill("phone");
    await expect.poll(headings).toEqual(["Push and webhooks"]);
    await page.getByText("1 section", { exact: true }).waitFor();
    await field.fill("Dark theme");
    await expect.poll(headings).toEqual(["Appearance"]);
    await expect.poll(() => new URL(page.url()).search).toBe("?q=Dark+theme");
    await field.fill("no such setting");
    await page.getByText("No settings match.", { exact: false }).waitFor();
    expect(await findBarriers()).toEqual([]);
    const groups = page.getByRole("navigation", { name: "Settings" });
    await groups.getByRole("link", { name: "Meshes" }).click();
    await page.getByRole("heading", { level: 2, name: "Meshes" }).waitFor();
    await expect.poll(() => field.inputValue()).toBe("");
    expect(problems).toEqual([]);
  });

  it("[DASH-155] [DASH-156] [DASH-157] the address is typed, tried, saved, and taken back; what to paste follows it", {
    tags: "long",
  }, async () => {
    const { broker, rest } = dashboard;
    const session = await createTestSession(rest, "Split the auth service");
    await session.post(session.convener, "Here.");
    const { page, problems, findBarriers } = await dashboard.open("/settings#connection", {
      as: await dashboard.newPerson(),
    });
    const url = page.getByRole("textbox", { name: "Connection URL" });
    const snippet = page.getByRole("figure", { name: "Connect with Claude Code" }).locator("code");
    await snippet.getByText(`${broker.url}/api/mcp?view=compact`).waitFor();
    await page.getByText("reachable: this page was loaded from it").waitFor();
    await page.getByText("After a change, running peers use the old URL until you relaunch them:").waitFor();
    await page
      .getByRole("listitem")
      .filter({ hasText: /^Atlas in / })
      .first()
      .waitFor();
    expect(await findBarriers()).toEqual([]);

    await url.fill("https://user:secret@mesh.example.com");
    await page.getByText("Remove the user name and password").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
    await url.fill("mesh.example.com/mcp");
    await snippet.getByText("'http://mesh.example.com/mcp?view=compact'").waitFor();
    const elsewhere = page.getByRole("link", { name: "Open this page there to check" });
    await expect
      .poll(() => elsewhere.getAttribute("href"))
      .toBe("http://mesh.example.com/settings#connection");

    const own = broker.url.replace("localhost", "127.0.0.1");
    await url.fill(own);
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.getByText(/this broker replied in \d+ ms/).waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Agents use this address now.", { exact: false }).waitFor();
    await expect.poll(async () => (await rest.call("get_settings", {})).base_url).toBe(own);
    await page.getByRole("button", { name: "Use the broker’s listening address" }).click();
    await expect.poll(() => url.inputValue()).toBe(broker.url);
    expect(problems).toEqual([]);
  });

  it("[DASH-158] [DASH-159] a name is taken, changed, and used in another browser by its key", async () => {
    const { page, problems } = await dashboard.open("/settings", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await name.fill("Ana");
    await page.getByRole("button", { name: "Save name" }).click();
    await page.getByRole("button", { name: "Update name" }).waitFor();
    await name.fill("Ana B.");
    await page.getByRole("button", { name: "Update name" }).click();
    await page.getByText("Saved.", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Copy my key" }).click();
    await page.getByText("Copied: my key").waitFor();
    const key = await page.evaluate<string>("navigator.clipboard.readText()");

    const { page: other } = await dashboard.open("/settings");
    const given = other.getByPlaceholder("Paste your key");
    await given.fill("not a key");
    await other.getByRole("button", { name: "Use this key" }).click();
    await other.getByRole("alert").filter({ hasText: "The broker doesn't recognise you." }).waitFor();
    await given.fill(key);
    await other.getByRole("button", { name: "Use this key" }).click();
    await other.getByText("Signed in here as Ana B.").waitFor();
    await expect
      .poll(() => other.getByRole("textbox", { name: "Name", exact: true }).inputValue())
      .toBe("Ana B.");

    await page.getByRole("button", { name: "Sign out of this browser…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Sign out of this browser" }).click();
    await page.getByRole("button", { name: "Save name" }).waitFor();
    expect(await page.evaluate("localStorage.getItem('merkle.person')")).toBeNull();
    expect(problems).toEqual([]);
  });

  it("[DASH-160] [DASH-161] [DASH-177] what this browser prefers holds at once, and what the broker goes by for everybody", {
    tags: "long",
  }, async () => {
    const { page, problems } = await dashboard.open("/settings", {
      as: await dashboard.newPerson(),
      colorScheme: "light",
    });
    await page.getByRole("radio", { name: "Dark" }).check();
    await expect.poll(() => background(page)).toBe("rgb(14, 17, 22)");
    await page.getByRole("radio", { name: "UTC" }).check();
    await expect.poll(() => page.getByText("Saved", { exact: true }).count()).toBe(2);
    await page.reload();
    await page.getByRole("radio", { name: "UTC" }).waitFor();
    await expect.poll(() => page.getByRole("radio", { name: "UTC" }).isChecked()).toBe(true);
    expect(await background(page)).toBe("rgb(14, 17, 22)");

    const groups = page.getByRole("navigation", { name: "Settings" });
    await groups.getByRole("link", { name: "People and access" }).click();
    // On an open broker there are no members to manage, and the page explains this.
    await page.getByText("Anyone who can reach this broker can join", { exact: false }).waitFor();
    expect(await page.getByRole("button", { name: "Invite people…" }).count()).toBe(0);

    await groups.getByRole("link", { name: "Agents", exact: true }).click();
    const waits = page.getByRole("textbox", { name: "Agent stops after" });
    await waits.fill("12");
    await waits.press("Enter");
    const read = async () => (await dashboard.rest.call("get_settings", {})).settings.idle_polls;
    await expect.poll(read).toBe(12);
    await expect.poll(() => waits.inputValue()).toBe("12 waits");
    expect(problems).toEqual([]);
  });

  it("[DASH-393] a duration is shown and typed with its unit, saved as the field is left, with a note and an undo, and a wrong one is refused at its field", async () => {
    const { page, problems, findBarriers } = await dashboard.open("/settings#attention", {
      as: await dashboard.newPerson(),
    });
    const quiet = page.getByRole("textbox", { name: "Quiet after" });
    await expect.poll(() => quiet.inputValue()).toBe("10 minutes");
    const read = async () => (await dashboard.rest.call("get_settings", {})).settings.quiet_after_s;
    await quiet.fill("1h 30m");
    await quiet.blur();
    const field = page.locator("form").filter({ has: quiet });
    await field.getByText("Saved", { exact: true }).waitFor();
    expect(await read()).toBe(5_400);
    expect(await quiet.inputValue()).toBe("1 hour 30 minutes");
    expect(await findBarriers()).toEqual([]);
    await field.getByRole("button", { name: "Undo" }).click();
    await expect.poll(read).toBe(600);
    await expect.poll(() => quiet.inputValue()).toBe("10 minutes");

    for (const wrong of ["3 days", "soon", "20"]) {
      await quiet.fill(wrong);
      await quiet.press("Enter");
      await field
        .getByRole("alert")
        .getByText("Enter 1 second to 1 day. Examples: 90 s, 10 minutes, 2 h.")
        .waitFor();
    }
    expect(await findBarriers()).toEqual([]);
    await quiet.fill("10 min");
    await quiet.press("Enter");
    await expect.poll(() => quiet.inputValue()).toBe("10 minutes");
    const returning = page.getByRole("textbox", { name: "Dismissed items return after" });
    await expect.poll(() => returning.inputValue()).toBe("never");
    expect(await read()).toBe(600);
    expect(problems).toEqual([]);
  });

  it("[DASH-162] [DASH-163] [DASH-311] how the broker is and which sessions are large stands there, on a phone too", async () => {
    const { rest, broker } = dashboard;
    const { sessionId } = await createTestSession(rest, "A long migration");
    const sql = connectTestDatabase(broker.databaseUrl);
    await sql`UPDATE sessions SET bytes = ${5 * 1024 ** 2} WHERE session_id = ${sessionId}`;
    const { page, problems, findBarriers } = await dashboard.open("/settings?part=broker", phone);
    await page.getByText(/PostgreSQL \d+/).waitFor();
    await page.getByText(/with \d+ subscriptions/).waitFor();
    const largest = page.getByRole("region", { name: "Storage" }).getByRole("listitem").first();
    await expect.poll(() => largest.textContent()).toMatch(/A long migration.*5\.2 MB, \d+ message/);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });
});

function background(page: Page): Promise<string> {
  return page.evaluate("getComputedStyle(document.body).backgroundColor");
}
