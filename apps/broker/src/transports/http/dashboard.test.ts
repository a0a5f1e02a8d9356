import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { mountDashboard } from "./dashboard.js";

const script = 'self.theme = "dark";';
const home = `<!doctype html><script>${script}</script><script src="/_next/static/a.js"></script><p>home</p>`;
const longScript = `"use strict";\n${"// a line that compresses well\n".repeat(100)}`;

describe("the dashboard's files", () => {
  let app: Hono<{ Bindings: HttpBindings }>;
  const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });

  beforeAll(async () => {
    const folder = await exportFolder({
      "site/index.html": home,
      "site/settings.html": "<!doctype html><p>settings</p>",
      "site/404.html": "<!doctype html><p>no such page</p>",
      "site/sessions/_.html": "<!doctype html><p>a session</p>",
      "site/sessions/_.txt": "what a page loads to go there",
      "site/sessions/_/doc.html": "<!doctype html><p>its document</p>",
      "site/sessions/_/__next.sessions.$d$id.__PAGE__.txt": "a part of that",
      "site/_next/static/a.js": longScript,
      "secret.txt": "outside",
    });
    app = new Hono<{ Bindings: HttpBindings }>();
    await mountDashboard(app, join(folder, "site"));
    app.notFound((c) => c.json({ error: { code: "not_found" } }, 404));
    return () => rm(folder, { recursive: true });
  });

  it("[OPS-1] a page is served at its name without .html, with or without a slash", async () => {
    expect(await (await get("/")).text()).toBe(home);
    expect(await (await get("/settings")).text()).toContain("settings");
    expect(await (await get("/settings/")).text()).toContain("settings");
  });

  it("[OPS-37] pages that are being built say so until they are, and what could not be built says that", async () => {
    const folder = await exportFolder({});
    onTestFinished(() => rm(folder, { recursive: true }));
    let finish: (isBuilt: boolean) => void = () => undefined;
    const dashboard = new Promise<boolean>((resolve) => {
      finish = resolve;
    });
    const early = new Hono<{ Bindings: HttpBindings }>();
    await mountDashboard(early, folder, { dashboard, docs: dashboard.then(() => false) });
    const open = (path: string) => early.request(path, { headers: { accept: "text/html" } });
    for (const path of ["/", "/docs"]) {
      const page = await open(path);
      expect(page.status).toBe(503);
      expect(page.headers.get("retry-after")).toBe("2");
      expect(await page.text()).toContain("being built");
    }
    expect((await early.request("/", { headers: { accept: "application/json" } })).status).toBe(404);
    await writeFile(join(folder, "index.html"), home);
    finish(true);
    await expect.poll(async () => (await open("/")).status).toBe(200);
    expect(await (await open("/docs")).text()).toContain("could not be built");
  });

  it("[DASH-1] every session's pages are those that were exported once, by slug as by id", async () => {
    for (const ref of ["auth-refactor", "0f6b1a52-7d1c-4b7e-9d55-6b1f2f1f0a11"]) {
      expect(await (await get(`/sessions/${ref}`)).text()).toContain("a session");
      expect(await (await get(`/sessions/${ref}/doc`)).text()).toContain("its document");
      expect(await (await get(`/sessions/${ref}.txt`)).text()).toBe("what a page loads to go there");
      expect(await (await get(`/sessions/${ref}/__next.sessions.$d$id.__PAGE__.txt`)).text()).toBe(
        "a part of that",
      );
      expect((await app.request(`/sessions/${ref}`, { method: "HEAD" })).status).toBe(200);
    }
    for (const ref of ["Auth", "a--b", "a.b", "a%2Fb", "a".repeat(49), "a_b"]) {
      expect((await get(`/sessions/${ref}`)).status, ref).toBe(404);
    }
  });

  it("[OPS-1] HEAD is answered as GET is, without a body", async () => {
    const answer = await app.request("/settings", { method: "HEAD" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/html");
    expect(await answer.text()).toBe("");
  });

  it("[OPS-1] a file that did not change is not sent again, and hashed names are kept for ever", async () => {
    const first = await get("/");
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const etag = first.headers.get("etag") ?? "";
    const again = await get("/", { "if-none-match": `W/"another", ${etag}` });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    expect((await get("/", { "if-none-match": 'W/"another"' })).status).toBe(200);
    expect((await get("/_next/static/a.js")).headers.get("cache-control")).toContain("immutable");
  });

  it("[OPS-1] text is compressed for those who take gzip, and only for them", async () => {
    const compressed = await get("/_next/static/a.js", { "accept-encoding": "br, gzip" });
    expect(compressed.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(Buffer.from(await compressed.arrayBuffer())).toString()).toBe(longScript);
    for (const encoding of ["identity", "gzip;q=0", "gzip; q=0.0, br"]) {
      const plain = await get("/_next/static/a.js", { "accept-encoding": encoding });
      expect(plain.headers.get("content-encoding"), encoding).toBeNull();
      expect(await plain.text()).toBe(longScript);
    }
  });

  it("[OPS-1] only the inline scripts that a page came with may run in it", async () => {
    const policy = (await get("/")).headers.get("content-security-policy") ?? "";
    const hash = createHash("sha256").update(script).digest("base64");
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("style-src-elem 'self';");
    expect(policy).toContain("worker-src 'self';");
    expect((await get("/settings")).headers.get("content-security-policy")).toContain("script-src 'self';");
  });

  it("[REST-4] a person gets a page for an address that there is none of, a program the error", async () => {
    const person = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const page = await get("/nowhere", person);
    expect(page.status).toBe(404);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(page.headers.get("permissions-policy")).toContain("camera=()");
    expect(await page.text()).toContain("no such page");
    for (const answer of [
      await get("/nowhere"),
      await get("/api/nowhere", person),
      await get("/mcp/x", person),
    ]) {
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ error: { code: "not_found" } });
    }
  });

  it("[OPS-1] nothing outside the folder can be asked for", async () => {
    for (const path of [
      "/../secret.txt",
      "/%2e%2e/secret.txt",
      "/..%2fsecret.txt",
      "//secret.txt",
      "/..\\secret.txt",
    ]) {
      const answer = await get(path);
      expect(answer.status, path).toBe(404);
      expect(await answer.text()).not.toContain("outside");
    }
  });
});

it("[OPS-1] over a socket too, a path that climbs out of the folder finds nothing", async () => {
  const folder = await exportFolder({ "site/index.html": home, "secret.txt": "outside" });
  onTestFinished(() => rm(folder, { recursive: true }));
  const { port } = await startTestBroker({ dashboard: join(folder, "site") });
  expect(await statusOf(port, "/")).toBe(200);
  expect(await statusOf(port, "/../secret.txt")).toBe(404);
  expect(await statusOf(port, "/_next/../../secret.txt")).toBe(404);
  expect(await statusOf(port, "/%2e%2e/secret.txt")).toBe(404);
});

async function exportFolder(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-export-"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** Requests a path without changing it. `fetch` would normalise the path first. */
function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}
