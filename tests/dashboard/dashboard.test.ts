import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { startTestBroker } from "../kit/test-broker.js";
import { findDashboardPages } from "./pages.js";

interface Measured {
  readonly what: string;
  readonly bytes: number;
  readonly bytesMax: number;
}

describe("the exported pages", () => {
  let url: string;

  beforeAll(async () => {
    const cleanups: (() => unknown)[] = [];
    ({ url } = await startTestBroker({ dashboard: findDashboardPages() }, (cleanup) =>
      cleanups.push(cleanup),
    ));
    return async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    };
  });

  it("[DASH-22] no page, and no part that comes later, loads more than it may", async () => {
    // The script has no type declarations, so the test declares the type.
    const script = (await import(new URL("../../scripts/dashboard-size.mjs", import.meta.url).href)) as {
      measurePages(): Measured[];
    };
    for (const { what, bytes, bytesMax } of script.measurePages()) {
      expect(bytes, what).toBeGreaterThan(0);
      expect(bytes, what).toBeLessThanOrEqual(bytesMax);
    }
  });

  it("[DASH-21] a browser is told all that it needs to install the dashboard", async () => {
    const html = await (await fetch(url)).text();
    const link = /<link rel="manifest" href="([^"]+)"/.exec(html)?.[1] ?? "";
    const answer = await fetch(new URL(link, url));
    expect(answer.headers.get("content-type")).toContain("application/manifest+json");
    const manifest = (await answer.json()) as { icons: { src: string; sizes: string; purpose?: string }[] };
    expect(manifest).toMatchObject({ name: "Merkle", start_url: "/", display: "standalone" });
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(["192x192", "512x512"]));
    expect(manifest.icons.some(({ purpose }) => purpose === "maskable")).toBe(true);
    for (const { src, sizes } of manifest.icons) {
      const icon = await fetch(new URL(src, url));
      expect(icon.headers.get("content-type")).toBe("image/png");
      expect(sizeOf(Buffer.from(await icon.arrayBuffer()))).toBe(sizes);
    }
    expect(html).toContain("viewport-fit=cover");
  });

  it("[DASH-18] every page allows only its own scripts, no style elements, and nothing from elsewhere", async () => {
    for (const path of [
      "/",
      "/sessions/any",
      "/sessions/any/state",
      "/search",
      "/memory",
      "/progress",
      "/sources",
      "/sessions/any/progress",
      "/settings",
      "/nowhere",
    ]) {
      const { headers } = await fetch(new URL(path, url), { headers: { accept: "text/html" } });
      const policy = headers.get("content-security-policy") ?? "";
      expect(directive(policy, "script-src"), path).not.toContain("unsafe");
      expect(directive(policy, "style-src-elem"), path).toBe("'self'");
      expect(directive(policy, "default-src"), path).toBe("'self'");
      expect(headers.get("x-frame-options"), path).toBe("DENY");
    }
  });

  it("[DASH-18] nothing in the pages names another host to load from", () => {
    for (const page of ["index.html", "sessions/_.html", "404.html"]) {
      const html = readFileSync(join(findDashboardPages(), page), "utf8");
      expect(html.match(/(?:src|href)="(?:https?:)?\/\/[^"]*"/g), page).toBeNull();
    }
  });
});

function directive(policy: string, name: string): string | undefined {
  return policy
    .split("; ")
    .find((each) => each.startsWith(`${name} `))
    ?.slice(name.length + 1);
}

/** Returns an image's width and height, read from the beginning of the PNG. */
function sizeOf(png: Buffer): string {
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}
