import type axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { axeSource } from "./axe.js";
import { lookForSecrets } from "./canary.js";
import { makeProfile, type Profile, type ProfileOptions, takeProfile } from "./profiles.js";

/** A page in a browser profile of the test's own, with what went wrong in it. It asks for no motion unless told. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors in the console, uncaught exceptions, breaches of the content security policy, requests to elsewhere. */
  readonly problems: string[];
  /** What axe finds, however small its impact, as `rule: element`. */
  findBarriers(): Promise<string[]>;
}

/**
 * Opens it in a profile that was emptied since a test used it. With `before`, a script that runs before anything of the page
 * does, or what is done with the page before it goes there, the profile is one that nobody has used, and nobody will.
 */
export async function openPage(
  browser: Browser,
  url: string,
  options: ProfileOptions = {},
  before: string | ((page: Page) => Promise<unknown>) = "",
): Promise<WatchedPage> {
  // What moves while something loads is drawn sixty times a second, by the processor: a third of all that the browsers took.
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
    // What stands behind the # is never sent.
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
    // Those of the test as well.
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
  // The results that are no violations are in full only when asked for, and take most of the time.
  const violations = await page.evaluate<axe.Result[]>(
    'axe.run({ resultTypes: ["violations"] }).then((results) => results.violations)',
  );
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}
