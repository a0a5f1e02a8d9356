import { codeToTokensBase, createShikiPrimitiveAsync } from "@shikijs/primitive";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

export type CodeLine = readonly { readonly text: string; readonly className: string | undefined }[];

/** Highlights code. Returns null for a language without a grammar. Grammars load on first use. */
export async function highlightCode(code: string, language: string): Promise<CodeLine[] | null> {
  const lang = aliases[language.toLowerCase()];
  if (lang === undefined) return null;
  const shiki = await tokenizer;
  await shiki.loadLanguage(grammars[lang]);
  const tokens = codeToTokensBase(shiki, code, {
    lang,
    theme: theme.name,
    tokenizeMaxLineLength: 2_000,
    // 0 disables the time limit. On a busy machine, the limit would leave the rest of a line uncoloured. Long code is
    // never highlighted anyway.
    tokenizeTimeLimit: 0,
  });
  return tokens.map((line) => line.map(({ content, color }) => ({ text: content, className: color })));
}

const grammars = {
  tsx: () => import("shiki/langs/tsx.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  shellscript: () => import("shiki/langs/shellscript.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  diff: () => import("shiki/langs/diff.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs"),
  go: () => import("shiki/langs/go.mjs"),
  rust: () => import("shiki/langs/rust.mjs"),
};

/** One grammar covers JavaScript and TypeScript, with and without JSX. */
const aliases: Record<string, keyof typeof grammars> = {
  ...toAliases("tsx", "js mjs javascript jsx ts typescript"),
  ...toAliases("json", "jsonc"),
  ...toAliases("shellscript", "sh bash shell zsh console"),
  ...toAliases("python", "py"),
  ...toAliases("sql", "postgres postgresql"),
  ...toAliases("diff", "patch"),
  ...toAliases("yaml", "yml"),
  ...toAliases("go", "golang"),
  ...toAliases("rust", "rs"),
};

function toAliases(lang: keyof typeof grammars, others: string) {
  return Object.fromEntries([lang, ...others.split(" ")].map((name) => [name, lang]));
}

/** A theme whose colours are the page's CSS classes, so that light and dark mode both work. */
const theme = {
  name: "page",
  fg: "text-foreground",
  bg: "bg-surface",
  settings: [
    { settings: { foreground: "text-foreground" } },
    toTokenStyle(
      "text-muted-foreground",
      "comment",
      "punctuation.definition.comment",
      "punctuation",
      "meta.brace",
    ),
    toTokenStyle("text-success", "string", "punctuation.definition.string", "markup.inserted"),
    toTokenStyle("text-warning", "constant", "variable.language", "support.constant", "markup.changed"),
    toTokenStyle(
      "text-link",
      "keyword",
      "storage",
      "keyword.operator.new",
      "entity.name.tag",
      "markup.heading",
    ),
    toTokenStyle(
      "text-info",
      "entity.name.function",
      "support.function",
      "support.type.property-name",
      "entity.name.type",
    ),
    toTokenStyle("text-danger", "markup.deleted", "invalid"),
  ],
};

function toTokenStyle(foreground: string, ...scope: string[]) {
  return { scope, settings: { foreground } };
}

/** One tokenizer per page, because the grammars are large. */
const tokenizer = createShikiPrimitiveAsync({
  themes: [theme],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});
