import { sealedBytes } from "../identity/sealed-form.js";
import { address, foreign, inQuotes, isPlain, lines, nameInLine, neutralise } from "../text/neutralise.js";
import { sealText } from "../text/seal-text.js";
import type { Message, Redaction } from "./message.js";
import { isRedacted } from "./redaction.js";

/** Formats a message for a model. */
export function compactMessage(message: Message): string {
  return messageLines(foreign(message));
}

/**
 * Formats a message whose text has already been passed through `foreign`. Ambiguous names are quoted
 * (TEXT-2).
 */
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

/**
 * Describes a redaction, for example `removed by Ana at 14:05:01: "holds a key"`, so that readers do not wait
 * for the text.
 */
export function describeRedaction(redaction: Redaction | undefined): string {
  const { by = null, at = null, reason = null } = redaction ?? {};
  const who = [by !== null && `by ${nameInHead(by)}`, at !== null && `at ${messageTime(at)}`];
  return `${["removed", ...who].filter((part) => typeof part === "string").join(" ")}${reason === null ? "" : `: ${inQuotes(reason)}`}`;
}

/** Describes a private message that was not opened: its length and, if opening it failed, the problem. */
function describeSealed({ bytes, sealed, problem }: Message["content"]): string {
  const length = typeof sealed === "string" ? sealedBytes(sealed) : bytes;
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

// Merkle's keywords, which may follow a name in a message's first line.
const wordsOfHead = /(?:^|\s)(?:to|re|ask|decision|answers|private)(?:\s|$)|\((?:human|guest)\)/iu;

function nameInHead(name: string): string {
  return wordsOfHead.test(name) ? inQuotes(name) : nameInLine(name);
}

function addressInHead(team: string, peer: string | undefined): string {
  return address(team, peer, nameInHead);
}

/** Formats one of an ask's options. Quotes an option that contains the separator. */
function optionInLine(option: unknown): string {
  return neutralise(isPlain(option, /^[^"|\n\r]+$/) ? option : JSON.stringify(option));
}

/**
 * Formats an event, for example `session_concluded, by Atlas, document_version 3`. A value that contains a
 * comma is quoted, so that it cannot imitate another field.
 */
export function describeEvent(message: Pick<Message, "content">): string {
  const { event, at: _at, ...fields } = message.content;
  const told = Object.entries(fields).map(
    ([name, value]) =>
      sealInLine(name, value) ?? `${name} ${isPlain(value, /^[^",\n\r]*$/) ? value : JSON.stringify(value)}`,
  );
  return [event, ...told].join(", ");
}

/**
 * Shortens a conclusion's signed head, whose full hash is of no use to a model. `session_seal` returns the
 * complete head.
 */
function sealInLine(name: string, value: unknown): string | null {
  if (name !== "head" || typeof value !== "object" || value === null) return null;
  const { size, root }: { size?: unknown; root?: unknown } = value;
  if (!Number.isSafeInteger(size) || !isPlain(root, /^[0-9a-f]{64}$/)) return null;
  return sealText({ size: Number(size), root });
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
export function kept(
  given: { cursor: number; team_id: string },
  { credentialHolder, remembered }: Rendering,
): string {
  if (credentialHolder === "server") return "";
  return ` cursor ${given.cursor}.${remembered ? " No team_id is needed here." : ` team_id ${given.team_id}`}`;
}

/** Formats a timestamp such as `2026-01-01T14:02:10.123Z` as `14:02:10`. */
export function messageTime(timestamp: string): string {
  return timestamp.slice(11, 19);
}
