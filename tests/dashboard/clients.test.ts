import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { redeemCode, startOAuthClient } from "../kit/oauth-client.js";
import { createTestSession } from "../kit/session.js";
import { createMembersDashboard } from "./open-members.js";

const dashboard = createMembersDashboard();

/** Starts an OAuth client on this machine, with a redirect address on localhost. */
async function startClient() {
  const server = createServer((_request, response) => response.end("You may close this page."));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // A TCP server's address has a port.
  const base = dashboard.broker.url.replace("127.0.0.1", "localhost");
  const host = `127.0.0.1:${port}`;
  return { ...(await startOAuthClient(`${base}/api/mcp`, `http://${host}/callback`)), host };
}

describe("the page on which a member lets a client in", { tags: "chromium" }, () => {
  it("[OAUTH-8] it says who asks and where the answer goes, and lets in as the team and into the session that are chosen", {
    tags: "long",
  }, async () => {
    const session = await createTestSession(dashboard.rest, "Split the auth service");
    const client = await startClient();
    const { page, problems, findBarriers } = await dashboard.open(client.page);
    // The page stays open while the user signs in.
    const transport = page.getByRole("dialog", { name: "Sign in" });
    await transport.getByLabel("Sign-in link, invite or code").fill(await dashboard.signInLink());
    await transport.getByRole("button", { name: "Continue" }).click();
    await page.getByText(client.host, { exact: true }).waitFor();
    await page.getByText("Authorise the client “Hosted Helper”?").waitFor();
    expect(await findBarriers()).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await findBarriers()).toEqual([]);
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
    expect(await findBarriers()).toEqual([]);

    await page.getByRole("combobox", { name: "Session" }).selectOption({ label: "Split the auth service" });
    await page.getByRole("textbox", { name: "Team" }).fill("Helper");
    await page.getByRole("button", { name: "Authorise" }).click();
    await page.waitForURL((url) => url.host === client.host);
    const { access_token } = await redeemCode(client, page.url());
    expect(access_token).toMatch(/^mkc_/);
    const { participants } = await dashboard.rest.call("list_participants", {
      session_id: session.sessionId,
    });
    expect(participants).toContainEqual(expect.objectContaining({ team_name: "Helper" }));
    expect(problems).toEqual([`went to ${page.url()}`]);
  });

  it("[OAUTH-8] refused, the client is told so; one that asks wrongly is told nothing", async () => {
    await createTestSession(dashboard.rest, "Another");
    const client = await startClient();
    const { page } = await dashboard.open(await dashboard.signInLink());
    await page.waitForURL((url) => url.pathname === "/");
    await page.goto(client.page.replace("callback", "elsewhere"));
    await page.getByText("This client cannot be authorised.").waitFor();
    expect(await page.getByRole("button", { name: "Authorise" }).count()).toBe(0);
    await page.goto(client.page);
    await page.getByRole("button", { name: "Deny" }).click();
    await page.waitForURL((url) => url.host === client.host);
    expect(new URL(page.url()).searchParams.get("error")).toBe("access_denied");
  });

  it("[OAUTH-8] no other page can put it into a frame, and have a click meant for itself let a client in", async () => {
    const client = await startClient();
    const { page } = await dashboard.open(await dashboard.signInLink());
    await page.waitForURL((url) => url.pathname === "/");
    await page.goto("about:blank");
    await page.setContent(`<iframe src="${client.page.replaceAll("&", "&amp;")}"></iframe>`);
    await expect.poll(() => page.frames()[1]?.url()).toContain("chrome-error://");
  });
});
