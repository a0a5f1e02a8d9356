import { randomBytes } from "node:crypto";
import type { TokenKind } from "@merkle/db";
import { hashSecret } from "../credential.js";

/** A token as its holder has it, and what is kept of it (TOKEN-1). */
export interface MadeToken {
  readonly token: string;
  readonly secretHash: Buffer;
}

/** The prefix of a running job's credential, which is kept with its job and ends with it (JOB-12). */
const jobMark = "mkj_";

/** Draws a job's credential. */
export function makeJobToken(): MadeToken {
  const token = `${jobMark}${randomBytes(32).toString("base64url")}`;
  return { token, secretHash: hashToken(token) };
}

export function isJobToken(text: string): boolean {
  return wholeForm.test(text) && text.startsWith(jobMark);
}

/** Each kind has a mark of its own, so that whoever finds one knows what it opens, and no transport takes one for another. */
const marks: { readonly [Kind in TokenKind]: string } = {
  bearer: "mkt_",
  browser: "mkb_",
  sign_in: "mks_",
  ticket: "mkw_",
  observer: "mko_",
  client: "mkc_",
};

/** Draws a token of 256 random bits. */
export function makeToken(kind: Exclude<TokenKind, "browser">): MadeToken {
  const token = `${marks[kind]}${randomBytes(32).toString("base64url")}`;
  return { token, secretHash: hashToken(token) };
}

/**
 * Makes the token that a browser is signed in by, in two halves of 256 random bits each. The cookie reaches every port of
 * its host, and so whatever program listens on one; the page's half is kept where pages of this very address alone can read
 * it. Either is nobody without the other (TOKEN-8).
 */
export function makeBrowserToken(): { cookie: string; page: string; secretHash: Buffer } {
  const cookie = `${marks.browser}${randomBytes(32).toString("base64url")}`;
  const page = randomBytes(32).toString("base64url");
  return { cookie, page, secretHash: hashToken(joinHalves(cookie, page)) };
}

export function joinHalves(cookie: string, page: string): string {
  return `${cookie}.${page}`;
}

export function hashToken(token: string): Buffer {
  return hashSecret(token);
}

/** Returns a name for a token, to be used where the token itself must not stand. */
export function nameOfToken(token: string): string {
  return hashToken(token).toString("base64url");
}

/** The kind of token that a text has the form of, or null. */
export function kindOfToken(text: string): TokenKind | null {
  if (!wholeForm.test(text)) return null;
  return kinds.find((kind) => text.startsWith(marks[kind])) ?? null;
}

/** Yields every text within a text that has the form of a token. Only the database can say whether one is in force. */
export function* findTokens(text: string): Generator<string> {
  // Matches overlap, since a token may begin within what looks like another's secret.
  for (const [, token = ""] of text.matchAll(anywhere)) yield token;
}

const kinds: readonly TokenKind[] = ["bearer", "browser", "sign_in", "ticket", "observer", "client"];
const secret = "[A-Za-z0-9_-]{43}";
const form = `mk[tswojc]_${secret}|mkb_${secret}\\.${secret}`;
const wholeForm = new RegExp(`^(?:${form})$`);
const anywhere = new RegExp(`(?=(${form}))`, "g");
