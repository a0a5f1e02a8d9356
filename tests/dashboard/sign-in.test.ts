import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createTestSession } from "../kit/session.js";
import { phone } from "./open-dashboard.js";
import { createMembersDashboard } from "./open-members.js";

const dashboard = createMembersDashboard();

describe("the transports for people", { tags: "chromium" }, () => {
  it("[DASH-170] a page that nobody is signed in for asks to sign in, and is there at the same address after that", async () => {
    const session = await saidSession("Split the auth service", "The key is in the vault.");
    const place = `/sessions/${session.slug}?types=chat`;
    const { page, problems, findBarriers } = await dashboard.open(place);
    const transport = page.getByRole("dialog", { name: "Sign in" });
    await transport.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    // On the second Escape, browsers close a dialog even if the page prevents it. The dialog must reopen immediately.
    await transport.waitFor();
    expect(await page.content()).not.toContain("vault");
    expect(await findBarriers()).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findBarriers()).toEqual([]);

    const second = await page.context().newPage();
    await second.goto(new URL("/settings?part=people", page.url()).href);
    await second.getByRole("dialog", { name: "Sign in" }).waitFor();
    // Anyone can check a record without signing in [DASH-264].
    const third = await page.context().newPage();
    await third.goto(new URL("/verify", page.url()).href);
    await third.getByText("Ready. No network is needed from here on.").waitFor();
    expect(await third.getByRole("dialog", { name: "Sign in" }).count()).toBe(0);
    await third.close();
    await transport.getByLabel("Sign-in link, invite or code").fill("not a link");
    await transport.getByRole("button", { name: "Continue" }).click();
    await transport.getByText("This is neither a sign-in link nor an invite.", { exact: false }).waitFor();
    await transport.getByLabel("Sign-in link, invite or code").fill(await dashboard.signInLink());
    await transport.getByRole("button", { name: "Continue" }).click();
    await page.getByText("The key is in the vault.").waitFor();
    expect(await transport.count()).toBe(0);
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(place);
    // The other tab is signed in as well.
    await second.getByRole("button", { name: "Invite people…" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("[DASH-171] [ENTER-4] a sign-in link signs in at once; its secret stays nowhere, and no script reads the cookie", async () => {
    const link = await dashboard.signInLink();
    const secret = link.split("#")[1] ?? "";
    const { page, problems } = await dashboard.open(link);
    await page.waitForURL((url) => url.pathname === "/");
    await page.getByText("No sessions", { exact: false }).or(page.getByRole("table")).first().waitFor();
    await expectNoTrace(page, secret);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
    expect(await page.evaluate("document.cookie")).toBe("");
    // The back button returns to the page that was open before the link.
    expect(await page.evaluate("history.length")).toBeLessThanOrEqual(2);
    expect(problems).toEqual([]);

    // A sign-in link to a session, as `merkle open` creates it.
    const session = await saidSession("Opened by link", "Straight to it.");
    const [, further = ""] = (await dashboard.signInLink()).split("#");
    const direct = await dashboard.open(`/sessions/${session.slug}#sign-in=${further}`);
    await direct.page.getByText("Straight to it.").waitFor();
    expect(new URL(direct.page.url()).pathname).toBe(`/sessions/${session.slug}`);
    await expectNoTrace(direct.page, further);

    const again = await dashboard.open(link);
    await again.page.getByRole("alert").filter({ hasText: "This sign-in link doesn't work." }).waitFor();
    await again.page.getByLabel("Sign-in link, invite or code").waitFor();
    expect(await again.findBarriers()).toEqual([]);
    await again.page.emulateMedia({ colorScheme: "dark" });
    expect(await again.findBarriers()).toEqual([]);
    await expectNoTrace(again.page, secret);
  });

  it("[DASH-172] who is invited sees by whom and to what, joins with a key of this browser, and is in the session", {
    tags: "curl",
  }, async () => {
    const session = await saidSession("Move the billing", "Invoices first.");
    const { link } = await dashboard.rest.call("create_invite", { session_id: session.sessionId });
    const secret = link.split("#")[1] ?? "";
    const { page, problems, findBarriers } = await dashboard.open(link, phone);
    await page.getByRole("heading", { name: "Invited by Ana to Move the billing" }).waitFor();
    await page.getByText("1 use left").waitFor();
    // Before joining, the invite reveals only the session's title.
    expect(await page.content()).not.toContain("Invoices");
    expect(page.url()).toBe(new URL("/join", page.url()).href);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(phone.viewport.width);
    expect(await findBarriers()).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findBarriers()).toEqual([]);

    await page.getByLabel("Team name").fill("Birch's Team");
    const snippet = page.getByRole("figure").locator("code");
    for (const tab of ["merkle CLI", "Claude Code", ".mcp.json", "curl"]) {
      await page.getByRole("radio", { name: tab }).check();
      expect(await snippet.textContent()).not.toContain(secret);
    }
    // The curl snippet joins the session when it runs with a member's token.
    const { token } = await dashboard.rest.call("issue_token", {});
    const { stdout } = await promisify(execFile)("sh", ["-e", "-c", (await snippet.textContent()) ?? ""], {
      env: { ...process.env, MERKLE_TOKEN: token },
    });
    expect(stdout).toContain('"cursor"');
    const { participants } = await dashboard.rest.call("list_participants", {
      session_id: session.sessionId,
    });
    expect(participants.map(({ team_name }) => team_name)).toContain("Birch's Team");
    await page.getByLabel("What should others call you?").fill("Birch");
    await page.getByRole("button", { name: "Join", exact: true }).click();
    await page.waitForURL((url) => url.pathname === `/sessions/${session.slug}`);
    await page.getByText("Invoices first.").waitFor();
    const composer = page.getByRole("textbox", { name: "Message", exact: true });
    await composer.fill("Birch is here.");
    await page.getByRole("button", { name: "Send" }).click();
    // A member already has a name, so the page does not ask for one.
    await page.getByRole("article").filter({ hasText: "Birch is here." }).waitFor();
    await expectNoTrace(page, secret);
    expect(problems).toEqual([]);
    const { members } = await dashboard.rest.call("list_members", {});
    expect(members.find(({ name }) => name === "Birch")).toMatchObject({ role: "member" });

    const late = await dashboard.open(link);
    await late.page.getByRole("heading", { name: "This invite has already been used" }).waitFor();
    await late.page.getByText("Ask Ana for a new one.").waitFor();
  });

  it("[DASH-173] an invite that lets nobody in says why and whom to ask, and another can be given there", async () => {
    const { rest } = dashboard;
    const brief = await rest.call("create_invite", { expires_in_s: 1 });
    const revoked = await rest.call("create_invite", {});
    await rest.call("revoke_invite", { invite_id: revoked.invite_id });
    const { page } = await dashboard.open(revoked.link);
    await page.getByRole("heading", { name: "This invite was revoked" }).waitFor();
    await page.getByText("Ask Ana for a new one.").waitFor();
    await expect
      .poll(async () => (await rest.call("preview_invite", { invite: brief.link })).state)
      .toBe("expired");
    await page.goto(brief.link);
    await page.getByRole("heading", { name: "This invite has expired" }).waitFor();
    await page.getByText("It was valid until", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Use another link" }).click();
    const spoken = await rest.call("create_invite", { code: true });
    await page.getByLabel("Sign-in link, invite or code").fill(spoken.code ?? "");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Invited by Ana to main" }).waitFor();
    const unknown = await dashboard.open("/join#AAAAAAAAAAAAAAAAAAAAAA");
    await unknown.page.getByRole("heading", { name: "Invite not found" }).waitFor();
    expect(await unknown.findBarriers()).toEqual([]);
  });

  it("[DASH-174] who came to look on reads one session as it goes on, and is offered nothing else", async () => {
    const session = await saidSession("Audited", "Which key? Ask me.");
    const other = await saidSession("Not for them", "Secret plans.");
    const { link } = await dashboard.rest.call("create_observer_link", { session_id: session.sessionId });
    const { page, problems, findBarriers } = await dashboard.open(link);
    await page.getByText("Which key? Ask me.").waitFor();
    await page.getByText("View only.").waitFor();
    expect(page.url()).toBe(new URL(`/sessions/${session.slug}`, page.url()).href);
    await session.post(session.convener, "It goes on.");
    await page.getByText("It goes on.").waitFor();
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("button", { name: "Copy link" }).waitFor();
    expect(await offered(page)).toEqual([]);
    expect(await findBarriers()).toEqual([]);
    expect(problems).toEqual([]);

    await page.goto(new URL(`/sessions/${other.slug}`, page.url()).href);
    await page.getByRole("heading", { name: "Session not found" }).waitFor();
    expect(await page.content()).not.toContain("Secret plans");
    await page.goto(new URL("/settings", page.url()).href);
    await page.getByRole("heading", { name: "View-only link" }).waitFor();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it("[DASH-175] [ENTER-6] a browser that is revoked is told so at once, keeps what was written, and comes back by its key", async () => {
    const session = await saidSession("Cut off", "Here we go.");
    const { link } = await dashboard.rest.call("create_invite", { session_id: session.sessionId });
    const { page, problems } = await dashboard.open(link);
    await page.getByLabel("What should others call you?").fill("Cedar");
    await page.getByRole("button", { name: "Join", exact: true }).click();
    await page.getByText("Here we go.").waitFor();
    const composer = page.getByRole("textbox", { name: "Message", exact: true });
    await composer.fill("Half a thought");
    const { tokens } = await dashboard.rest.call("list_tokens", {});
    const browser = tokens.find(({ kind, member }) => kind === "browser" && member === "Cedar");
    await dashboard.rest.call("revoke_token", { token_id: browser?.token_id ?? 0 });
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    await session.post(session.convener, "Meanwhile.");
    await page.getByRole("button", { name: "Sign in as Cedar" }).click();
    await page.getByText("Meanwhile.").waitFor();
    await expect.poll(() => composer.inputValue()).toBe("Half a thought");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("article").filter({ hasText: "Half a thought" }).waitFor();
    expect(problems).toEqual([]);

    const { members } = await dashboard.rest.call("list_members", {});
    const cedar = members.find(({ name }) => name === "Cedar");
    await dashboard.rest.call("revoke_member", { member_id: cedar?.member_id ?? "" });
    await page.getByRole("button", { name: "Sign in as Cedar" }).click();
    await page.getByRole("alert").filter({ hasText: "This key no longer works." }).waitFor();
  });

  it("[DASH-176] signing out ends all tabs of the browser, and leaves nothing of the member in it unless its key is kept", async () => {
    const { page, problems } = await dashboard.open("/settings", await dashboard.createSignedInProfile());
    const second = await page.context().newPage();
    await second.goto(new URL("/", page.url()).href);
    await second.getByRole("button", { name: "New session" }).first().waitFor();
    await page.getByText("Signed in as Ana, an admin of the mesh main").waitFor();
    await page.getByRole("button", { name: "Sign out…" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    await second.getByRole("dialog", { name: "Sign in" }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate("localStorage.getItem('merkle.person')")).toBeNull();
    expect(problems).toEqual([]);
  });
});

/** Creates a session with one message. */
async function saidSession(title: string, text: string) {
  const session = await createTestSession(dashboard.rest, title);
  await session.post(session.convener, text);
  return session;
}

/** Returns the controls that the page shows but an observer must not see. */
async function offered(page: Page): Promise<string[]> {
  const forbidden =
    /^(?:Invite|Hold|Conclude|Edit|Reply|Send|Nudge|Write|New key|Sign out|Resume|Let somebody|Add )/;
  const names = await page.getByRole("button").allInnerTexts();
  const fields = await page.getByRole("textbox", { name: "Message", exact: true }).count();
  const links = await page.getByRole("link", { name: /^(?:Memory|Settings|Needs you|Search)/ }).count();
  return [
    ...names.filter((name) => forbidden.test(name.trim())),
    ...(fields > 0 ? ["a field to write in"] : []),
    ...(links > 0 ? ["a page of the whole mesh"] : []),
  ];
}

/** Expects that the secret of a link is neither in the URL nor in the browser's storage. */
async function expectNoTrace(page: Page, secret: string): Promise<void> {
  expect(secret.length).toBeGreaterThan(20);
  expect(page.url()).not.toContain(secret);
  const kept = await page.evaluate<string>(
    "JSON.stringify([{...localStorage}, {...sessionStorage}, history.state, document.cookie, document.referrer])",
  );
  expect(kept).not.toContain(secret);
}
