import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";
import type { HttpBindings } from "@hono/node-server";
import type { Hono } from "hono";
import type { HttpContext } from "./http-context.js";

interface Page {
  readonly body: Buffer;
  readonly gzipped: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

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
 * Serves the dashboard's exported pages. All files are read at start and looked up by their exact path, so nothing
 * outside the folder can be asked for. Scripts run only from our own files, and inline only those that the pages came
 * with.
 */
export async function mountDashboard(app: Hono<{ Bindings: HttpBindings }>, folder: string): Promise<void> {
  const files = await readFiles(folder);
  const policy = contentSecurityPolicy(files);
  const pages = new Map([...files].map(([path, body]) => [path, toPage(path, body, policy)]));

  app.get("*", async (c, next) => {
    const page = pages.get(fileFor(c.req.path, pages));
    return page ? respond(c, page) : next();
  });
}

async function readFiles(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async (entry): Promise<[string, Buffer]> => {
    const path = join(entry.parentPath, entry.name);
    return [`/${relative(folder, path).split(sep).join("/")}`, await readFile(path)];
  });
  return new Map(await Promise.all(read));
}

/** `/` is index.html, `/settings` is settings.html; everything else is itself. */
function fileFor(path: string, pages: ReadonlyMap<string, Page>): string {
  if (path === "/") return "/index.html";
  return pages.has(path) ? path : `${path.replace(/\/$/, "")}.html`;
}

function toPage(path: string, body: Buffer, policy: string): Page {
  const type = contentTypes[extname(path)] ?? "application/octet-stream";
  const isHtml = type.startsWith("text/html");
  const compresses = /^(?:text|application\/(?:json|manifest)|image\/svg)/.test(type);
  return {
    body,
    gzipped: compresses ? gzipSync(body) : null,
    headers: {
      "content-type": type,
      etag: `"${createHash("sha256").update(body).digest("base64url")}"`,
      // Names of these files change with their content.
      "cache-control": path.startsWith("/_next/static/") ? "public, max-age=31536000, immutable" : "no-cache",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      vary: "accept-encoding",
      ...(isHtml ? { "content-security-policy": policy } : {}),
    },
  };
}

function respond(c: HttpContext, page: Page): Response {
  if (c.req.header("if-none-match") === page.headers["etag"]) {
    return new Response(null, { status: 304, headers: page.headers });
  }
  const gzip = page.gzipped && /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  const headers = gzip ? { ...page.headers, "content-encoding": "gzip" } : page.headers;
  return new Response(new Uint8Array(gzip && page.gzipped ? page.gzipped : page.body), { headers });
}

function contentSecurityPolicy(files: ReadonlyMap<string, Buffer>): string {
  const hashes = new Set<string>();
  for (const [path, body] of files) {
    if (!path.endsWith(".html")) continue;
    for (const [, script = ""] of body
      .toString()
      .matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)) {
      hashes.add(`'sha256-${createHash("sha256").update(script).digest("base64")}'`);
    }
  }
  return [
    "default-src 'self'",
    `script-src 'self' ${[...hashes].sort().join(" ")}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
