import { createJoinedPattern } from "../core/joiners.js";

/**
 * Returns a copy of a value that is safe to show to a model. The strings in it come from other users and must
 * not look like lines written by Merkle. Anything that a terminal or model could interpret as an instruction
 * is neutralised, and every line of a string after the first is indented (TEXT-1). Every rendering gets its
 * input from this function.
 *
 * @param verbatim - names of fields that stay unchanged
 */
export function neutraliseTexts<Value>(value: Value, verbatim: readonly string[] = []): Value {
  return neutraliseValue(value, verbatim) as Value; // The shape stays the same: texts are only replaced by other texts.
}

function neutraliseValue(value: unknown, verbatim: readonly string[]): unknown {
  if (typeof value === "string") return neutraliseText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => neutraliseValue(each, verbatim));
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      verbatim.includes(name) ? [name, inner] : [neutraliseText(name), neutraliseValue(inner, verbatim)],
    ),
  );
  // Text of others contains no symbols: this program has set them.
  for (const mark of Object.getOwnPropertySymbols(value))
    Reflect.set(copy, mark, neutraliseValue(Reflect.get(value, mark), verbatim));
  return copy;
}

function neutraliseText(text: string): string {
  return neutralise(text).replaceAll("\n", "\n  ");
}

/** Formats another user's text on one line, in quotation marks. */
export function quoteText(text: string): string {
  return neutralise(JSON.stringify(text));
}

/** Joins the non-empty parts, one per line. */
export function joinLines(...parts: (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join("\n");
}

/**
 * Formats a name for use within a line written by Merkle. An ambiguous name, such as `*` or a name with a
 * colon, is quoted.
 */
export function formatInlineName(name: string): string {
  return neutralise(isPlain(name, /^[^*#":,\s-][^:,"\n\r]*$/) ? name : JSON.stringify(name));
}

/**
 * Formats a peer's address for use within a line written by Merkle: `Alex's Team/atlas`, or only the team's
 * name for an unnamed peer. Names that contain a slash are quoted.
 */
export function formatInlineAddress(team: string, peer: string | null | undefined): string {
  return formatAddress(team, peer, formatInlineName);
}

/**
 * Shortens the address of a peer that has the same name as its team, for display: `Birch/birch` becomes
 * `Birch`.
 */
export function shortenAddress(address: string): string {
  return address.replace(/^(.+)\/\1$/iu, "$1");
}

/** Formats a peer's address. Each name in it is formatted by `inLine`. */
export function formatAddress(
  team: string,
  peer: string | null | undefined,
  formatPlain: (name: string) => string,
): string {
  const formatPart = (name: string) => (name.includes("/") ? quoteText(name) : formatPlain(name));
  return peer ? `${formatPart(team)}/${formatPart(peer)}` : formatPart(team);
}

/** Returns true if the value is a string that matches `plain` and therefore needs no quoting. */
export function isPlain(value: unknown, plain: RegExp): value is string {
  return typeof value === "string" && plain.test(value);
}

// Characters that move the cursor, hide text or reverse it. Line feed, tab and emoji variation selectors are
// excluded.
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the point.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Bidi_Control}\p{Default_Ignorable_Code_Point}](?<![\ufe0e\ufe0f])/gu;

const letter = "[a-zａ-ｚ]";
const joint = "[-_－＿]";
const nameEnd = "(?![a-z0-9ａ-ｚ０-９])";
const close = "\\s*[>＞]";

/**
 * Returns a pattern in which each letter may also be full-width, because models read both in the same way.
 */
function allowFullWidth(words: string): string {
  return words.replace(/[a-z]/g, (each) => `[${each}${String.fromCharCode(each.charCodeAt(0) + 0xfee0)}]`);
}

const names = [
  allowFullWidth("antml"),
  `(?:${allowFullWidth("system|human|assistant|user|developer|channel|invoke|parameter|thinking|function|result")})${nameEnd}`,
  `(?:${allowFullWidth("tool|function|task|teammate|cross-session|agent|command|local-command|bash|hook|ide|persisted|untrusted|available|new")})${allowFullWidth("s?")}${joint}${letter}`,
  `(?:${letter}{1,20}${joint}){1,6}${allowFullWidth("hook")}${nameEnd}`,
  `${allowFullWidth("(?:start|end)")}${joint}${allowFullWidth("of")}${joint}${letter}`,
  `${allowFullWidth("(?:s|bos|eos)")}${close}`,
  `[<＜﹤]\\s*[/／]?${allowFullWidth("sys")}${close}`,
];
const bracketed = allowFullWidth("inst|system_prompt|available_tools|tool_(?:calls|content|results)");

// Tags with which clients frame text for a model, and markers of a model's turns. Content must not be able to
// open or close such a frame.
const frameTag = new RegExp(
  `[<＜﹤](?=[\\s/／]*(?:${names.join("|")})|[|｜][^|｜<>\\n]{1,40}[|｜]${close})|[[［](?=[/／]?(?:${bracketed})[\\]］])`,
  "giu",
);

/**
 * Serialises a value to JSON with ambiguous characters escaped. Parsing the result gives the same value, and
 * the JSON text itself can neither move a cursor nor close a frame (TEXT-1).
 */
export function toNeutralJson(value: unknown): string {
  // In JSON, the escaped characters can occur only within strings, where escapes are allowed.
  return JSON.stringify(value).replace(invisible, escapeCharacters).replace(frameTag, escapeCharacters);
}

/**
 * Escapes invisible characters, so that readers see everything that is in the text. All other characters stay
 * unchanged.
 */
export function showInvisible(text: string): string {
  return text.replace(invisible, escapeCharacters);
}

function escapeCharacters(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    return `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }).join("");
}

/**
 * Replaces everything that a terminal or model could treat as more than plain text: control and bidi
 * characters, zero-width characters without a visible effect, and the tags of known frames.
 */
export function neutralise(text: string): string {
  return replaceInvisible(text.replaceAll("\r\n", "\n").replaceAll("\r", "\n")).replace(frameTag, "\u{2039}");
}

function replaceInvisible(text: string): string {
  if (!/[\u200c\u200d]/.test(text)) return text.replace(invisible, "\u{fffd}");
  let shown = "";
  let from = 0;
  for (const { 0: joined, index } of text.matchAll(createJoinedPattern())) {
    shown += text.slice(from, index).replace(invisible, "\u{fffd}") + joined;
    from = index + joined.length;
  }
  return shown + text.slice(from).replace(invisible, "\u{fffd}");
}
