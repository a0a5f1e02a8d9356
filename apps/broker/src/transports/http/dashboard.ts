import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { HttpBindings } from "@hono/node-server";
import { isUuid } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Hono } from "hono";
import type { PageBuild } from "../../core/page-build.js";
import { sha256 } from "../../core/sha256.js";
import type { HttpContext } from "./admit.js";
import { renderBuildingPage } from "./building-page.js";

interface ServedFile {
  readonly body: Buffer;
  /** Returns the response headers, computed at the first request because most files are never requested. */
  readonly getHeaders: () => Readonly<Record<string, string>>;
  /** Returns the compressed body, computed once at the first request. Null if compression gains nothing. */
  readonly gzipped: (() => Promise<Buffer>) | null;
}

const compress = promisify(gzip);
const compressedBytesMin = 1_024;

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/**
 * Serves the dashboard's exported pages. All files are read at startup and found by their exact path, so
 * nothing outside the folder can be requested. Scripts run only if they come from the broker's own files or
 * were part of the exported page. For an unknown address, browsers get a 404 page, and programs get the usual
 * error.
 */
export async function mountDashboard(
  app: Hono<{ Bindings: HttpBindings }>,
  folder: string,
  build?: PageBuild,
): Promise<void> {
  const site = await readSite(folder, build);

  app.get("*", async (c, next) => {
    const path = toExportPath(c.req.path);
    const { pages } = site;
    const page = pages.get(path) ?? pages.get(toHtmlPath(path)) ?? pages.get(toIndexPath(path));
    if (page) return respond(c, page, 200);
    if (!isOpenedByPerson(c)) return next();
    const part = /^\/docs(?:\/|$)/.test(path) ? "docs" : "dashboard";
    if (site[part] !== "built") return renderBuildingPage(part, site[part] === "failed");
    const notFound = pages.get("/404.html");
    return notFound ? respond(c, notFound, 404) : next();
  });
}

type PartStatus = "building" | "built" | "failed";

interface Site {
  pages: ReadonlyMap<string, ServedFile>;
  dashboard: PartStatus;
  docs: PartStatus;
}

/** Reads the existing pages. If a part of the site is still being built, it is read once it is complete. */
async function readSite(folder: string, build: PageBuild | undefined): Promise<Site> {
  if (!build) return { pages: await readPages(folder), dashboard: "built", docs: "built" };
  const site: Site = { pages: new Map(), dashboard: "building", docs: "building" };
  const finish = async (part: "dashboard" | "docs", isBuilt: boolean) => {
    if (isBuilt) site.pages = await readPages(folder);
    site[part] = isBuilt ? "built" : "failed";
  };
  void build.dashboard.then((isBuilt) => finish("dashboard", isBuilt));
  void build.docs.then((isBuilt) => finish("docs", isBuilt));
  return site;
}

async function readPages(folder: string): Promise<Map<string, ServedFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const pages = files.map(async (entry): Promise<[string, ServedFile]> => {
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join("/")}`;
    return [path, toPage(path, await readFile(file))];
  });
  return new Map(await Promise.all(pages));
}

/**
 * Maps a path to its exported file. Pages about a session are exported once, with `_` in place of the id or
 * slug: the HTML and the files for navigation without a reload. Any other value in that position is kept, so no
 * file is found for it.
 */
function toExportPath(path: string): string {
  return path.replace(/^\/sessions\/([a-z0-9]+(?:-[a-z0-9]+)*)(?=\/|\.txt$|$)/i, (whole, ref: string) =>
    isUuid(ref) || (ref.length <= limits.slugCharsMax && ref === ref.toLowerCase()) ? "/sessions/_" : whole,
  );
}

/** Returns the file of a page: index.html for `/`, settings.html for `/settings`. */
function toHtmlPath(path: string): string {
  return path === "/" ? "/index.html" : `${path.replace(/\/$/, "")}.html`;
}

/**
 * Returns the index file of a folder: docs/index.html for `/docs`. The page's links are absolute, so no
 * trailing slash is needed.
 */
function toIndexPath(path: string): string {
  return `${path.replace(/\/$/, "")}/index.html`;
}

function toPage(path: string, body: Buffer): ServedFile {
  const type = contentTypes[extname(path)] ?? "application/octet-stream";
  const isText = /^(?:text|application\/(?:json|manifest)|image\/svg)/.test(type);
  return {
    body,
    gzipped: isText && body.length >= compressedBytesMin ? memoize(() => compress(body)) : null,
    getHeaders: memoize(() => ({
      "content-type": type,
      // A weak tag, because the compressed body has the same tag.
      etag: `W/"${sha256(body, "base64url")}"`,
      // Files below /_next/static/ get a new name whenever their content changes.
      "cache-control": path.startsWith("/_next/static/") ? "public, max-age=31536000, immutable" : "no-cache",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      vary: "accept-encoding",
      ...(type.startsWith("text/html") ? buildPageHeaders(body) : {}),
      ...(path === "/push-worker.js" ? { "content-security-policy": pushWorkerPolicy } : {}),
    })),
  };
}

function memoize<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/**
 * Returns whether a browser requested a page. Callers at the paths of other transports always count as
 * programs.
 */
function isOpenedByPerson(c: HttpContext): boolean {
  if (/^\/(?:api|mcp|ws)(?:\/|$)/.test(c.req.path)) return false;
  return /\btext\/html\b/.test(c.req.header("accept") ?? "");
}

async function respond(c: HttpContext, page: ServedFile, status: 200 | 404): Promise<Response> {
  const { body, gzipped } = page;
  const headers = page.getHeaders();
  if (status === 200 && matchesIfNoneMatch(c, headers["etag"] ?? ""))
    return new Response(null, { status: 304, headers });
  if (!gzipped || !acceptsGzip(c)) return new Response(new Uint8Array(body), { status, headers });
  return new Response(new Uint8Array(await gzipped()), {
    status,
    headers: { ...headers, "content-encoding": "gzip" },
  });
}

function matchesIfNoneMatch(c: HttpContext, etag: string): boolean {
  const etags = (c.req.header("if-none-match") ?? "").split(",").map((each) => each.trim());
  return etags.includes(etag) || etags.includes("*");
}

function acceptsGzip(c: HttpContext): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(c.req.header("accept-encoding") ?? "");
}

function buildPageHeaders(html: Buffer): Readonly<Record<string, string>> {
  return {
    "content-security-policy": buildContentSecurityPolicy(html),
    "x-frame-options": "DENY",
    "permissions-policy": permissionsPolicy,
  };
}

/** The service worker shows notifications with the broker's icon. It makes no other requests. */
const pushWorkerPolicy = "default-src 'none'; img-src 'self'";

/**
 * Browser features that the pages and any injected scripts may not use. Copying to the clipboard stays
 * allowed.
 */
const permissionsPolicy = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "serial",
  "usb",
]
  .map((feature) => `${feature}=()`)
  .join(", ");

function buildContentSecurityPolicy(html: Buffer): string {
  const inline = html.toString().matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g);
  const hashes = new Set([...inline].map(([, script = ""]) => `'sha256-${sha256(script, "base64")}'`));
  return [
    "default-src 'self'",
    ["script-src 'self'", ...hashes].join(" "),
    // Style elements may come only from the broker's own files. Style attributes are allowed, because they
    // position dragged or scrolled elements. Browsers that do not distinguish elements from attributes use
    // the first line.
    "style-src 'self' 'unsafe-inline'",
    "style-src-elem 'self'",
    "style-src-attr 'unsafe-inline'",
    // The pages fetch the images of messages themselves, because an image element would send no page token.
    "img-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "media-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
