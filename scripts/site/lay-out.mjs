import { toPageUrl } from "./pages.mjs";

/** Returns a whole page: the navigation, the search, the text, and links to the previous and next page. */
export function layOut({ name, body, base, groups, pages }) {
  const titleOf = (page) => (toPageUrl(page) === "" ? "Overview" : pages.get(page).title);
  const link = (page, current = "") =>
    `<a href="${base}${toPageUrl(page)}"${current}>${escapeHtml(titleOf(page))}</a>`;
  const navigation = groups
    .map(({ title, pages: own }) => {
      const items = own.map((page) => `<li>${link(page, page === name ? ' aria-current="page"' : "")}</li>`);
      return `<h2>${title}</h2><ul>${items.join("")}</ul>`;
    })
    .join("");
  const order = groups.flatMap((group) => group.pages);
  const at = order.indexOf(name);
  const next = order[at + 1];
  const title = toPageUrl(name) === "" ? "Merkle" : `${titleOf(name)} · Merkle`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${base}site.css">
<script src="${base}theme.js"></script>
<script src="${base}search.js" data-base="${base}" defer></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="home" href="${base}">Merkle <span>docs</span></a>
${base === "/docs/" ? '<a class="back" href="/">Dashboard</a>' : ""}
<search><input type="search" id="search" placeholder="Search  /" aria-label="Search the docs" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found"><ol id="found" role="listbox" aria-label="Found" hidden></ol></search>
</header>
<div class="columns">
<nav aria-label="Pages"><details open><summary>Pages</summary>${navigation}</details></nav>
<main id="text" tabindex="-1">
${body}
${next ? `<p class="next">Next: ${link(next)}</p>` : ""}
</main>
</div>
</body>
</html>
`;
}

function escapeHtml(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
}
