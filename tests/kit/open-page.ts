import type axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { axeSource } from "./axe.js";
import { lookForSecrets } from "./canary.js";

/** A page in a browser profile of its own, with what went wrong in it. It asks for no motion unless told. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors in the console, uncaught exceptions, breaches of the content security policy, requests to elsewhere. */
  readonly problems: string[];
  /** What axe finds that is serious or worse, as `rule: element`. */
  findBarriers(): Promise<string[]>;
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  /** A script that runs before anything of the page does, or what is done with the page before it goes there. */
  before: string | ((page: Page) => Promise<unknown>) = "",
): Promise<WatchedPage> {
  // What moves while something loads is drawn sixty times a second, by the processor: a third of all that the browsers took.
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  onTestFinished(() => context.close());
  // Several browsers may share two cores.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    // What stands behind the # is never sent.
    lookForSecrets("an address", request.url().replace(/#.*/s, ""));
    if (new URL(request.url()).origin !== new URL(url).origin) problems.push(`went to ${request.url()}`);
  });
  await page.exposeFunction("reportBreach", (breach: string) => problems.push(`refused: ${breach}`));
  await page.addInitScript(
    `document.addEventListener("securitypolicyviolation",
      (e) => window.reportBreach(e.violatedDirective + " " + e.blockedURI + " " + e.sourceFile))`,
  );
  if (typeof before !== "string") await before(page);
  else if (before !== "") await page.addInitScript(before);
  await page.goto(url);
  return { page, problems, findBarriers: () => findBarriers(page) };
}

async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  // The results that are no violations are in full only when asked for, and take most of the time.
  const violations = await page.evaluate<axe.Result[]>(
    'axe.run({ resultTypes: ["violations"] }).then((results) => results.violations)',
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}
