import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { layOut } from "./lay-out.mjs";
import { fileOf, listSitePages, toPageUrl } from "./pages.mjs";

export { listSitePages };

/** The dashboard's fonts. */
const fonts = [
  ["geist-sans", "Geist-Variable.woff2"],
  ["geist-mono", "GeistMono-Variable.woff2"],
];

const own = fileURLToPath(new URL(".", import.meta.url));

/**
 * Builds the site: a page for each file of `listSitePages`, a search index, and the pictures that the pages show. Returns the number
 * of pages. Nothing is inline, so the content security policy needs no exceptions.
 *
 * @param {{ root: string, folder: string, base: string }} place - `base` is the path it is served at, with a slash at its end
 * @throws Error that names a broken link
 */
export async function buildSite({ root, folder, base }) {
  const groups = listSitePages(root);
  const names = groups.flatMap((group) => group.pages);
  const pages = new Map();
  for (const name of names) pages.set(name, readPage(name, await readFile(join(root, name), "utf8")));
  const assets = new Set();
  const site = { root, base, groups, pages, assets };
  const written = names.map((name) => ({ name, html: layOut({ ...site, name, body: linked(name, site) }) }));

  await rm(folder, { recursive: true, force: true });
  for (const { name, html } of written) await write(join(folder, fileOf(name)), html);
  for (const asset of assets) {
    await mkdir(dirname(join(folder, asset)), { recursive: true });
    await copyFile(join(root, asset), join(folder, asset));
  }
  for (const name of ["site.css", "search.js", "theme.js"])
    await copyFile(join(own, name), join(folder, name));
  for (const [family, name] of fonts)
    await copyFile(join(root, "node_modules/geist/dist/fonts", family, name), join(folder, name));
  const entries = names.flatMap((name) => entriesOf(pages.get(name), base + toPageUrl(name)));
  await write(join(folder, "search.json"), JSON.stringify(entries));
  return names.length;
}

/**
 * Returns a page's title, and its text as HTML with GitHub's heading ids.
 *
 * @param {string} name
 * @param {string} text
 */
function readPage(name, text) {
  const ids = new Map();
  // HTML comments are notes for readers of the source, such as why a block is not run.
  const source = text.replace(/<!--[\s\S]*?-->\n?/g, "");
  const html = micromark(source, { extensions: [gfm()], htmlExtensions: [gfmHtml()] })
    .replace(/<h([1-6])>(.*?)<\/h\1>/g, (_, level, inner) => {
      const id = unique(slugOf(plain(inner)), ids);
      return `<h${level} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${level}>`;
    })
    .replace(/<table>/g, '<div class="table" tabindex="0" role="region" aria-label="Table"><table>')
    .replace(/<\/table>/g, "</table></div>")
    .replace(/<pre>/g, '<pre tabindex="0">');
  const title = plain(/<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1] ?? name);
  return { name, title, html, ids: new Set(ids.keys()) };
}

/**
 * Returns the page's HTML with its links converted to addresses of the site.
 *
 * @returns {string}
 */
function linked(name, { root, base, pages, assets }) {
  return pages.get(name).html.replace(/(href|src)="([^"]*)"/g, (whole, attribute, address) => {
    if (/^(?:[a-z]+:|#|\/)/i.test(address)) return whole;
    const [path, anchor] = address.split("#");
    const target = posix.normalize(posix.join(posix.dirname(name), path));
    if (target === "docs/reference") return `${attribute}="${base}reference/commands.html"`;
    const page = pages.get(target);
    if (page) {
      if (anchor && !page.ids.has(anchor)) throw new Error(`${name} links to ${address}: no such heading`);
      return `${attribute}="${base}${toPageUrl(target)}${anchor ? `#${anchor}` : ""}"`;
    }
    if (!existsSync(join(root, target)))
      throw new Error(`${name} links to ${address}: there is no such file`);
    // Links to other files of the repository lose their target, because the site does not contain these files.
    if (!/\.(?:png|svg|py)$/.test(target)) return `data-file="${target}"`;
    assets.add(target);
    return `${attribute}="${base}${target}"`;
  });
}

/** Returns the search entries of a page: one for each heading with the text below it. */
function entriesOf({ title, html }, url) {
  return html
    .split(/(?=<h[1-6] )/)
    .map((part) => {
      const [, id = "", heading = ""] = /^<h[1-6] id="([^"]*)">(.*?)<\/h/.exec(part) ?? [];
      const text = plain(part.replace(/^<h[1-6] .*?<\/h[1-6]>/, " "));
      return { page: title, heading: plain(heading), url: id ? `${url}#${id}` : url, text };
    })
    .filter(({ heading, text }) => heading !== "" || text !== "");
}

function plain(html) {
  return html
    .replace(/<[^>]+>/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&")
    .replace(/\s+/g, " ")
    .trim();
}

function slugOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

function unique(id, ids) {
  const count = ids.get(id) ?? 0;
  ids.set(id, count + 1);
  if (count === 0) return id;
  ids.set(`${id}-${count}`, 1);
  return `${id}-${count}`;
}

async function write(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
