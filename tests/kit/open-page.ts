import type axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { axeSource } from "./axe.js";
import { lookForSecrets } from "./canary.js";
import { makeProfile, type Profile, type ProfileOptions, takeProfile } from "./profiles.js";

/**
 * A page in a separate browser profile, with the problems that occurred in it. The profile requests reduced motion by
 * default.
 */
export interface WatchedPage {
  readonly page: Page;
  /**
   * Errors in the console, uncaught exceptions, violations of the content security policy, and requests to
   * other origins.
   */
  readonly problems: string[];
  /** Returns all problems that axe finds, regardless of their impact, as `rule: element`. */
  findBarriers(): Promise<string[]>;
}

/**
 * Opens a URL in an emptied profile. With `before`, the profile is new and used only once. `before` is a script that
 * runs before the page's own scripts, or a function that is called before the page is opened.
 */
export async function openPage(
  browser: Browser,
  url: string,
  options: ProfileOptions = {},
  before: string | ((page: Page) => Promise<unknown>) = "",
): Promise<WatchedPage> {
  // Browsers draw animations on the CPU, 60 times a second. That took a third of the browsers' total time.
  const still = { reducedMotion: "reduce", ...options } as const;
  const profile = await (before === "" ? profileInTurn(browser, url, still) : ownProfile(browser, still));
  const { page } = profile;
  const problems: string[] = [];
  profile.onBreach = (breach) => problems.push(`refused: ${breach}`);
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    // The part of a URL after the # is never sent to the server.
    lookForSecrets("an address", request.url().replace(/#.*/s, ""));
    if (new URL(request.url()).origin !== new URL(url).origin) problems.push(`went to ${request.url()}`);
  });
  if (typeof before !== "string") await before(page);
  else if (before !== "") await page.addInitScript(before);
  await page.goto(url);
  return { page, problems, findBarriers: () => findBarriers(page) };
}

async function profileInTurn(browser: Browser, url: string, options: ProfileOptions): Promise<Profile> {
  const { profile, leave } = await takeProfile(browser, new URL(url).origin, options);
  onTestFinished(async () => {
    // Also removes listeners that the test itself has added.
    for (const event of ["console", "pageerror", "request"]) profile.page.removeAllListeners(event);
    await leave();
  });
  return profile;
}

async function ownProfile(browser: Browser, options: ProfileOptions): Promise<Profile> {
  const profile = await makeProfile(browser, options);
  onTestFinished(() => profile.context.close());
  return profile;
}

async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  // By default, axe also describes every passing check in full, which takes most of the time.
  const violations = await page.evaluate<axe.Result[]>(
    'axe.run({ resultTypes: ["violations"] }).then((results) => results.violations)',
  );
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}
