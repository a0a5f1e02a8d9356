import type { Browser } from "playwright-core";
import { beforeAll } from "vitest";
import { findChromium, sharedChromium } from "../kit/chromium.js";
import { signInBrowser, startInviteBroker, type TestMember } from "../kit/members.js";
import { openPage, type WatchedPage } from "../kit/open-page.js";
import { closeProfiles, type ProfileOptions } from "../kit/profiles.js";
import type { TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { desk } from "./open-dashboard.js";
import { dashboardPages } from "./pages.js";

/** A broker that lets members in alone and serves the pages, its first admin, and a browser, for all tests of a file. */
export interface MembersDashboard {
  /** Whether there is no browser here, so that the tests are skipped. */
  readonly isMissing: boolean;
  readonly broker: TestBroker;
  /** The first admin, called Ana. */
  readonly admin: TestMember;
  /** What the admin does over REST. */
  readonly rest: TransportClient;
  /** Opens an address, or a path of the broker's, in an empty profile that nobody is signed in in unless told. */
  open(address: string, options?: ProfileOptions): Promise<WatchedPage>;
  /** A profile that a member is signed in in, the admin unless told. */
  signedIn(member?: TestMember): Promise<ProfileOptions>;
  /** A link that signs one browser in, as the admin unless told. */
  signInLink(member?: TestMember): Promise<string>;
}

/** Called outside of the tests, which it starts everything before. */
export function membersDashboard(): MembersDashboard {
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
      dashboard: dashboardPages(),
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
      return openPage(browser, new URL(address, broker.url).href, { ...desk, ...options });
    },
    signInLink,
    async signedIn(member) {
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
