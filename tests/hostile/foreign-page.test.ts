import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findChromium, launchChromium } from "../kit/chromium.js";
import { createCleanup } from "../kit/cleanup.js";
import { startInviteBroker } from "../kit/members.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";

/** Checks in a real browser that a third-party page cannot do anything to a broker on this machine. */

const executable = findChromium();

/** A broker that the browser's user may use, and the test's own access to it. */
interface Target {
  readonly broker: TestBroker;
  /** Signs the browser in as its user would. */
  signIn(page: Page): Promise<void>;
  /** Headers with which the test can read the metrics. */
  readonly headers: Readonly<Record<string, string>>;
}

const targets: Partial<Record<"open" | "invite", Target>> = {};
let browser: Browser;
let evilPort: number;
/** Cookies that the attacker's server received with requests for its pages. */
const cookiesSent: string[] = [];
const cleanup = createCleanup();

beforeAll(async () => {
  if (executable === undefined) return;
  targets.open = { broker: await startTestBroker({}, cleanup), signIn: async () => undefined, headers: {} };
  targets.invite = await startSignedIn();
  evilPort = await serveEvilPages();
  // Maps the attacker's host names to this machine, and disables the browser's own protection of local addresses,
  // because the broker must not rely on that protection.
  const resolve = "--host-resolver-rules=MAP *.example 127.0.0.1";
  browser = await launchChromium(executable, [resolve, "--disable-features=LocalNetworkAccessChecks"]);
  cleanup(() => browser.close());
});

/** Starts a broker that admits only members. The browser gets a member's cookie. */
async function startSignedIn(): Promise<Target> {
  const { broker, admin } = await startInviteBroker(cleanup);
  const { token } = await admin.call("issue_token", {});
  return {
    broker,
    headers: { authorization: `Bearer ${token}` },
    async signIn(page) {
      const { token: secret } = await admin.call("issue_token", { kind: "sign_in" });
      await page.goto(new URL("/agents.md", broker.url).href);
      const body = JSON.stringify(JSON.stringify({ secret }));
      const signedIn = await page.evaluate<number[]>(`(async () => {
        const headers = { "content-type": "application/json" };
        const signedIn = await fetch("/api/sign-in", { method: "POST", headers, body: ${body} });
        const { page_token } = await signedIn.json();
        const read = await fetch("/api/sessions", { headers: { "x-merkle-page": page_token } });
        return [signedIn, read].map(({ status }) => status);
      })()`);
      expect(signedIn).toEqual([200, 200]);
    },
  };
}

/** Starts the attacker's server. Every path is an empty page. */
async function serveEvilPages(): Promise<number> {
  const server = createServer((request, response) => {
    cookiesSent.push(request.headers.cookie ?? "");
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Evil</title>");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  cleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  // A server on a TCP port has an address of this type.
  return (server.address() as AddressInfo).port;
}

/** Origins of the attacker's page, named by their relation to a broker at `localhost`. */
const sites: Record<string, () => string> = {
  "another site": () => `http://evil.example:${evilPort}`,
  "another port of this machine": () => `http://localhost:${evilPort}`,
  "another port, by address": () => `http://127.0.0.1:${evilPort}`,
};

const session = JSON.stringify({ title: "Made by a page", creator_team_name: "Mallory" });
const rpc = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "create_session", arguments: JSON.parse(session) },
});

/** Scripts that run in the page. Each returns either what it could read or that the browser blocked it. */
const attempts: Record<string, (target: string) => string> = {
  "a fetch that asks first": (target) =>
    `fetch("${target}/api/sessions", { method: "POST", credentials: "include", headers: { "content-type": "application/json" },
      body: ${JSON.stringify(session)} })`,
  "a fetch with a header of ours": (target) =>
    `fetch("${target}/api/sessions", { credentials: "include", headers: { "x-team-id": "x" } })`,
  "a PUT": (target) =>
    `fetch("${target}/api/settings", { method: "PUT", credentials: "include", body: "{}" })`,
  "a fetch of text that is JSON": (target) =>
    `fetch("${target}/api/sessions", { method: "POST", credentials: "include", headers: { "content-type": "text/plain" },
      body: ${JSON.stringify(session)} })`,
  "a fetch that does not want to read": (target) =>
    `fetch("${target}/api/sessions", { method: "POST", mode: "no-cors", credentials: "include", body: ${JSON.stringify(session)} })`,
  "JSON-RPC as text": (target) =>
    `fetch("${target}/mcp", { method: "POST", mode: "no-cors", credentials: "include", body: ${JSON.stringify(rpc)} })`,
  "a beacon": (target) =>
    `Promise.resolve({ type: "opaque", sent: navigator.sendBeacon("${target}/api/sessions", ${JSON.stringify(session)}) })`,
  "reading what there is": (target) => `fetch("${target}/api/sessions", { credentials: "include" })`,
  "a stream of events": (target) =>
    `new Promise((done) => { const source = new EventSource("${target}/api/sessions/x/messages/wait", { withCredentials: true });
      source.onopen = () => done({ type: "basic" }); source.onerror = () => { source.close(); done({ type: "error" }); } })`,
  "a WebSocket": (target) =>
    `new Promise((done) => { const socket = new WebSocket("${target.replace("http", "ws")}/ws");
      socket.onopen = () => done({ type: "basic" }); socket.onerror = () => done({ type: "error" }); })`,
};

const run = (attempt: string) =>
  `(${attempt}).then(({ type, status }) => ({ type, status }), () => ({ type: "error" }))`;

async function openPage({ signIn }: Target): Promise<Page> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await signIn(page);
  return page;
}

async function countRefused(target: Target): Promise<number> {
  return (await readMetrics(target)).refused;
}

async function readMetrics({ broker, headers }: Target) {
  const text = await (await fetch(new URL("/metrics", broker.url), { headers })).text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, "gm"))].reduce(
      (all, [, n]) => all + Number(n),
      0,
    );
  return {
    refused: sum("merkle_refusals_total"),
    requests: sum("merkle_requests_total"),
    sockets: sum("merkle_sockets"),
  };
}

/** Runs a page's actions, and expects that the broker served nothing and stored nothing. */
async function leavingNothing(target: Target, work: () => Promise<void>): Promise<void> {
  const { requests, sockets } = await readMetrics(target);
  await work();
  expect(await readMetrics(target)).toMatchObject({ requests, sockets });
  const sql = connectTestDatabase(target.broker.databaseUrl);
  expect(await sql`SELECT FROM sessions`).toHaveLength(0);
}

describe.each(["open", "invite"] as const)("in %s mode", { tags: "chromium" }, (mode) => {
  function targeted(): Target & { readonly url: string } {
    const target = targets[mode];
    if (!target) throw new Error("There is no broker.");
    return { ...target, url: `http://localhost:${target.broker.port}` };
  }

  describe.each(Object.entries(sites))("a page of %s", (_name, site) => {
    it("[GUARD-2] reads nothing, changes nothing and opens no connection, however it asks", async () => {
      const target = targeted();
      const page = await openPage(target);
      await page.goto(site());
      await leavingNothing(target, async () => {
        for (const [what, attempt] of Object.entries(attempts)) {
          const before = await countRefused(target);
          const got = await page.evaluate<{ type: string }>(run(attempt(target.url)));
          // A page can send some requests without being able to read the response, which is then `opaque`. The broker
          // refuses these requests like all others.
          expect(["error", "opaque"], what).toContain(got.type);
          await expect.poll(() => countRefused(target), { message: what }).toBeGreaterThan(before);
        }
      });
    });

    it("[GUARD-2] a form that it submits, in the open or a hidden frame, is answered 403", async () => {
      const target = targeted();
      const page = await openPage(target);
      await page.goto(site());
      await leavingNothing(target, async () => {
        const before = await countRefused(target);
        // `text/plain` is the only form encoding whose body can look like JSON.
        await page.setContent(
          `<iframe name="hidden"></iframe><form method="post" enctype="text/plain" action="${target.url}/api/sessions">
            <input name='{"title":"Made by a form","creator_team_name":"Mallory","x":"' value='"}'></form>`,
        );
        await page.evaluate(
          `(() => { const form = document.forms[0]; form.target = "hidden"; form.submit(); })()`,
        );
        await expect.poll(() => countRefused(target)).toBe(before + 1);
        const [answer] = await Promise.all([
          page.waitForResponse(/\/api\/sessions/),
          page.evaluate(`(() => { const form = document.forms[0]; form.target = ""; form.submit(); })()`),
        ]);
        expect(answer.status()).toBe(403);
      });
    });
  });

  it("[GUARD-2] a page whose name has become this machine's address is answered 403 for everything, although it is the same origin", async () => {
    const target = targeted();
    const page = await openPage(target);
    const rebound = `http://rebound.example:${target.broker.port}`;
    // The page was loaded while the name belonged to the attacker's server. Now the name resolves to the
    // broker.
    await page.route(`${rebound}/`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html>" }),
    );
    await page.goto(`${rebound}/`);
    await leavingNothing(target, async () => {
      for (const [what, attempt] of Object.entries(attempts)) {
        const before = await countRefused(target);
        const got = await page.evaluate<{ type: string; status?: number }>(run(attempt(rebound)));
        if (got.type === "basic") expect(got.status, what).toBe(403);
        await expect.poll(() => countRefused(target), { message: what }).toBeGreaterThan(before);
      }
    });
  });

  it("[GUARD-23] whatever it has the browser load fails in one way, whether there is such a session or not, and no frame or window opens on it", async () => {
    const { broker, headers, url, ...target } = targeted();
    const transport = await brokerTransports.rest(broker.url, {
      token: headers["authorization"]?.slice("Bearer ".length),
    });
    const { slug } = await transport.call("create_session", {
      title: `There ${mode}`,
      creator_team_name: "Birch",
    });
    const page = await openPage({ broker, headers, ...target });
    const statuses: number[] = [];
    page.on("response", (response) => {
      if (response.url().startsWith(`${url}/api`)) statuses.push(response.status());
    });
    for (const site of Object.values(sites)) {
      await page.goto(site());
      const outcomes = ["there", "not"]
        .map((which) => (which === "there" ? slug : "no-such-session"))
        .map(async (ref) =>
          page.evaluate<unknown[]>(`(async () => {
          const address = ${JSON.stringify(url)} + "/api/sessions/" + ${JSON.stringify(ref)};
          const load = (tag, fill) => new Promise((done) => {
            const element = document.createElement(tag);
            element.onload = () => done(tag + " loaded");
            element.onerror = () => done(tag + " failed");
            fill(element);
            document.head.append(element);
          });
          return [
            await load("img", (e) => { e.src = address; }),
            await load("script", (e) => { e.src = address; }),
            await load("link", (e) => { e.rel = "stylesheet"; e.href = address; }),
            await fetch(address, { mode: "no-cors", credentials: "include" }).then(({ type }) => type, () => "failed"),
          ];
        })()`),
        );
      const [there, not] = await Promise.all(outcomes);
      expect(there).toEqual(not);
      expect(there).not.toContain("script loaded");
      await page.setContent(
        `<iframe src="${url}/api/sessions/${slug}"></iframe><iframe src="${url}/"></iframe>`,
      );
      await page.goto(site());
      const [opened] = await Promise.all([
        page.waitForResponse(`${url}/api/sessions/${slug}`),
        page.evaluate(`location.assign(${JSON.stringify(`${url}/api/sessions/${slug}`)})`),
      ]);
      expect(opened.status()).toBe(403);
      await page.waitForURL(`${url}/api/sessions/${slug}`);
      // Links from other sites may open the broker's pages.
      await page.goto(site());
      const [led] = await Promise.all([
        page.waitForResponse(`${url}/agents.md`),
        page.evaluate(`location.assign(${JSON.stringify(`${url}/agents.md`)})`),
      ]);
      expect(led.status()).toBe(200);
      await page.waitForURL(`${url}/agents.md`);
    }
    expect(new Set(statuses)).toEqual(new Set([403]));
  });
});

describe("a program at another port of this machine", { tags: "chromium" }, () => {
  it("[TOKEN-8] is sent the cookie by the browser, and is nobody with it, whatever it says of where it comes from", async () => {
    const target = targets.invite;
    if (!target) throw new Error("There is no broker.");
    const { url } = target.broker;
    const page = await openPage(target);
    const neighbour = new URL(url);
    neighbour.port = String(evilPort);
    cookiesSent.length = 0;
    await page.goto(neighbour.href);
    const cookie = cookiesSent.find((each) => each.includes("merkle_session=mkb_")) ?? "";
    expect(cookie, "the browser sends it to every port").not.toBe("");
    const headers = {
      cookie,
      origin: url,
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
    };
    for (const path of ["/api/tokens", "/api/tickets", "/api/sessions"]) {
      const response = await fetch(new URL(path, url), { method: "POST", headers, body: session });
      expect(response.status, path).toBe(401);
    }
    expect((await fetch(new URL("/api/sessions", url), { headers })).status).toBe(401);
    // A page on another port of the same host cannot find the page token either.
    expect(await page.evaluate("indexedDB.databases().then((all) => all.length)")).toBe(0);
  });
});
