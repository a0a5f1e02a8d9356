/**
 * Ten walks through the first steps of new users. Each walk opens pages in a browser and takes pictures along the way.
 * `npm run screenshots -- --walks <folder>` takes the pictures in light and dark, for review.
 */
import { createHash, randomBytes } from "node:crypto";
import { toDeviceId } from "@merkle/wire/identity";

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/** Each walk gets `open(path, look)`, which returns a page, `shoot(page, name)`, and the staged sessions. */
export const walks = {
  async index({ open, shoot, empty }) {
    const first = await open(empty, "/", { isNobody: true });
    await first.getByRole("button", { name: "Open demo room" }).waitFor();
    await shoot(first, "first");
    await first.mouse.wheel(0, 700);
    await shoot(first, "steps");
    const page = await open(null, "/");
    await page.locator("main table").first().waitFor();
    await shoot(page, "busy");
    await page.goto(new URL("/needs-you", page.url()).href);
    await page.locator("main li").first().waitFor();
    await shoot(page, "needs-you");
    await page.goto(new URL("/agents", page.url()).href);
    await page.locator("main svg").first().waitFor();
    await shoot(page, "agents");
  },

  async demo({ open, shoot, empty }) {
    const page = await open(empty, "/", { isNobody: true });
    await page.getByRole("button", { name: "Open demo room" }).click();
    await page.locator("[role=feed] article").first().waitFor();
    await shoot(page, "entered");
    const ask = page.getByRole("button", { name: /^Keep their 30-day tokens/ });
    await ask.waitFor({ timeout: 90_000 });
    await shoot(page, "asked");
    await ask.click();
    await shoot(page, "answered");
    await page.getByText("CLOSED", { exact: true }).waitFor({ timeout: 90_000 });
    await shoot(page, "concluded");
  },

  async answer({ open, shoot, slug }) {
    const page = await open(null, "/needs-you");
    const item = page.getByText("Which staging key do I use").first();
    await item.click();
    await shoot(page, "detail");
    await page.goto(new URL(`/sessions/${slug}`, page.url()).href);
    await page.locator("[role=feed] article").first().waitFor();
    await page.getByRole("button", { name: "The vault's" }).first().waitFor();
    await shoot(page, "ask");
    await page.getByRole("button", { name: "The vault's" }).first().click();
    await shoot(page, "answered");
  },

  async launch({ open, shoot, slug }) {
    const page = await open(null, "/");
    await page.getByRole("button", { name: "New session" }).first().click();
    await page.getByRole("dialog").waitFor();
    await shoot(page, "new-session");
    await page.getByRole("dialog").getByRole("textbox").first().fill("Move the queue to streams");
    await page.keyboard.press("Enter");
    await page.waitForURL(/sessions\//);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await shoot(page, "empty-session");
    await page.goto(new URL(`/sessions/${slug}`, page.url()).href);
    await page.getByRole("button", { name: "More about this session" }).click();
    await shoot(page, "menu");
  },

  async invite({ open, shoot, guarded }) {
    const page = await open(guarded, guarded.firstInvite, { isNobody: true });
    await page.getByRole("textbox").first().fill("Ana");
    await shoot(page, "first-admin");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "New session" }).first().click();
    await page.getByRole("dialog").getByRole("textbox").first().fill("Move the queue to streams");
    await page.keyboard.press("Enter");
    await page.waitForURL(/sessions\//);
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByRole("dialog").waitFor();
    await shoot(page, "dialog");
    await page.getByRole("button", { name: "Create invite" }).click();
    const link = await page.getByRole("dialog").locator("figure code").first().textContent();
    await shoot(page, "made");
    const second = await open(guarded, link, { isNobody: true });
    await second.getByRole("heading", { level: 1 }).waitFor();
    await shoot(second, "second-browser");
    await second.getByRole("textbox").first().fill("Ben");
    await second.keyboard.press("Enter");
    await second.waitForURL(/sessions\//);
    await second.getByRole("heading", { level: 1 }).first().waitFor();
    await shoot(second, "joined");
  },

  async phone({ open, shoot, slug }) {
    const page = await open(null, "/", phone);
    await page.getByRole("heading").first().waitFor();
    await shoot(page, "index");
    await page.goto(new URL(`/sessions/${slug}`, page.url()).href);
    await page.locator("[role=feed] article").first().waitFor();
    await shoot(page, "session");
    await page.goto(new URL(`/sessions/${slug}/doc`, page.url()).href);
    await page.locator("main h2").first().waitFor();
    await shoot(page, "document");
    await page.goto(new URL("/needs-you", page.url()).href);
    await page.locator("main li").first().waitFor();
    await shoot(page, "needs-you");
    const small = await open(null, `/sessions/${slug}`, { ...phone, viewport: { width: 320, height: 640 } });
    await small.locator("[role=feed] article").first().waitFor();
    await shoot(small, "320");
  },

  async replay({ open, shoot, slug }) {
    const page = await open(null, `/sessions/${slug}`);
    await page.locator("[role=feed] article").first().waitFor();
    await page.keyboard.press("p");
    await page.waitForTimeout(2_000);
    await shoot(page, "playing");
  },

  async task({ open, shoot, slug, client, session }) {
    const add = (title, more) => client.call("create_task", { ...session, title, ...more });
    await add("Rotate tokens on every refresh", {
      text: "The gateway keeps the last two.",
      labels: ["auth"],
    });
    await add("Write down what a token holds", { labels: ["docs"] });
    await add("Test the rotation", { blocked_by: [1], assignee: "Birch" });
    await add("Move the gateway over", { blocked_by: [1, 3] });
    await client.call("claim_task", { ...session, task: 1 });
    await client.call("claim_task", { ...session, task: 2 });
    await client.call("finish_task", { ...session, task: 2, result: "In the document, under Tokens." });
    await client.call("claim", { ...session, scope: "repo:src/auth/**", reason: "rotating tokens" });
    const page = await open(null, `/sessions/${slug}/tasks`);
    await page.getByRole("region", { name: /^Claimed/ }).waitFor();
    await shoot(page, "board");
    await page
      .getByRole("link", { name: /Rotate tokens/ })
      .first()
      .click();
    await page.getByRole("dialog", { name: /^Task \d/ }).waitFor();
    await shoot(page, "details");
  },

  async approval({ open, shoot, client, session, ana }) {
    const device = toDeviceId(ana, (bytes) => createHash("sha256").update(bytes).digest());
    await client.call("ask_approval", {
      ...session,
      devices: [device],
      tool: "Bash",
      input: JSON.stringify({
        command: "npm run migrate -- --target auth/0007",
        description: "Apply the token table",
      }),
      folder: "/home/ana/auth-service",
      salt: randomBytes(32).toString("hex"),
    });
    const page = await open(null, "/approvals");
    await page.getByRole("listitem", { name: /asks to use Bash$/ }).waitFor();
    await shoot(page, "asked");
    await page.getByRole("button", { name: "Allow once" }).click();
    await shoot(page, "allowed");
  },

  async conclude({ open, shoot, slug }) {
    const page = await open(null, `/sessions/${slug}`);
    await page.getByRole("button", { name: "Conclude" }).click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByRole("textbox")
      .fill("Tokens come from **issuer**; the gateway accepts both until June.\n\nResume here: end v1.");
    await shoot(page, "dialog");
    await dialog.getByRole("button", { name: /^Conclude/ }).click();
    await page.getByText("CLOSED", { exact: true }).waitFor();
    await shoot(page, "closed");
    await page.goto(new URL(`/sessions/${slug}/conclusion`, page.url()).href);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await shoot(page, "last-page");
  },
};
