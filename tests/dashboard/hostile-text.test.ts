import { describeNewNameDeception, normaliseName } from "@merkle/wire/text";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { openPage } from "../kit/open-page.js";
import { closeProfiles } from "../kit/profiles.js";
import { startTestBroker } from "../kit/test-broker.js";
import { transports } from "../kit/transports.js";
import { hostileNames, hostileTexts } from "./hostile-payloads.js";
import { findDashboardPages } from "./pages.js";

const chromium = findChromium();

describe("hostile texts in a browser", { tags: "chromium" }, () => {
  it("[DASH-50] [DASH-51] [DASH-71] of 500 texts and names made to run or to load something, none does", async () => {
    expect(hostileTexts.length).toBeGreaterThanOrEqual(500);
    const { url } = await startTestBroker({ dashboard: findDashboardPages() });
    const slug = await postEverything(url);
    const browser = await sharedChromium(chromium ?? "");
    onTestFinished(() => closeProfiles(browser));
    const { page, problems } = await openPage(browser, `${url}/settings`, {
      viewport: { width: 1_440, height: 2_400 },
    });
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await page.addInitScript("window.ran = window.alert = () => window.reportBreach('a script ran')");
    await page.goto(`${url}/sessions/${slug}?m=1`);

    const seen = new Set<number>();
    await page.getByRole("feed").hover();
    await expect
      .poll(
        async () => {
          const shown = await findSequences(page);
          for (const sequence of shown) seen.add(sequence);
          expect(await findIntruders(page)).toEqual([]);
          // Rows may be taller or shorter than estimated, so scrolling can skip some. The loop then scrolls back to the
          // skipped rows.
          const next = findFirstMissing(seen);
          await page.mouse.wheel(0, shown.some((sequence) => sequence < next) ? 1_800 : -600);
          return seen.size;
        },
        { interval: 50, timeout: 120_000 },
      )
      .toBeGreaterThanOrEqual(hostileTexts.length);
    expect(
      requested.filter((each) => /evil|canary/.test(new URL(each).host + new URL(each).pathname)),
    ).toEqual([]);
    expect(problems).toEqual([]);
  });
});

/** Creates a session whose title, description, names, messages and document are all hostile. Returns its slug. */
async function postEverything(url: string): Promise<string> {
  const socket = await transports.websocket(url);
  onTestFinished(() => socket.close());
  const [title = "", ...names] = hostileNames;
  const { session_id, team_id, slug } = await socket.call("create_session", {
    title,
    description: hostileTexts.slice(0, 20).join("\n"),
    creator_team_name: "Atlas",
    slug: "hostile",
  });
  for (const team_name of names) {
    const peer_name = team_name.replaceAll("/", "");
    const joining = socket.call("join_session", { session_id, team_name, peer_name });
    if (describeNewNameDeception(normaliseName(team_name)) === null) await joining;
    else await expect(joining).rejects.toMatchObject({ code: "bad_request" });
  }
  for (let from = 0; from < hostileTexts.length; from += 50) {
    const texts = hostileTexts.slice(from, from + 50);
    await Promise.all(
      texts.map((text) => socket.call("post_message", { session_id, team_id, content: { text } })),
    );
  }
  await socket.call("append_to_session_doc", {
    session_id,
    team_id,
    text: hostileTexts.map((text, index) => `## ${index}\n\n${text.slice(0, 300)}\n`).join("\n"),
  });
  return slug;
}

/** Returns forbidden elements inside user-written text, and links with forbidden targets. */
function findIntruders(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll('[data-slot="markdown"]')].flatMap((box) => [
      ...box.querySelectorAll("img, script, iframe, object, embed, style, link, meta, base, form, video, audio, math, template, [id], [onload], [onerror], [style*=url]"),
      ...[...box.querySelectorAll("a")].filter((a) =>
        !["http:", "https:", "mailto:"].includes(a.protocol) || a.target !== "_blank" || !a.rel.includes("noopener")),
    ].map((element) => element.outerHTML.slice(0, 200)))`);
}

/** Returns the first number that is missing from `seen`, counting from its smallest number. */
function findFirstMissing(seen: ReadonlySet<number>): number {
  let next = Math.min(...seen);
  while (seen.has(next)) next += 1;
  return next;
}

function findSequences(page: Page): Promise<number[]> {
  return page
    .getByRole("article")
    .evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("data-sequence"))));
}
