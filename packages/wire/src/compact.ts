import { sealedBytes } from "./identity/sealed-form.js";
import type { Message, Redaction } from "./message.js";
import type { Rendering } from "./operation.js";
import { sealText } from "./record/seal-text.js";
import { isRedacted } from "./redaction.js";

/**
 * What others wrote, in a text for a model, is data: it must not be able to look like a line of ours. Returns a value with all
 * its texts so that they cannot: what a terminal or a model could take for an instruction to itself is made harmless, and
 * each line after a text's first is indented (TEXT-1). Every rendering passes through here before it is made, so that none
 * has to think of it.
 *
 * @param verbatim - fields that are left as they are
 */
export function foreign<Value>(value: Value, verbatim: readonly string[] = []): Value {
  return foreignValue(value, verbatim) as Value; // Of the same shape: only texts are exchanged, for texts.
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

/** A message as text for a model. */
export function compactMessage(message: Message): string {
  return messageLines(foreign(message));
}

/** The lines of a message whose texts are `foreign`; a name that could be mistaken stands in quotation marks (TEXT-2). */
export function messageLines(message: Message): string {
  if (isRedacted(message)) return `${redactedHead(message)} (${describeRedaction(message.redaction)})`;
  if (message.type === "system") return `#${message.sequence} * ${describeEvent(message)}`;
  const { text, options } = message.content;
  if (message.content["private"] === true && typeof text !== "string") {
    return `${chatHead(message)} (${describeSealed(message.content)})`;
  }
  return lines(
    `${chatHead(message)}: ${typeof text === "string" ? text : ""}`,
    Array.isArray(options) && ` options: ${options.map(optionInLine).join(" | ")}`,
  );
}

function redactedHead(message: Message): string {
  return message.type === "system" ? `#${message.sequence} * ${message.event}` : chatHead(message);
}

/** `removed by Ana at 14:05:01: "holds a key"`: whose text is not there, so that nobody waits for it. */
export function describeRedaction(redaction: Redaction | undefined): string {
  const { by = null, at = null, reason = null } = redaction ?? {};
  const who = [by !== null && `by ${nameInHead(by)}`, at !== null && `at ${messageTime(at)}`];
  return `${["removed", ...who].filter((part) => typeof part === "string").join(" ")}${reason === null ? "" : `: ${inQuotes(reason)}`}`;
}

/** What is told of a private message that is not open: its length, and why it is not where somebody tried. */
function describeSealed({ bytes, sealed, problem }: Message["content"]): string {
  const length = typeof sealed === "string" ? sealedBytes(sealed) : bytes;
  return [
    typeof length === "number" && `${length} bytes`,
    typeof problem === "string" ? `not opened: ${problem}` : "sealed",
  ]
    .filter((part) => typeof part === "string")
    .join(", ");
}

/** `#12! Alex's Team/atlas (human) to @backend, Cedar re #9 ask`: what a plain message does not have is left out. */
function chatHead({ sequence, priority, from, to, reply_to, content }: Message): string {
  const { kind, answer, private: isPrivate } = content;
  const isDirected = to.some((recipient) => recipient !== "*");
  const replies = typeof answer === "string" ? `answers #${reply_to} ${inQuotes(answer)}` : `re #${reply_to}`;
  return [
    `#${sequence}${priority === "now" ? "!" : ""}`,
    addressInHead(from?.team ?? "", from?.peer),
    from?.human && "(human)",
    content["guest"] === true && "(guest)",
    isDirected && `to ${to.map(nameInHead).join(", ")}`,
    reply_to !== undefined && replies,
    (kind === "ask" || kind === "decision") && kind,
    isPrivate === true && "private",
  ]
    .filter((part) => typeof part === "string")
    .join(" ");
}

// Words of ours that stand between the names of a message's first line.
const wordsOfHead = /(?:^|\s)(?:to|re|ask|decision|answers|private)(?:\s|$)|\((?:human|guest)\)/iu;

function nameInHead(name: string): string {
  return wordsOfHead.test(name) ? inQuotes(name) : nameInLine(name);
}

function addressInHead(team: string, peer: string | undefined): string {
  return address(team, peer, nameInHead);
}

/** An option among others; one that holds what stands between them is set in quotation marks. */
function optionInLine(option: unknown): string {
  return neutralise(isPlain(option, /^[^"|\n\r]+$/) ? option : JSON.stringify(option));
}

/** Text of others among words of ours, on one line of them. */
export function inQuotes(text: string): string {
  return neutralise(JSON.stringify(text));
}

/** `session_concluded, by Atlas, document_version 3`: a value that holds a comma cannot pass for a further field. */
function describeEvent(message: Message): string {
  const { event, at: _at, ...fields } = message.content;
  const told = Object.entries(fields).map(
    ([name, value]) =>
      sealInLine(name, value) ?? `${name} ${isPlain(value, /^[^",\n\r]*$/) ? value : JSON.stringify(value)}`,
  );
  return [event, ...told].join(", ");
}

/** A conclusion's head says in all its digits nothing that a model could use; session_seal has them. */
function sealInLine(name: string, value: unknown): string | null {
  if (name !== "head" || typeof value !== "object" || value === null) return null;
  const { size, root }: { size?: unknown; root?: unknown } = value;
  if (!Number.isSafeInteger(size) || !isPlain(root, /^[0-9a-f]{64}$/)) return null;
  return sealText({ size: Number(size), root });
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

function address(team: string, peer: string | null | undefined, inLine: (name: string) => string): string {
  const part = (name: string) => (name.includes("/") ? inQuotes(name) : inLine(name));
  return peer ? `${part(team)}/${part(peer)}` : part(team);
}

function isPlain(value: unknown, plain: RegExp): value is string {
  return typeof value === "string" && plain.test(value);
}

/** What a caller has to keep of a create or a join, and a server keeps for it. */
export function kept(given: { cursor: number; team_id: string }, { keeper }: Rendering): string {
  return keeper === "caller" ? ` cursor ${given.cursor}. team_id ${given.team_id}` : "";
}

/** `2026-01-01T14:02:10.123Z` as `14:02:10`. */
export function messageTime(timestamp: string): string {
  return timestamp.slice(11, 19);
}

// Everything that moves a cursor, hides text or reverses it; kept are line feed, tab, and how an emoji is to be drawn.
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: naming them is the point.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Bidi_Control}\p{Default_Ignorable_Code_Point}](?<![\ufe0e\ufe0f])/gu;

// Frames that clients put around text to a model, and the marks of its turns; content must not open or close one.
const frameTag =
  /<(?=[\s/]*(?:antml|(?:system|human|assistant|user|developer|channel|invoke|parameter|thinking|function|result)(?![a-z0-9])|(?:tool|function|task|teammate|cross-session|agent|command|local-command|bash|hook|ide|persisted|untrusted|available|new)s?[-_][a-z])|\|[\w ]{1,40}\|>)/gi;

/**
 * A value as JSON in which what could be taken for more than text stands as an escape: read as JSON nothing of it is lost, and
 * read as it stands it can neither move a cursor nor close what frames it (TEXT-1).
 */
export function neutralJson(value: unknown): string {
  // Outside of its strings JSON has none of these.
  return JSON.stringify(value).replace(invisible, escaped).replace(frameTag, escaped);
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    return `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }).join("");
}

/** Replaces what could be taken for more than text: control, bidi and zero-width characters, and tags of known frames. */
export function neutralise(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "\n")
    .replace(invisible, "\u{fffd}")
    .replace(frameTag, "\u{2039}");
}
