import type { Message } from "@merkle/wire";
import { bundleFiles, bundleLimits, parseFeedLine, readLines } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import { indentText, toOneLine } from "../../text/one-line.js";

/** The signed content at the end of a valid record, for comparison with what a page shows. */
export interface SignedContent {
  readonly messages: readonly Message[];
  readonly document: string;
  readonly isDocumentCut: boolean;
}

const messagesMax = 20;
const documentCharsMax = 4_000;

/** Reads the last messages of a verified bundle, and the beginning of its document. */
export async function readSigned(bundle: ZippedFiles): Promise<SignedContent> {
  const messages: Message[] = [];
  for await (const line of readLines(openChunks(bundle, bundleFiles.feed), bundleLimits.lineBytesMax)) {
    messages.push(parseFeedLine(line).message);
    if (messages.length > messagesMax) messages.shift();
  }
  const decoder = new TextDecoder();
  let document = "";
  for await (const chunk of openChunks(bundle, bundleFiles.document)) {
    document += decoder.decode(chunk, { stream: true });
    if (document.length > documentCharsMax) break;
  }
  return {
    messages,
    document: document.slice(0, documentCharsMax),
    isDocumentCut: document.length > documentCharsMax,
  };
}

async function* readNothing(): AsyncGenerator<Uint8Array> {}

function openChunks(bundle: ZippedFiles, name: string): AsyncIterable<Uint8Array> {
  return bundle.open(name) ?? readNothing();
}

/** Formats the signed content for people. */
export function formatSigned({ messages, document, isDocumentCut }: SignedContent): string {
  const parts = [
    messages.length > 0 && ["  The last signed messages:", ...messages.map(formatMessageLine)].join("\n"),
    document.trim() !== "" &&
      `  The signed document:\n${indentText(document.trimEnd())}${isDocumentCut ? "\n  (cut here)" : ""}`,
  ];
  return parts.filter((part) => typeof part === "string").join("\n");
}

function formatMessageLine({ sequence, from, content, type }: Message): string {
  const { text, event } = content;
  const body = typeof text === "string" ? text : type === "system" ? String(event) : "(no text)";
  return `    #${sequence} ${toOneLine(from?.team ?? "event")}: ${toOneLine(body)}`;
}
