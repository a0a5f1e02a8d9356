import { joinedParts } from "../core/joiners.js";

/**
 * Returns a value whose texts, shown to a model, cannot look like a line of ours: texts that others wrote are data. Whatever
 * a terminal or a model could take for an instruction to itself is made harmless, and each line after a text's first is
 * indented (TEXT-1). Every rendering passes through here before it is made, so that none has to think of it.
 *
 * @param verbatim - fields that are left as they are
 */
export function foreign<Value>(value: Value, verbatim: readonly string[] = []): Value {
  return foreignValue(value, verbatim) as Value; // The shape stays the same: only texts are exchanged, for texts.
}

function foreignValue(value: unknown, verbatim: readonly string[]): unknown {
  if (typeof value === "string") return foreignText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => foreignValue(each, verbatim));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      verbatim.includes(name) ? [name, inner] : [foreignText(name), foreignValue(inner, verbatim)],
    ),
  );
}

function foreignText(text: string): string {
  return neutralise(text).replaceAll("\n", "\n  ");
}

/** Text of others among words of ours, on one line of them. */
export function inQuotes(text: string): string {
  return neutralise(JSON.stringify(text));
}

/** Joins the lines that are there. */
export function lines(...parts: (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join("\n");
}

/** A name among words of ours. One that could be taken for these, as `*` or with a colon, stands in quotation marks. */
export function nameInLine(name: string): string {
  return neutralise(isPlain(name, /^[^*#":,\s-][^:,"\n\r]*$/) ? name : JSON.stringify(name));
}

/**
 * A peer among words of ours, as it can be written to: `Alex's Team/atlas`, or the team alone for its unnamed peer. A slash
 * of a name's own stands in quotation marks.
 */
export function peerAddress(team: string, peer: string | null | undefined): string {
  return address(team, peer, nameInLine);
}

/** `Birch` for `Birch/birch`: who is named as its team is called by one name where people read it. */
export function shortAddress(address: string): string {
  return address.replace(/^(.+)\/\1$/iu, "$1");
}

/** A peer among words of ours, its names as `inLine` writes them. */
export function address(
  team: string,
  peer: string | null | undefined,
  inLine: (name: string) => string,
): string {
  const part = (name: string) => (name.includes("/") ? inQuotes(name) : inLine(name));
  return peer ? `${part(team)}/${part(peer)}` : part(team);
}

/** Whether it is a text of this form, which stands among words of ours as it is. */
export function isPlain(value: unknown, plain: RegExp): value is string {
  return typeof value === "string" && plain.test(value);
}

// Everything that moves a cursor, hides text or reverses it; kept are line feed, tab, and how an emoji is to be drawn.
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the point.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Bidi_Control}\p{Default_Ignorable_Code_Point}](?<![\ufe0e\ufe0f])/gu;

const letter = "[a-zａ-ｚ]";
const joint = "[-_－＿]";
const nameEnd = "(?![a-z0-9ａ-ｚ０-９])";
const close = "\\s*[>＞]";

/** Words of a pattern, whose letters may also be full-width: models read both alike. */
function wide(words: string): string {
  return words.replace(/[a-z]/g, (each) => `[${each}${String.fromCharCode(each.charCodeAt(0) + 0xfee0)}]`);
}

const names = [
  wide("antml"),
  `(?:${wide("system|human|assistant|user|developer|channel|invoke|parameter|thinking|function|result")})${nameEnd}`,
  `(?:${wide("tool|function|task|teammate|cross-session|agent|command|local-command|bash|hook|ide|persisted|untrusted|available|new")})${wide("s?")}${joint}${letter}`,
  `(?:${letter}{1,20}${joint}){1,6}${wide("hook")}${nameEnd}`,
  `${wide("(?:start|end)")}${joint}${wide("of")}${joint}${letter}`,
  `${wide("(?:s|bos|eos)")}${close}`,
  `[<＜﹤]\\s*[/／]?${wide("sys")}${close}`,
];
const bracketed = wide("inst|system_prompt|available_tools|tool_(?:calls|content|results)");

// Frames that clients put around text to a model, and the marks of its turns; content must not open or close one.
const frameTag = new RegExp(
  `[<＜﹤](?=[\\s/／]*(?:${names.join("|")})|[|｜][^|｜<>\\n]{1,40}[|｜]${close})|[[［](?=[/／]?(?:${bracketed})[\\]］])`,
  "giu",
);

/**
 * A value as JSON in which what could be taken for more than text stands as an escape: read as JSON nothing of it is lost, and
 * read as it stands it can neither move a cursor nor close what frames it (TEXT-1).
 */
export function neutralJson(value: unknown): string {
  // Outside of its strings JSON has none of these.
  return JSON.stringify(value).replace(invisible, escaped).replace(frameTag, escaped);
}

/** A text in which what cannot be seen stands as an escape, and which else stays as it is: what is shown is what there is. */
export function showInvisible(text: string): string {
  return text.replace(invisible, escaped);
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    return `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }).join("");
}

/** Replaces what could be taken for more than text: control, bidi and zero-width characters that join nothing, and the marks of known frames. */
export function neutralise(text: string): string {
  return replaceInvisible(text.replaceAll("\r\n", "\n").replaceAll("\r", "\n")).replace(frameTag, "\u{2039}");
}

function replaceInvisible(text: string): string {
  if (!/[\u200c\u200d]/.test(text)) return text.replace(invisible, "\u{fffd}");
  let shown = "";
  let from = 0;
  for (const { 0: joined, index } of text.matchAll(joinedParts())) {
    shown += text.slice(from, index).replace(invisible, "\u{fffd}") + joined;
    from = index + joined.length;
  }
  return shown + text.slice(from).replace(invisible, "\u{fffd}");
}
