import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { phone, testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("the settings", { tags: "chromium" }, () => {
  it("[DASH-362] settings open on five sections, name how many advanced ones there are, and lead to those by earlier addresses, too", async () => {
    const { page, problems, findBarriers } = await dashboard.open("/settings");
    const headings = () => page.getByRole("heading", { level: 2 }).allTextContents();
    const five = ["Profile", "Appearance", "Notifications", "People", "Agents' address"];
    await expect.poll(headings).toEqual(five);
    expect(await findBarriers()).toEqual([]);
    const more = page.getByRole("link", { name: /^\d+ advanced sections$/ });
    const count = Number.parseInt((await more.textContent()) ?? "", 10);
    await more.click();
    await page.getByRole("heading", { name: "Push and webhooks" }).waitFor();
    expect((await headings()).length).toBe(count);
    expect(await findBarriers()).toEqual([]);
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Settings" }).click();
    await expect.poll(headings).toEqual(five);
    for (const [address, title] of [
      ["?part=people", "People"],
      ["?part=broker", "Storage"],
      ["#meshes", "Meshes"],
      ["#connection", "Agents' address"],
    ] as const) {
      await page.goto(`${dashboard.broker.url}/settings${address}`);
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
    }
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
    await page.getByRole("group", { name: /^Each notification names the session/ }).waitFor();
    await page.reload();
    await page.getByRole("radio", { name: "UTC" }).waitFor();
    await expect.poll(() => page.getByRole("radio", { name: "UTC" }).isChecked()).toBe(true);
    expect(await background(page)).toBe("rgb(14, 17, 22)");

    await page.getByRole("link", { name: "People", exact: true }).click();
    // On an open broker there are no members to manage, and the page explains this.
    await page.getByText("Anyone who can reach this broker can join", { exact: false }).waitFor();
    expect(await page.getByRole("button", { name: "Invite people…" }).count()).toBe(0);

    const parts = page.getByRole("navigation", { name: "Settings" });
    await parts.getByRole("link", { name: /^Advanced/ }).click();
    const waits = page.getByRole("spinbutton", { name: /^Stop after/ });
    await waits.fill("12");
    await page.getByRole("button", { name: "Save changes" }).click();
    const read = async () => (await dashboard.rest.call("get_settings", {})).settings.idle_polls;
    await expect.poll(read).toBe(12);
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
