import { countSealedBytes } from "../identity/sealed-form.js";
import {
  formatAddress,
  formatInlineName,
  isPlain,
  joinLines,
  neutralise,
  neutraliseTexts,
  quoteText,
} from "../text/neutralise.js";
import { formatSealSummary } from "../text/seal-text.js";
import type { Message, Redaction } from "./message.js";
import { formatMessageFile, listMessageFiles } from "./message-files.js";
import { findOwnAuthor } from "./own-author.js";
import { isRedacted } from "./redaction.js";

/** Formats a message for a model. */
export function compactMessage(message: Message): string {
  return formatMessageLines(neutraliseTexts(message));
}

/**
 * Formats a message whose text has already been passed through `foreign`. Ambiguous names are quoted
 * (TEXT-2).
 */
export function formatMessageLines(message: Message): string {
  if (isRedacted(message)) return `${formatRedactedHead(message)} (${describeRedaction(message.redaction)})`;
  if (message.type === "system") return `#${message.sequence} * ${describeEvent(message)}`;
  const { text, options } = message.content;
  const author = findOwnAuthor(message);
  const head = author === undefined ? formatChatHead(message) : formatOwnHead(message, author);
  if (message.content["private"] === true && typeof text !== "string") {
    return `${formatChatHead(message)} (${describeSealed(message.content)})`;
  }
  return joinLines(
    `${head}: ${typeof text === "string" ? text : ""}`,
    Array.isArray(options) && ` options: ${options.map(formatOption).join(" | ")}`,
    formatFiles(message),
  );
}

/**
 * Formats a message's files, with the tool that fetches them and the number of each. The bytes themselves never enter a
 * model's context (ATTACH-20).
 */
function formatFiles(message: Message): string {
  const files = listMessageFiles(message).map((file, index) => `${index + 1} ${formatMessageFile(file)}`);
  return files.length === 0 ? "" : ` files (read_attachment): ${files.join(" | ")}`;
}

function formatRedactedHead(message: Message): string {
  return message.type === "system" ? `#${message.sequence} * ${message.event}` : formatChatHead(message);
}

/**
 * Describes a redaction, for example `removed by Ana at 14:05:01: "holds a key"`, so that readers do not wait
 * for the text.
 */
export function describeRedaction(redaction: Redaction | undefined): string {
  const { by = null, at = null, reason = null } = redaction ?? {};
  const who = [by !== null && `by ${formatHeadName(by)}`, at !== null && `at ${formatMessageTime(at)}`];
  return `${["removed", ...who].filter((part) => typeof part === "string").join(" ")}${reason === null ? "" : `: ${quoteText(reason)}`}`;
}

/** Describes a private message that was not opened: its length and, if opening it failed, the problem. */
function describeSealed({ bytes, sealed, problem }: Message["content"]): string {
  const length = typeof sealed === "string" ? countSealedBytes(sealed) : bytes;
  return [
    typeof length === "number" && `${length} bytes`,
    typeof problem === "string" ? `not opened: ${problem}` : "sealed",
  ]
    .filter((part) => typeof part === "string")
    .join(", ");
}

/**
 * Formats the head of a message, for example `#12! Alex's Team/atlas (human) to @backend, Cedar re #9 ask`.
 * Parts that do not apply to the message are omitted.
 */
function formatChatHead({ sequence, priority, from, to, reply_to, content }: Message): string {
  const isDirected = to.some((recipient) => recipient !== "*");
  return [
    `#${sequence}${priority === "now" ? "!" : ""}`,
    formatHeadAddress(from?.team ?? "", from?.peer),
    from?.human && "(human)",
    content["guest"] === true && "(guest)",
    isDirected && `to ${to.map(formatHeadName).join(", ")}`,
    ...formatRole({ reply_to, content }),
    content["private"] === true && "private",
  ]
    .filter((part) => typeof part === "string")
    .join(" ");
}

/**
 * Formats the head of the user's own words, for example `From Ana, your user (#12 re #9)`. No other message begins with a
 * letter, and no text of others begins a line (TEXT-1).
 */
function formatOwnHead({ sequence, reply_to, content }: Message, name: string): string {
  const parts = [`#${sequence}`, ...formatRole({ reply_to, content })];
  return `From ${formatInlineName(name)}, your user (${parts.join(" ")})`;
}

/** Formats what a message answers or replies to, and its kind. */
function formatRole({ reply_to, content }: Pick<Message, "content"> & { reply_to: unknown }): string[] {
  const { kind, answer } = content;
  const replies =
    typeof answer === "string" ? `answers #${reply_to} ${quoteText(answer)}` : `re #${reply_to}`;
  return [
    ...(reply_to === undefined ? [] : [replies]),
    ...(kind === "ask" || kind === "decision" ? [kind] : []),
  ];
}

// Merkle's keywords, which may follow a name in a message's first line.
const wordsOfHead = /(?:^|\s)(?:to|re|ask|decision|answers|private)(?:\s|$)|\((?:human|guest)\)/iu;

function formatHeadName(name: string): string {
  return wordsOfHead.test(name) ? quoteText(name) : formatInlineName(name);
}

function formatHeadAddress(team: string, peer: string | undefined): string {
  return formatAddress(team, peer, formatHeadName);
}

/** Formats one of an ask's options. Quotes an option that contains the separator. */
function formatOption(option: unknown): string {
  return neutralise(isPlain(option, /^[^"|\n\r]+$/) ? option : JSON.stringify(option));
}

/**
 * Formats an event, for example `session_concluded, by Atlas, document_version 3`. A value that contains a
 * comma is quoted, so that it cannot imitate another field.
 */
export function describeEvent(message: Pick<Message, "content">): string {
  const { event, at: _at, ...fields } = message.content;
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      formatSealField(name, value) ??
      `${name} ${isPlain(value, /^[^",\n\r]*$/) ? value : JSON.stringify(value)}`,
  );
  return [event, ...parts].join(", ");
}

/**
 * Shortens a conclusion's signed head, whose full hash is of no use to a model. `session_seal` returns the
 * complete head.
 */
function formatSealField(name: string, value: unknown): string | null {
  if (name !== "head" || typeof value !== "object" || value === null) return null;
  const { size, root }: { size?: unknown; root?: unknown } = value;
  if (!Number.isSafeInteger(size) || !isPlain(root, /^[0-9a-f]{64}$/)) return null;
  return formatSealSummary({ size: Number(size), root });
}

/** Options for rendering compact text. */
export interface Rendering {
  /**
   * Who stores credentials and cursors: the model itself, or the server that acts for it. If the server
   * stores them, the text omits them. This saves tokens, and a model cannot leak a credential that it has
   * never seen.
   */
  readonly credentialHolder: "caller" | "server";
  /**
   * True if the connection remembers the team, so that the output does not contain the team's credential
   * (MCP-2).
   */
  readonly remembered?: boolean;
}

/**
 * Returns the cursor and credential, as text, that a caller must store after creating or joining a session.
 * Returns an empty string if the server stores them.
 */
export function formatKeptFields(
  result: { cursor: number; team_id: string },
  { credentialHolder, remembered }: Rendering,
): string {
  if (credentialHolder === "server") return "";
  return ` cursor ${result.cursor}.${remembered ? " No team_id is needed here." : ` team_id ${result.team_id}`}`;
}

/** Formats a timestamp such as `2026-01-01T14:02:10.123Z` as `14:02:10`. */
export function formatMessageTime(timestamp: string): string {
  return timestamp.slice(11, 19);
}
