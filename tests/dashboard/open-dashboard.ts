import type { BrokerOptions } from "@merkle/broker";
import type { Browser, Page } from "playwright-core";
import { beforeAll } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { openPage, type WatchedPage } from "../kit/open-page.js";
import { makePerson } from "../kit/persons.js";
import { closeProfiles, type ProfileOptions } from "../kit/profiles.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { findDashboardPages } from "./pages.js";

/** A broker that serves the dashboard's pages, and a browser. All tests in a file share them. */
export interface TestDashboard {
  /** True if no browser is installed. The tests are then skipped. */
  readonly isMissing: boolean;
  readonly broker: TestBroker;
  readonly rest: TransportClient;
  /** Opens a page in a new profile, which contains only what the options specify. */
  open(path: string, options?: OpenOptions): Promise<WatchedPage>;
  /** Creates a person and returns their credential. */
  newPerson(name?: string): Promise<string>;
}

export interface OpenOptions extends ProfileOptions {
  /** The credential of the person who uses the page. */
  readonly as?: string;
  /** Runs before the page is opened. */
  readonly before?: (page: Page) => Promise<unknown>;
}

export const desktop = { viewport: { width: 1280, height: 800 } };
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };

/** Starts broker and browser in `beforeAll`, so call this outside the tests. */
export function testDashboard(options: Pick<Partial<BrokerOptions>, "agent"> = {}): TestDashboard {
  const executable = findChromium();
  let started:
    | { readonly browser: Browser; readonly broker: TestBroker; readonly rest: TransportClient }
    | undefined;
  const parts = () => {
    if (!started) throw new Error("The broker and the browser of this file are started before its tests.");
    return started;
  };

  beforeAll(async () => {
    if (executable === undefined) return;
    const cleanups: (() => unknown)[] = [];
    const browser = await sharedChromium(executable);
    cleanups.push(() => closeProfiles(browser));
    const broker = await startTestBroker({ ...options, dashboard: findDashboardPages() }, (cleanup) =>
      cleanups.push(cleanup),
    );
    started = { browser, broker, rest: await transports.rest(broker.url) };
    return async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    };
  });

  return {
    isMissing: executable === undefined,
    get broker() {
      return parts().broker;
    },
    get rest() {
      return parts().rest;
    },
    open(path, { as, before, ...options } = {}) {
      const { browser, broker } = parts();
      const known = as === undefined ? {} : { storageState: toStoredPerson(broker.url, as) };
      return openPage(browser, new URL(path, broker.url).href, { ...desktop, ...known, ...options }, before);
    },
    async newPerson(name = "Ana") {
      return (await makePerson(parts().rest, name)).person_id;
    },
  };
}

/** Returns the browser storage of the person who uses the page. */
function toStoredPerson(origin: string, credential: string) {
  const person = JSON.stringify({ id: credential.split(".")[0], name: "Ana", credential, verified: true });
  return { cookies: [], origins: [{ origin, localStorage: [{ name: "merkle.person", value: person }] }] };
}
