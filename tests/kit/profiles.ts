import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from "playwright-core";

type StoredState = Exclude<BrowserContextOptions["storageState"], string | undefined>;

export interface ProfileOptions extends Omit<BrowserContextOptions, "storageState"> {
  readonly storageState?: StoredState;
  /** The page token of the browser's sign-in, as the dashboard stores it (TOKEN-8). */
  readonly pageToken?: string;
}

/** A browser profile with one page. It contains only the data that it was created with. */
export interface Profile {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Called for each violation of the content security policy. */
  onBreach: (breach: string) => void;
}

// Emptied profiles, keyed by their context options. They are closed with their browser.
const emptied = new WeakMap<Browser, Map<string, EmptiedProfile[]>>();

interface EmptiedProfile {
  readonly profile: Profile;
  readonly devtools: CDPSession;
}

/** Creates a new profile. */
export async function makeProfile(browser: Browser, options: ProfileOptions): Promise<Profile> {
  const context = await browser.newContext(options);
  // Generous, because several browsers may share two processor cores.
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const profile: Profile = { page, context, onBreach: () => undefined };
  await page.exposeFunction("reportBreach", (breach: string) => profile.onBreach(breach));
  await page.addInitScript(
    `document.addEventListener("securitypolicyviolation",
      (e) => window.reportBreach(e.violatedDirective + " " + e.blockedURI + " " + e.sourceFile))`,
  );
  return profile;
}

/**
 * Returns a profile for pages from one origin, possibly a used profile that has been emptied. A used profile's process
 * has already compiled the pages' scripts, which takes half of the time needed to open a page.
 */
export async function takeProfile(
  browser: Browser,
  origin: string,
  options: ProfileOptions,
): Promise<{ readonly profile: Profile; leave(): Promise<void> }> {
  const { storageState, pageToken, ...lasting } = options;
  const key = JSON.stringify([origin, lasting]);
  const kept = listEmptied(browser, key);
  const found = kept.pop();
  if (found && storageState) await store(found.profile, origin, storageState);
  const profile =
    found?.profile ?? (await makeProfile(browser, { ...lasting, ...(storageState && { storageState }) }));
  if (pageToken !== undefined) await keepPageToken(profile.page, origin, pageToken);
  return {
    profile,
    async leave() {
      try {
        const devtools = found?.devtools ?? (await profile.context.newCDPSession(profile.page));
        await empty(profile, devtools, origin, lasting);
        kept.push({ profile, devtools });
      } catch {
        // The profile's page or broker has been closed, so the profile cannot be reused.
        await profile.context.close();
      }
    },
  };
}

/** Closes all of a browser's contexts. The browser is then in the same state as after its launch. */
export async function closeProfiles(browser: Browser): Promise<void> {
  emptied.delete(browser);
  for (const context of browser.contexts()) await context.close();
}

function listEmptied(browser: Browser, key: string): EmptiedProfile[] {
  const ofBrowser = emptied.get(browser) ?? new Map<string, EmptiedProfile[]>();
  emptied.set(browser, ofBrowser);
  const kept = ofBrowser.get(key) ?? [];
  ofBrowser.set(key, kept);
  return kept;
}

async function empty(
  { page, context }: Profile,
  devtools: CDPSession,
  origin: string,
  options: ProfileOptions,
): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close();
  await context.setOffline(false);
  await page.unrouteAll();
  // Opening an image of the same origin runs no code and keeps the browser process.
  await page.goto(`${origin}/icon.svg`);
  await context.clearCookies();
  await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  await page.evaluate("sessionStorage.clear()");
  await devtools.send("Page.resetNavigationHistory");
  await page.setViewportSize(options.viewport ?? { width: 1280, height: 720 });
  await page.emulateMedia({
    media: null,
    colorScheme: options.colorScheme ?? "light",
    reducedMotion: options.reducedMotion ?? "no-preference",
    forcedColors: options.forcedColors ?? "none",
  });
  // Moves the pointer away, so that it is over no element of the page.
  await page.mouse.move(-1, -1);
}

async function keepPageToken(page: Page, origin: string, token: string): Promise<void> {
  await page.goto(`${origin}/icon.svg`);
  await page.evaluate(
    `new Promise((kept, failed) => {
      const opening = indexedDB.open("merkle", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("sign-in");
      opening.onerror = () => failed(opening.error);
      opening.onsuccess = () => {
        const work = opening.result.transaction("sign-in", "readwrite");
        work.objectStore("sign-in").put(${JSON.stringify(token)}, "page-token");
        work.oncomplete = () => { opening.result.close(); kept(); };
      };
    })`,
  );
}

async function store({ page, context }: Profile, origin: string, state: StoredState): Promise<void> {
  await context.addCookies(state.cookies);
  const items = state.origins.filter((each) => each.origin === origin).flatMap((each) => each.localStorage);
  await page.evaluate((stored) => {
    for (const { name, value } of stored) localStorage.setItem(name, value);
  }, items);
}
