import { randomBytes } from "node:crypto";
import type { TokenKind } from "@merkle/db";
import { hashSecret } from "../credential.js";

/** A new token: the string for its holder, and the hash to store (TOKEN-1). */
export interface GeneratedToken {
  readonly token: string;
  readonly secretHash: Buffer;
}

/** The prefix of a running job's credential, which is stored with its job and ends with the job (JOB-12). */
const jobPrefix = "mkj_";

export function makeJobToken(): GeneratedToken {
  const token = `${jobPrefix}${randomBytes(32).toString("base64url")}`;
  return { token, secretHash: hashToken(token) };
}

export function isJobToken(text: string): boolean {
  return wholeForm.test(text) && text.startsWith(jobPrefix);
}

/**
 * The prefix of each kind of token. Anyone who finds a token can see what it gives access to, and transports
 * cannot confuse the kinds.
 */
const tokenPrefixes: { readonly [Kind in TokenKind]: string } = {
  bearer: "mkt_",
  browser: "mkb_",
  sign_in: "mks_",
  ticket: "mkw_",
  observer: "mko_",
  client: "mkc_",
};

/** Generates a token of 256 random bits. */
export function makeToken(kind: Exclude<TokenKind, "browser">): GeneratedToken {
  const token = `${tokenPrefixes[kind]}${randomBytes(32).toString("base64url")}`;
  return { token, secretHash: hashToken(token) };
}

/**
 * Creates a signed-in browser's token in two halves of 256 random bits each. Browsers send the cookie to
 * every port of its host, and so to any program that listens on that host. The page's half is stored where
 * only pages of the same origin can read it. Neither half is valid without the other (TOKEN-8).
 */
export function makeBrowserToken(): { cookie: string; page: string; secretHash: Buffer } {
  const cookie = `${tokenPrefixes.browser}${randomBytes(32).toString("base64url")}`;
  const page = randomBytes(32).toString("base64url");
  return { cookie, page, secretHash: hashToken(joinHalves(cookie, page)) };
}

export function joinHalves(cookie: string, page: string): string {
  return `${cookie}.${page}`;
}

export function hashToken(token: string): Buffer {
  return hashSecret(token);
}

/** Returns a name for a token, to use where the token itself must not appear. */
export function toTokenName(token: string): string {
  return hashToken(token).toString("base64url");
}

/** Returns the kind of token that the string looks like, or null. */
export function findTokenKind(text: string): TokenKind | null {
  if (!wholeForm.test(text)) return null;
  return kinds.find((kind) => text.startsWith(tokenPrefixes[kind])) ?? null;
}

/**
 * Yields every part of a string that looks like a token. Only the database can tell whether such a token is
 * active.
 */
export function* findTokens(text: string): Generator<string> {
  // Matches may overlap, because a token may begin inside what looks like another token's secret.
  for (const [, token = ""] of text.matchAll(anywhere)) yield token;
}

const kinds: readonly TokenKind[] = ["bearer", "browser", "sign_in", "ticket", "observer", "client"];
const secret = "[A-Za-z0-9_-]{43}";
const form = `mk[tswojc]_${secret}|mkb_${secret}\\.${secret}`;
const wholeForm = new RegExp(`^(?:${form})$`);
const anywhere = new RegExp(`(?=(${form}))`, "g");
