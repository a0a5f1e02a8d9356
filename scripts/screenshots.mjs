/**
 * `npm run screenshots` takes the documentation's pictures of the dashboard, in docs/screenshots. They show real pages
 * of a real broker with staged sessions. Words on the command line limit the run to pictures whose name contains one of
 * them. `-- --walks <folder>` instead takes the first-time walks of walks.mjs into that folder, in light and dark.
 * `-- --states <folder>` takes the states of states.mjs, also on phones.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLog, startBroker } from "@merkle/broker";
import { connect } from "@merkle/wire/client";
import { chromium } from "playwright-core";
// `sharp` is installed as a dependency of Next.
import sharp from "sharp";
import { WebSocket } from "ws";
import { findChromium } from "./find-chromium.mjs";
import { stageSessions } from "./staged-sessions.mjs";
import { failingAgent, looks, stageNews, stageTogether, states } from "./states.mjs";
import { build, root } from "./steps.mjs";
import { walks } from "./walks.mjs";

const desk = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const folder = join(root, "docs/screenshots");
/** Large pictures would make the documentation load slowly. */
const bytesMax = 120_000;

/** The pictures, each with its path and the element to wait for. */
const pictures = {
  "session-light": { path: live, shows: "[role=feed] article" },
  "session-phone": { path: live, shows: "[role=feed] article", ...phone },
  diff: {
    path: (slug) => `/sessions/${slug}/doc?compare=1..2`,
    shows: "main table, [data-hunk], [data-diff]",
  },
};

const {
  values: { walks: walksFolder, states: statesFolder },
  positionals: wanted,
} = parseArgs({ allowPositionals: true, options: { walks: { type: "string" }, states: { type: "string" } } });
const named = (all) =>
  Object.keys(all).filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));

await build();
const browser = await chromium.launch({ executablePath: findChromium(), args: ["--disable-dev-shm-usage"] });
try {
  if (statesFolder !== undefined) await withStaged(takeStates, { agent: failingAgent });
  else if (walksFolder === undefined) await withStaged(takePictures);
  else
    for (const colorScheme of ["light", "dark"]) await withStaged((staged) => takeWalks(colorScheme, staged));
} finally {
  await browser.close();
}

/** Runs a temporary broker with a temporary home. */
async function withBroker(options, use) {
  const home = await mkdtemp(join(tmpdir(), "merkle-pictures-"));
  await chmod(home, 0o711);
  const log = createLog(() => undefined);
  const dashboard = join(root, "apps/dashboard/out");
  const broker = await startBroker({ home, port: 0, dashboard, log, ...options });
  try {
    await use(broker, home);
  } finally {
    await broker.stop();
    await rm(home, { recursive: true, force: true });
  }
}

function withStaged(use, options = {}) {
  return withBroker(options, async (broker, home) => {
    const client = connect({ url: broker.url, WebSocket });
    try {
      const staged = await stageSessions(client, broker.verifyingLink.split("#verify=")[1]);
      await use({ broker, home, client, ...staged });
    } finally {
      await client.close();
    }
  });
}

async function takePictures(staged) {
  await mkdir(folder, { recursive: true });
  for (const name of named(pictures)) await take(name, staged);
}

/** Takes the numbered pictures of each walk. A walk that fails is reported, and the other walks continue. */
async function takeWalks(colorScheme, staged) {
  await mkdir(walksFolder, { recursive: true });
  await withBroker({}, (empty) =>
    withBroker({ auth: "invite" }, async (guarded) => {
      for (const name of named(walks)) {
        const contexts = [];
        let count = 0;
        const open = async (broker, path, { isNobody = false, ...look } = {}) => {
          const context = await openContext({ colorScheme, ...look });
          contexts.push(context);
          const page = await context.newPage();
          if (!isNobody) await actAs(page, staged.ana);
          await page.goto(new URL(path, (broker ?? staged.broker).url).href);
          return page;
        };
        const shoot = async (page, what) => {
          count += 1;
          await settle(page);
          const file = `${name}-${count}-${what}-${colorScheme}.png`;
          await page.screenshot({ path: join(walksFolder, file), scale: "css" });
          process.stdout.write(`${file}\n`);
        };
        await walks[name]({ ...staged, empty, guarded, open, shoot }).catch((error) => {
          process.exitCode = 1;
          process.stderr.write(`The walk ${name} ended early: ${error}\n`);
        });
        for (const context of contexts) await context.close();
      }
    }),
  );
}

/** Takes each state, with the full height of its scrolled content. */
async function takeStates(staged) {
  await mkdir(statesFolder, { recursive: true });
  const { device, stop } = await stageTogether(staged);
  // After this pause, claims with a minute's grace period have been released, and approvals that no agent waits for
  // have lapsed.
  if (wanted.length === 0) await new Promise((resolve) => setTimeout(resolve, 100_000));
  const home_key = await readFile(join(staged.home, "home-key"), "utf8");
  const { code } = await staged.client.call("create_verification_code", { home_key });
  const { person_id: ben } = await staged.client.call("create_person", { name: "Ben", code });
  for (const [look, { viewport = desk.viewport, ...options }] of Object.entries(looks)) {
    await stageNews({ ...staged, device });
    for (const name of named(states)) {
      const { path, act, as = staged.ana } = states[name];
      const context = await openContext({ viewport, ...options });
      const page = await context.newPage();
      if (as !== null) await actAs(page, as === "Ben" ? ben : as);
      await page.goto(staged.broker.url + path(staged.slug));
      try {
        await page.locator(":is(main h1, main h2, main button):visible").first().waitFor();
        await settle(page);
        await act?.(page);
        await settle(page);
        await page.setViewportSize({ ...viewport, height: viewport.height + (await hiddenHeight(page)) });
        await page.waitForTimeout(300);
      } catch (error) {
        process.exitCode = 1;
        process.stderr.write(`${name} ${look}: ${error}\n`);
      }
      await page.screenshot({ path: join(statesFolder, `${name}-${look}.png`), scale: "css" });
      await context.close();
    }
    process.stdout.write(`${look}\n`);
  }
  stop();
}

/** Returns how much higher the page must be to show all of its scrolled content. 0 if a dialog is open. */
function hiddenHeight(page) {
  return page.evaluate(() => {
    if (document.querySelector("dialog:modal") || document.querySelector("[role=feed]")) return 0;
    const scrollers = [document.documentElement, ...document.querySelectorAll("main, main *")];
    const hidden = scrollers
      .filter(
        (each) => each === document.documentElement || /auto|scroll/.test(getComputedStyle(each).overflowY),
      )
      .map(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    return Math.min(Math.max(0, ...hidden), 3_000);
  });
}

function openContext(look) {
  return browser.newContext({ ...desk, colorScheme: "light", reducedMotion: "reduce", ...look });
}

async function actAs(page, ana) {
  const person = JSON.stringify({ id: ana.split(".")[0], name: "Ana", credential: ana, verified: true });
  await page.addInitScript((text) => localStorage.setItem("merkle.person", text), person);
}

async function settle(page) {
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  // Parts that load on demand, such as syntax colours, give no signal when they are done.
  await page.waitForTimeout(1_500);
}

async function take(name, { broker, slug, ana }) {
  const { path, shows, ...look } = pictures[name];
  const context = await openContext(look);
  const page = await context.newPage();
  await actAs(page, ana);
  await page.goto(broker.url + path(slug));
  await page.locator(shows).first().waitFor();
  await settle(page);
  const file = join(folder, `${name}.png`);
  const picture = await page.screenshot({ animations: "disabled", caret: "hide", scale: "css" });
  await context.close();
  // A page has few colours. With a palette of 256, a picture is a third of the size.
  await sharp(picture).png({ palette: true, effort: 10, dither: 0 }).toFile(file);
  const { size } = await stat(file);
  const verdict = size <= bytesMax ? "" : `: more than ${bytesMax / 1000} kB`;
  process.stdout.write(`docs/screenshots/${name}.png ${Math.round(size / 1000)} kB${verdict}\n`);
}

function live(slug) {
  return `/sessions/${slug}`;
}
