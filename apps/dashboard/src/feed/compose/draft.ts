import type { InputOf, Message, MessageFile } from "@merkle/wire";
import { readMessageText } from "../store/message-text";

export type DraftKind = "message" | "ask" | "decision";
export type DraftPriority = "now" | "next" | "low";

export const kindLabels: Readonly<Record<DraftKind, string>> = {
  message: "Message",
  ask: "Ask",
  decision: "Decision",
};
export const priorityLabels: Readonly<Record<DraftPriority, string>> = {
  next: "Normal",
  now: "Urgent",
  low: "Low priority",
};

/** The quoted message, shown above the text field. */
export interface QuotedMessage {
  readonly sequence: number;
  readonly author: string;
  readonly text: string;
  /** True if the draft answers the quoted ask and thereby settles it. False for a plain reply. */
  readonly answers: boolean;
  /** The options that the ask offers. Empty if any text is a valid answer. */
  readonly options: readonly string[];
}

/** A message that has not been posted yet. */
export interface MessageDraft {
  readonly text: string;
  /** Recipients, named as in the broker's `to` field. Empty: as `findDefaultRecipient` says. */
  readonly to: readonly string[];
  readonly kind: DraftKind;
  /** The options of an ask, including blank fields that the user is still filling in. */
  readonly options: readonly string[];
  readonly priority: DraftPriority;
  readonly quoted: QuotedMessage | null;
  /** The uploaded files that the message will carry. */
  readonly files: readonly MessageFile[];
}

export const emptyDraft: MessageDraft = {
  text: "",
  to: [],
  kind: "message",
  options: [],
  priority: "next",
  quoted: null,
  files: [],
};

/**
 * Returns who gets the draft if it names no recipients, as the broker decides (SEND-12): the author of the quoted
 * message if the author is here, otherwise everyone. A decision is for everyone.
 */
export function findDefaultRecipient(
  { quoted, kind }: MessageDraft,
  recipients: readonly { readonly value: string }[],
): string {
  if (quoted === null || kind === "decision") return "*";
  const { author } = quoted;
  const isHere = recipients.some(({ value }) => author === value || author.startsWith(`${value}/`));
  return isHere ? author : "*";
}

type DraftPostInput = Omit<InputOf<"post_message">, "team_id" | "idempotency_key">;

/**
 * Converts the draft to the input of `post_message`. An answer is never an ask, and blank options are dropped. The names of
 * the files are the text if there is no other.
 */
export function toPostInput(draft: MessageDraft, sessionId: string): DraftPostInput {
  const { quoted, to, priority, text, files } = draft;
  return {
    session_id: sessionId,
    content: {
      text: text.trim() === "" ? files.map(({ name }) => name).join(", ") : text,
      ...toKind(draft),
      ...(files.length === 0 ? {} : { attachments: [...files] }),
    },
    ...(to.length > 0 ? { to: [...to] } : {}),
    ...(priority === "next" ? {} : { priority }),
    ...(quoted === null ? {} : { reply_to: quoted.sequence }),
  };
}

function toKind({ kind, options, quoted, text }: MessageDraft): Partial<DraftPostInput["content"]> {
  const answer = quoted?.answers ? { answer: toAnswer(quoted, text) } : {};
  if (kind === "decision") return { ...answer, kind };
  if (kind === "message" || quoted?.answers) return answer;
  const writtenOptions = listWrittenOptions(options);
  return writtenOptions.length === 0 ? { kind } : { kind, options: writtenOptions };
}

/** An ask with options accepts only one of its options. Matching ignores case and surrounding spaces. */
function toAnswer({ options }: QuotedMessage, text: string): string {
  const trimmed = text.trim();
  return options.find((option) => option.toLowerCase() === trimmed.toLowerCase()) ?? trimmed;
}

export function listWrittenOptions(options: readonly string[]): string[] {
  return options.map((option) => option.trim()).filter((option) => option !== "");
}

/** Returns why the broker would refuse the draft, as far as the page can tell. Null if the draft can be sent. */
export function findProblem(draft: MessageDraft, bytesMax: number): string | null {
  if (draft.text.trim() === "" && draft.files.length === 0) return "Write something first.";
  const bytes = countBytes(draft.text);
  if (bytes > bytesMax) return `Messages can be up to ${bytesMax} bytes; this one has ${bytes}.`;
  if (draft.quoted?.answers) return findAnswerProblem(draft.quoted, draft.text);
  if (draft.kind === "ask" && listWrittenOptions(draft.options).length === 1) {
    return "Add at least two options, or none.";
  }
  return null;
}

function findAnswerProblem({ options }: QuotedMessage, text: string): string | null {
  const isOption = options.some((option) => option.toLowerCase() === text.trim().toLowerCase());
  if (options.length > 0 && !isOption)
    return `Answer with one of: ${options.join(", ")}. Or choose “Reply without answering”.`;
  return text.trim().length > answerCharsMax ? `Answers can be up to ${answerCharsMax} characters.` : null;
}

const answerCharsMax = 500;

const utf8 = new TextEncoder();

export function countBytes(text: string): number {
  return utf8.encode(text).length;
}

/** Quotes a message for a reply or an answer. */
export function toQuotedMessage(message: Message, isAnswer: boolean): QuotedMessage {
  const { options } = message.content;
  return {
    sequence: message.sequence,
    author: message.from === null ? "the broker" : formatAuthor(message.from),
    text: (message.type === "chat" ? readMessageText(message) : (message.event ?? "")).slice(
      0,
      quotedCharsMax,
    ),
    answers: isAnswer,
    options: Array.isArray(options) ? options.filter((option) => typeof option === "string") : [],
  };
}

const quotedCharsMax = 300;

function formatAuthor({ team, peer }: NonNullable<Message["from"]>): string {
  return peer === undefined ? team : `${team}/${peer}`;
}
