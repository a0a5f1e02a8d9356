import { createCssVariablesTheme, createHighlighterCore, type LanguageInput } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";

export type CodeLine = readonly { readonly text: string; readonly className: string | undefined }[];

/**
 * Colours a piece of code; null for a language that there is no grammar for. Grammars are loaded when they are first needed.
 */
export async function colourCode(code: string, language: string): Promise<CodeLine[] | null> {
  const lang = aliases[language.toLowerCase()];
  if (lang === undefined) return null;
  const shared = await highlighter;
  await shared.loadLanguage(grammars[lang]);
  const { tokens } = shared.codeToTokens(code, {
    lang,
    theme: "tokens",
    tokenizeMaxLineLength: 2_000,
    tokenizeTimeLimit: 200,
  });
  return tokens.map((line) =>
    line.map(({ content, color }) => ({ text: content, className: classes[color ?? ""] })),
  );
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
} satisfies Record<string, LanguageInput>;

/** One grammar serves JavaScript and TypeScript with and without elements. */
const aliases: Record<string, keyof typeof grammars> = {
  js: "tsx",
  javascript: "tsx",
  jsx: "tsx",
  ts: "tsx",
  typescript: "tsx",
  tsx: "tsx",
  mjs: "tsx",
  json: "json",
  jsonc: "json",
  sh: "shellscript",
  bash: "shellscript",
  shell: "shellscript",
  zsh: "shellscript",
  console: "shellscript",
  py: "python",
  python: "python",
  sql: "sql",
  postgres: "sql",
  postgresql: "sql",
  diff: "diff",
  patch: "diff",
  yaml: "yaml",
  yml: "yaml",
  go: "go",
  golang: "go",
  rs: "rust",
  rust: "rust",
};

/** The theme names roles, and these are the page's own colours for them, so that both themes come for free. */
const classes: Record<string, string | undefined> = {
  "var(--t-token-keyword)": "text-link",
  "var(--t-token-string)": "text-success",
  "var(--t-token-string-expression)": "text-success",
  "var(--t-token-constant)": "text-warning",
  "var(--t-token-function)": "text-info",
  "var(--t-token-link)": "text-link",
  "var(--t-token-comment)": "text-muted-foreground",
  "var(--t-token-inserted)": "text-success",
  "var(--t-token-deleted)": "text-danger",
  "var(--t-token-changed)": "text-warning",
};

/** One for the page: it holds the grammars, which are large. */
const highlighter = createHighlighterCore({
  themes: [createCssVariablesTheme({ name: "tokens", variablePrefix: "--t-" })],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});
