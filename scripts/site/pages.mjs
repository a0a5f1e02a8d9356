/** The site's pages, in the groups and order of its navigation. Pages of docs that are not listed are in the group "Rules". */
import { readdirSync } from "node:fs";
import { join } from "node:path";

const landing = "docs/README.md";

const named = [
  {
    title: "Guides",
    pages: [
      landing,
      "docs/guide/first-session.md",
      "docs/guide/people-and-machines.md",
      "docs/guide/any-client.md",
      "docs/guide/working-together.md",
      "docs/guide/approvals-and-alerts.md",
      "docs/guide/headless-work.md",
      "docs/guide/records.md",
      "docs/guide/running-it.md",
      "docs/guide/troubleshooting.md",
    ],
  },
];

const about = [
  "docs/architecture.md",
  "SPEC.md",
  "docs/deviations.md",
  "docs/bench.md",
  "SECURITY.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "AGENTS.md",
];

/** @param {string} root */
export function listSitePages(root) {
  const inDocs = (/** @type {string} */ folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .sort()
      .map((name) => `${folder}/${name}`);
  const rules = inDocs("docs").filter((page) => page !== landing && !about.includes(page));
  return [
    ...named,
    { title: "Rules", pages: rules },
    { title: "Features", pages: inDocs("docs/features") },
    { title: "Reference", pages: inDocs("docs/reference") },
    { title: "About", pages: about },
  ];
}

/**
 * Returns a page's file on the site: `docs/guide/records.md` is `guide/records.html`, and the README of docs is the index.
 *
 * @param {string} name
 */
export function fileOf(name) {
  if (name === landing) return "index.html";
  return name.replace(/^docs\//, "").replace(/\.md$/, ".html");
}

/** @param {string} name */
export function toPageUrl(name) {
  return name === landing ? "" : fileOf(name);
}
