import type { Locator } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { joinMesh } from "../kit/members.js";
import { createTestSession } from "../kit/session.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";
import { phone } from "./open-dashboard.js";
import { createMembersDashboard } from "./open-members.js";

const dashboard = createMembersDashboard();

describe("the settings of who is let in", { tags: "chromium" }, () => {
  it("[DASH-177] an admin invites, sees what becomes of it, and revokes invites and members", async () => {
    const { admin, broker } = dashboard;
    const session = await createTestSession(dashboard.rest, "Plan the move");
    const { page, problems, findBarriers } = await dashboard.open(
      "/settings?part=people",
      await dashboard.createSignedInProfile(),
    );
    await page.getByRole("button", { name: "Invite people…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("alert").getByText("only on the machine that runs the broker").waitFor();
    await dialog.getByRole("combobox", { name: /^Opens/ }).selectOption({ label: "Plan the move" });
    await dialog.getByRole("spinbutton", { name: "Number of uses" }).fill("2");
    await dialog.getByRole("combobox", { name: "Expires in" }).selectOption({ label: "7 days" });
    await dialog.getByRole("checkbox", { name: /Add a spoken code/ }).check();
    await dialog.getByRole("button", { name: "Create invite" }).click();
    const link = await shownOnce(dialog, "Link");
    const code = await shownOnce(dialog, "Spoken code");
    expect(await findBarriers()).toEqual([]);
    // A click outside must not close a dialog that shows a secret once.
    await page.mouse.click(5, 5);
    await dialog.getByRole("button", { name: "Done" }).click();
    const open = page.getByRole("list", { name: "Open invites" });
    await open.getByText("2 of 2 uses left", { exact: false }).waitFor();

    const dune = await joinMesh(broker.url, { invite: link, name: "Dune" }, onTestFinished);
    expect(dune.session).toMatchObject({ session_id: session.sessionId });
    await joinMesh(broker.url, { invite: code, name: "Elm" }, onTestFinished);
    await page.getByText("Past invites", { exact: false }).click();
    const past = page.getByRole("list", { name: "Past invites" });
    await past.getByText("used 2 of 2 times", { exact: false }).waitFor();

    const members = page.getByRole("list", { name: "Members", exact: true });
    await members.getByRole("listitem").filter({ hasText: "Ana" }).getByText("(you)").waitFor();
    await members.getByRole("button", { name: "Revoke Dune" }).click();
    const asked = page.getByRole("alertdialog");
    await asked.getByRole("textbox", { name: "Reason (kept in the record)" }).fill("left the project");
    await asked.getByRole("button", { name: "Revoke", exact: true }).click();
    await expect.poll(() => members.getByText("Dune").count()).toBe(0);
    await page.getByText("Revoked (1)").waitFor();
    const { members: known } = await admin.call("list_members", {});
    expect(known.find(({ name }) => name === "Dune")?.revoked).toMatchObject({ by: "Ana" });
    expect(problems).toEqual([]);
  });

  it("[DASH-352] members whose inviter was revoked are marked, revoking offers to end whom somebody invited, and nobody's are listed once", async () => {
    const { admin, broker } = dashboard;
    const join = async (name: string, by: Pick<typeof admin, "call">) =>
      joinMesh(broker.url, { invite: (await by.call("create_invite", {})).link, name }, onTestFinished);
    const oak = await join("Oak", admin);
    await join("Ivy", oak);
    const yew = await join("Yew", admin);
    const ash = await join("Ash", yew);
    await admin.call("revoke_member", { member_id: yew.member_id });
    const before = await join("Of before", admin);
    const sql = connectTestDatabase(broker.databaseUrl);
    await sql`UPDATE members SET vouched_by = NULL WHERE member_id = ${before.member_id}`;
    const { page, problems } = await dashboard.open(
      "/settings?part=people",
      await dashboard.createSignedInProfile(),
    );
    const members = page.getByRole("list", { name: "Members", exact: true });
    await members
      .getByRole("listitem")
      .filter({ hasText: "Ash" })
      .getByText("invited by Yew (revoked)")
      .waitFor();
    await page.getByText("No known inviter: Of before", { exact: false }).waitFor();
    await members.getByRole("button", { name: "Revoke Oak" }).click();
    const asked = page.getByRole("alertdialog");
    await asked.getByText("Ivy. Otherwise they stay members.").waitFor();
    await asked.getByRole("checkbox", { name: /^Also revoke everyone Oak invited/ }).check();
    await asked.getByRole("button", { name: "Revoke", exact: true }).click();
    await expect.poll(() => members.getByText("Ivy", { exact: true }).count()).toBe(0);
    expect(await ash.call("list_sessions", {})).toBeTruthy();
    expect(problems).toEqual([]);
  });

  it("[DASH-178] tokens, browsers and meshes are listed, made and ended; what is secret is shown once", {
    tags: "long",
  }, async () => {
    const { broker } = dashboard;
    const { page, problems, findBarriers } = await dashboard.open("/settings#tokens", {
      ...(await dashboard.createSignedInProfile()),
      colorScheme: "dark",
    });
    await page.getByRole("button", { name: "New token…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Description" }).fill("the build server");
    await dialog.getByRole("button", { name: "Create token" }).click();
    const token = await shownOnce(dialog, "Token");
    await dialog.getByRole("button", { name: "Done" }).click();
    const program = await brokerTransports.rest(broker.url, { token });
    await program.call("list_sessions", {});
    const row = page.getByRole("listitem").filter({ hasText: "the build server" });
    await row.waitFor();
    expect(await page.content()).not.toContain(token);
    await row.getByRole("button", { name: "Revoke token the build server" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke", exact: true }).click();
    await expect.poll(() => row.count()).toBe(0);
    await expect(program.call("list_sessions", {})).rejects.toMatchObject({ code: "unauthorized" });

    await page.getByRole("button", { name: "Sign in on another browser…" }).click();
    await dialog.getByRole("button", { name: "Create link" }).click();
    const link = await shownOnce(dialog, "Link");
    await dialog.getByRole("button", { name: "Done" }).click();
    const other = await dashboard.open(link);
    await other.page.getByRole("button", { name: "New session" }).first().waitFor();

    await page.getByRole("textbox", { name: "New mesh" }).fill("pricing");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const meshes = page.getByRole("list", { name: "Meshes" });
    await meshes.getByRole("listitem").filter({ hasText: "pricing" }).getByText("admin").waitFor();
    await meshes.getByRole("listitem").filter({ hasText: "main" }).getByText("this browser").waitFor();
    expect(await findBarriers()).toEqual([]);
    const parts = page.getByRole("navigation", { name: "Settings" });
    await parts.getByRole("link", { name: "Agents", exact: true }).click();
    await page.getByText(/Bearer \$\{MERKLE_TOKEN\}/).waitFor();
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("[DASH-179] a member is not offered what is an admin's, and brings others to a session or lets them look on", async () => {
    const { rest, broker } = dashboard;
    const session = await createTestSession(rest, "For all of us");
    const { link } = await rest.call("create_invite", {});
    const member = await joinMesh(broker.url, { invite: link, name: "Fern" }, onTestFinished);
    const signedIn = await dashboard.createSignedInProfile(member);
    const { page, problems } = await dashboard.open("/settings#people", { ...phone, ...signedIn });
    await page.getByRole("list", { name: "Members", exact: true }).getByText("Fern").waitFor();
    expect(await page.getByRole("button", { name: "Revoke Ana" }).count()).toBe(0);
    const expectNone = async (...names: string[]) => {
      for (const name of names) {
        expect(await page.getByRole("button", { name, exact: true }).count(), name).toBe(0);
      }
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    };
    await expectNone("Create");
    const parts = page.getByRole("navigation", { name: "Settings" });
    await parts.getByRole("link", { name: "Agents", exact: true }).click();
    await page.getByRole("textbox", { name: "Connection URL" }).waitFor();
    await expectNone("Save", "Test");
    await parts.getByRole("link", { name: "Broker", exact: true }).click();
    await page.getByRole("heading", { name: "Storage" }).waitFor();
    expect(await page.getByRole("heading", { name: "Retention" }).count()).toBe(0);

    await page.goto(new URL(`/sessions/${session.slug}`, page.url()).href);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("button", { name: "Invite people…" }).click();
    expect(await dialog.getByRole("combobox", { name: "Role" }).count()).toBe(0);
    await dialog.getByRole("button", { name: "Create invite" }).click();
    const invite = await shownOnce(dialog, "Link");
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await rest.call("preview_invite", { invite })).toMatchObject({
      slug: session.slug,
      inviter: "Fern",
    });
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("button", { name: "Share a view-only link…" }).click();
    await dialog.getByRole("textbox", { name: "Label" }).fill("the auditor");
    await dialog.getByRole("button", { name: "Create link" }).click();
    const look = await shownOnce(dialog, "Link");
    expect(look).toContain(`/sessions/${session.slug}#observe=mko_`);
    expect(problems).toEqual([]);
  });
});

/** Returns a secret that the dialog shows once. */
async function shownOnce(dialog: Locator, what: string): Promise<string> {
  return (await dialog.getByRole("figure", { name: what }).locator("code").textContent()) ?? "";
}
