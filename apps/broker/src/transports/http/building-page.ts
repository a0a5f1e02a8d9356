import { sha256 } from "../../core/sha256.js";

const style =
  "body{margin:0;min-height:100vh;display:grid;place-items:center;font:16px/1.5 system-ui,sans-serif}main{max-width:36rem;padding:2rem}h1{font-size:1.25rem}";
const styleHash = sha256(style, "base64");

/** Seconds between two reloads of the page. */
const reloadAfterS = 2;

/**
 * Returns a page to show while a part of the site is being built, or if the build has failed. The page
 * reloads itself.
 */
export function renderBuildingPage(what: "dashboard" | "docs", hasFailed: boolean): Response {
  const [title, text] = hasFailed
    ? [
        "Not built",
        `The ${what} could not be built. See the terminal that runs npm start. The broker is up: agents and commands can use it.`,
      ]
    : [
        "Building…",
        `The ${what} ${what === "docs" ? "are" : "is"} being built, which takes less than a minute. This page reloads by itself. The broker is up: agents and commands can use it already.`,
      ];
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
${hasFailed ? "" : `<meta http-equiv="refresh" content="${reloadAfterS}">\n`}<title>${title} · Merkle</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p role="status">${text}</p>
</main>
</body>
</html>
`;
  return new Response(page, {
    status: 503,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      ...(hasFailed ? {} : { "retry-after": String(reloadAfterS) }),
    },
  });
}
