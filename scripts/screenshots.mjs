/**
 * `npm run screenshots`: takes the pictures of the dashboard that the documents show, in docs/screenshots. They are of real
 * pages of a real broker, whose sessions are staged for them. Words limit it to pictures whose name contains one of them.
 */
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createLog, startBroker } from "@merkle/broker";
import { connect } from "@merkle/wire/client";
import { chromium } from "playwright-core";
// Next brings it along.
import sharp from "sharp";
import { WebSocket } from "ws";
import { stageSessions } from "./staged-sessions.mjs";
import { build, root } from "./steps.mjs";

const desk = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const folder = join(root, "docs/screenshots");
/** The documents are read by people who wait for them. */
const bytesMax = 120_000;

/** What each shows, and how one comes there. */
const pictures = {
  "index-light": { path: () => "/", shows: "main table" },
  "session-light": { path: live, shows: "[role=feed] article" },
  "session-dark": { path: live, shows: "[role=feed] article", colorScheme: "dark" },
  "session-phone": { path: live, shows: "[role=feed] article", ...phone },
  diff: {
    path: (slug) => `/sessions/${slug}/doc?compare=1..2`,
    shows: "main table, [data-hunk], [data-diff]",
  },
  "conclude-dialog": {
    path: live,
    shows: "[role=feed] article",
    async act(page) {
      await page.getByRole("button", { name: "Conclude" }).click();
      const dialog = page.getByRole("dialog");
      await dialog
        .getByRole("textbox")
        .fill("Tokens come from **issuer**; the gateway accepts both until June.\n\nResume here: end v1.");
    },
  },
  settings: { path: () => "/settings", shows: "main h1, main h2" },
};

const wanted = process.argv.slice(2);
const names = Object.keys(pictures).filter(
  (name) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
);

await build();
await mkdir(folder, { recursive: true });
const home = await mkdtemp(join(tmpdir(), "merkle-pictures-"));
await chmod(home, 0o711);
const broker = await startBroker({
  home,
  port: 0,
  dashboard: join(root, "apps/dashboard/out"),
  log: createLog(() => undefined),
});
const client = connect({ url: broker.url, WebSocket });
const browser = await chromium.launch({ executablePath: findChromium(), args: ["--disable-dev-shm-usage"] });
try {
  const staged = await stageSessions(client, broker.verifyingLink.split("#verify=")[1]);
  for (const name of names) await take(name, staged);
} finally {
  await browser.close();
  await client.close();
  await broker.stop();
  await rm(home, { recursive: true, force: true });
}

async function take(name, { slug, ana }) {
  const { path, shows, act, ...look } = pictures[name];
  const context = await browser.newContext({
    ...desk,
    colorScheme: "light",
    reducedMotion: "reduce",
    ...look,
  });
  const page = await context.newPage();
  const person = JSON.stringify({ id: ana.split(".")[0], name: "Ana", credential: ana });
  await page.addInitScript((text) => localStorage.setItem("merkle.person", text), person);
  await page.goto(broker.url + path(slug));
  await page.locator(shows).first().waitFor();
  await act?.(page);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  // What is loaded on demand, such as the colours of code, has no end that a page could tell.
  await page.waitForTimeout(1_500);
  const file = join(folder, `${name}.png`);
  const picture = await page.screenshot({ animations: "disabled", caret: "hide", scale: "css" });
  await context.close();
  // A page has few colours: with 256 of them a picture takes a third of the bytes.
  await sharp(picture).png({ palette: true, effort: 10, dither: 0 }).toFile(file);
  const { size } = await stat(file);
  const verdict = size <= bytesMax ? "" : `: more than ${bytesMax / 1000} kB`;
  process.stdout.write(`docs/screenshots/${name}.png ${Math.round(size / 1000)} kB${verdict}\n`);
}

function live(slug) {
  return `/sessions/${slug}`;
}

function findChromium() {
  const found = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((place) => ["chromium", "chromium-browser", "google-chrome"].map((name) => join(place, name)))
    .find((file) => existsSync(file));
  const file = process.env.CHROMIUM_PATH ?? found;
  if (!file) throw new Error("There is no Chromium here. Install it, or name one in CHROMIUM_PATH.");
  return file;
}
