/**
 * Builds `out/record.template`, the page for exported records (EXPORT-9). Styles and the verifying script are inline, so the file
 * requests nothing. The broker inserts the record between the template's two halves.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { build } from "esbuild";

const dashboard = fileURLToPath(new URL("..", import.meta.url));

/**
 * Syntax highlighting would need a worker and grammars larger than the rest of the file. Exported records therefore
 * show code in one colour.
 */
const plainCode = {
  name: "plain-code",
  setup(it) {
    it.onResolve({ filter: /\/code-block$/ }, () => ({
      path: join(dashboard, "src/features/verify/file/plain-code.tsx"),
    }));
  },
};

const [script, style] = [await bundleScript(), readStyle()];
const policy = [
  "default-src 'none'",
  `script-src '${hashOf(script)}'`,
  `style-src '${hashOf(style)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

// packages/wire/src/record/html-bundle.ts inserts the record into the script element with the id `record`.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="x-dns-prefetch-control" content="off">
<title>A record of Merkle</title>
<style>${style}</style>
</head>
<body class="min-h-dvh antialiased">
<div id="page"></div>
<noscript>The record in this file is checked and shown by a script, and scripts are off here. It can be checked without one:
merkle verify, with this file.</noscript>
<script id="record" type="application/zip;base64"></script>
<script>${script}</script>
</body>
</html>
`;
writeFileSync(join(dashboard, "out/record.template"), page);

async function bundleScript() {
  const { outputFiles } = await build({
    absWorkingDir: dashboard,
    entryPoints: ["src/features/verify/file/main.tsx"],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "ascii",
    legalComments: "none",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [plainCode],
    logLevel: "warning",
  });
  // In a script element, `<!--` would change where the parser ends the script. In strings and regular expressions, the
  // escaped form is equivalent. Anywhere else, `<!--` would be a syntax error.
  const text = outputFiles[0].text.replaceAll("<!--", "<\\x21--");
  new Script(text);
  if (/<\/script/i.test(text)) throw new Error("The script would end its own element.");
  return text;
}

/** Returns the pages' styles without the fonts, which an exported page would have to request. */
function readStyle() {
  const folder = join(dashboard, "out/_next/static/chunks");
  const sheets = readdirSync(folder).filter((name) => name.endsWith(".css"));
  const text = sheets.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  const style = text.replace(/@font-face\{[^}]*\}/g, "");
  if (/url\(|@import|<\/style/i.test(style))
    throw new Error("The styles would ask for a file, or end their element.");
  return style;
}

function hashOf(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
