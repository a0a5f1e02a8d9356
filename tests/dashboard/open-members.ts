import type { Browser } from "playwright-core";
import { beforeAll } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { signInBrowser, startInviteBroker, type TestMember } from "../kit/members.js";
import { openPage, type WatchedPage } from "../kit/open-page.js";
import { closeProfiles, type ProfileOptions } from "../kit/profiles.js";
import type { TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { desktop } from "./open-dashboard.js";
import { findDashboardPages } from "./pages.js";

/**
 * A members-only broker that serves the dashboard's pages, its first admin, and a browser. All tests in a file share
 * them.
 */
export interface MembersDashboard {
  /** True if no browser is installed. The tests are then skipped. */
  readonly isMissing: boolean;
  readonly broker: TestBroker;
  /** The first admin, called Ana. */
  readonly admin: TestMember;
  /** The admin's REST client. */
  readonly rest: TransportClient;
  /** Opens an address, or a path on the broker, in a new profile. Default: not signed in. */
  open(address: string, options?: ProfileOptions): Promise<WatchedPage>;
  /** Returns a profile that is signed in as a member. Default: the admin. */
  createSignedInProfile(member?: TestMember): Promise<ProfileOptions>;
  /** Returns a link that signs in one browser as a member. Default: the admin. */
  signInLink(member?: TestMember): Promise<string>;
}

/** Starts broker and browser in `beforeAll`, so call this outside the tests. */
export function createMembersDashboard(): MembersDashboard {
  const executable = findChromium();
  let started:
    | {
        readonly browser: Browser;
        readonly broker: TestBroker;
        readonly admin: TestMember;
        readonly rest: TransportClient;
      }
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
    const { broker, admin } = await startInviteBroker((cleanup) => cleanups.push(cleanup), {
      dashboard: findDashboardPages(),
    });
    const rest = await brokerTransports.rest(broker.url, await signInBrowser(broker.url, admin));
    started = { browser, broker, admin, rest };
    return async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    };
  });

  async function signInLink(member = parts().admin): Promise<string> {
    const { link } = await member.call("issue_token", { kind: "sign_in" });
    if (link === null) throw new Error("A sign-in has a link.");
    return link;
  }

  return {
    isMissing: executable === undefined,
    get broker() {
      return parts().broker;
    },
    get admin() {
      return parts().admin;
    },
    get rest() {
      return parts().rest;
    },
    open(address, options = {}) {
      const { browser, broker } = parts();
      return openPage(browser, new URL(address, broker.url).href, { ...desktop, ...options });
    },
    signInLink,
    async createSignedInProfile(member) {
      const { url } = parts().broker;
      const secret = (await signInLink(member)).split("#")[1];
      const response = await fetch(`${url}/api/sign-in`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: url },
        body: JSON.stringify({ secret }),
      });
      const [, name = "", value = ""] =
        /^([^=]+)=([^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
      const { page_token } = Object(await response.json());
      const place = { domain: new URL(url).hostname, path: "/", expires: -1, secure: false };
      const cookie = { name, value, ...place, httpOnly: true, sameSite: "Strict" as const };
      return { storageState: { cookies: [cookie], origins: [] }, pageToken: page_token };
    },
  };
}
