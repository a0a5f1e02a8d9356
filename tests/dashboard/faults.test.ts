import { randomUUID } from "node:crypto";
import { connect } from "@merkle/wire/client";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { setUpSharedMerkle } from "../../apps/cli/src/test-kit/shared-merkle.js";
import { findChromium, launchChromium } from "../kit/chromium.js";
import { openPage, type WatchedPage } from "../kit/open-page.js";
import { startTcpProxy } from "../tail/tcp-proxy.js";
import { findDashboardPages } from "./pages.js";
import { placeOf, readShownFeed } from "./shown-feed.js";

const chromium = findChromium();

const draft = "Half a thought, which nobody has";
/** The message that the reader is viewing during the faults. It is far from both ends of the initial messages. */
const readFrom = 20;
const saidBefore = 40;

describe("a session's page through faults", { tags: "chromium" }, () => {
  const merkle = setUpSharedMerkle();
  let browser: Browser;

  beforeAll(async () => {
    findDashboardPages();
    browser = await launchChromium(chromium ?? "");
    return () => browser.close();
  });

  /** Starts a team that keeps posting during all faults. Each message is posted exactly once, as soon as possible. */
  async function startTalk() {
    const { url } = await merkle.readRunFile();
    const client = connect({ url, WebSocket, retry: { capMs: 200 } });
    onTestFinished(() => client.close());
    const { session_id, slug, team_id } = await client.call("create_session", {
      title: `Split the auth service ${randomUUID()}`,
      creator_team_name: "Atlas",
    });
    let said = 0;
    async function say(count: number): Promise<void> {
      for (let more = 0; more < count; more += 1) {
        said += 1;
        const content = { text: `word ${said} of Atlas` };
        await client.call("post_message", { session_id, team_id, content });
      }
    }
    await say(saidBefore);
    return { slug, say, count: () => said };
  }

  /** Opens a page in the middle of the feed, with a draft in its composer. */
  async function openReader(url: string, slug: string): Promise<WatchedPage> {
    const opened = await openPage(browser, `${url}/sessions/${slug}?m=${readFrom}`);
    const { page } = opened;
    await page.locator(`article[data-sequence="${readFrom}"]`).waitFor();
    await says(page, /^Live/);
    await page.getByRole("textbox", { name: "Message" }).fill(draft);
    return opened;
  }

  /** Expects an unchanged scroll position and draft, and that every message is shown once, in order. */
  async function expectNothingLost(page: Page, place: object, said: number): Promise<void> {
    await says(page, /^Live/);
    await page.getByText(`${said - saidBefore} new`).waitFor();
    expect(await placeOf(page, readFrom)).toEqual(place);
    await expect.poll(() => page.getByRole("textbox", { name: "Message" }).inputValue()).toBe(draft);
    const rows = await readShownFeed(page);
    expect(rows.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: said }, (_, index) => index + 1),
    );
    for (const { sequence, text } of rows) expect(text).toContain(`word ${sequence} of Atlas`);
    expect(await page.evaluate(() => performance.getEntriesByType("navigation").length)).toBe(1);
  }

  it("[DASH-180] a broker that is killed while messages are posted, and comes back, costs the page nothing", async () => {
    const { slug, say, count } = await startTalk();
    const { url, port, pid } = await merkle.readRunFile();
    const { page } = await openReader(url, slug);
    const place = await placeOf(page, readFrom);
    await say(5);
    await page.getByText("5 new").waitFor();

    // Some of these messages are in flight when the broker is killed. The rest are posted while no broker is running.
    const meanwhile = say(10);
    process.kill(pid, "SIGKILL");
    await says(page, /^(Reconnecting|Offline)/);
    expect(await merkle.run(["up", "--port", String(port), "--detach"])).toMatchObject({ code: 0 });
    await meanwhile;
    await say(5);
    await expectNothingLost(page, place, count());
  });

  it("[DASH-181] a network that fails for a while costs the page nothing", async () => {
    const { slug, say, count } = await startTalk();
    const proxy = await startTcpProxy((await merkle.readRunFile()).port);
    const { page } = await openReader(proxy.url, slug);
    const place = await placeOf(page, readFrom);
    await say(5);

    proxy.mode = "cut";
    proxy.cutAll();
    await says(page, /^(Reconnecting|Offline)/);
    await say(10);
    proxy.mode = "pass";
    await says(page, /^Live/);
    await say(5);
    await expectNothingLost(page, place, count());
  });

  it("[DASH-394] what is saved or opened while the broker is lost is done once it is back, once, without another click", async () => {
    const { url, port } = await merkle.readRunFile();
    const client = connect({ url, WebSocket });
    onTestFinished(() => client.close());
    const { session_id, slug } = await client.call("create_session", {
      title: `Write through faults ${randomUUID()}`,
      creator_team_name: "Atlas",
    });
    const { person_id } = await client.call("create_person", { name: `Ana ${randomUUID()}` });
    const person = { id: person_id.split(".")[0], name: "Ana", credential: person_id, verified: false };
    const proxy = await startTcpProxy(port);
    const { page } = await openPage(browser, `${proxy.url}/sessions/${slug}`, {}, (opened) =>
      opened.addInitScript((text) => localStorage.setItem("merkle.person", text), JSON.stringify(person)),
    );
    await says(page, /^Live/);
    await page.getByRole("button", { name: "Write first version" }).click();
    await page.getByRole("textbox", { name: "Document, based on version 0" }).fill("# Begun");

    proxy.mode = "cut";
    proxy.cutAll();
    await says(page, /^(Reconnecting|Offline)/);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "All participants" }).click();
    // The script of the dialog has not been loaded yet.
    await page.waitForEvent("requestfailed");
    proxy.mode = "pass";
    await page.getByRole("dialog").getByText("Atlas").first().waitFor();
    await page.getByRole("heading", { name: "Begun" }).waitFor();
    const { versions } = await client.call("list_doc_versions", { session_id });
    expect(versions).toMatchObject([{ version: 1, written_by: expect.stringMatching(/^Ana/) }]);
    expect(await page.evaluate(() => performance.getEntriesByType("navigation").length)).toBe(1);
  });

  it("[DASH-182] a browser that slept wakes without a network, and then fills in what it missed", {
    tags: "posix",
  }, async () => {
    const { slug, say, count } = await startTalk();
    const proxy = await startTcpProxy((await merkle.readRunFile()).port);
    const { page } = await openReader(proxy.url, slug);
    const place = await placeOf(page, readFrom);

    const wake = await putToSleep(browser);
    proxy.mode = "cut";
    proxy.cutAll();
    await say(15);
    wake();
    await says(page, /^(Reconnecting|Offline)/);
    proxy.mode = "pass";
    await say(5);
    await expectNothingLost(page, place, count());
  });
});

/** Waits until the page shows this connection state. */
async function says(page: Page, words: RegExp): Promise<void> {
  await page.getByText(words).filter({ visible: true }).first().waitFor();
}

/** Suspends every process of a browser. Returns a function that resumes them. */
async function putToSleep(browser: Browser): Promise<() => void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const wake = () => {
    for (const { id } of processInfo) process.kill(id, "SIGCONT");
  };
  onTestFinished(wake);
  for (const { id } of processInfo) process.kill(id, "SIGSTOP");
  return wake;
}
