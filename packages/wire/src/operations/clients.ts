import * as z from "zod";
import { limits } from "../core/limits.js";
import { retryable, SessionRef, StorableText, TeamName, Timestamp } from "../core/values.js";
import { nameInLine } from "../text/neutralise.js";
import { operation } from "./operation.js";

/** What a client asks a member for, as its authorization request says it (RFC 6749, 7636 and 8707). */
const clientRequest = {
  client_id: StorableText.min(1)
    .max(10_000)
    .meta({ description: "As the client was registered (RFC 7591)." }),
  redirect_uri: StorableText.min(1).max(limits.clientRedirectCharsMax),
  response_type: z.literal("code"),
  code_challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/, {
    error: "must be a SHA-256 in base64url without padding",
  }),
  code_challenge_method: z.literal("S256"),
  resource: StorableText.max(limits.urlCharsMax).meta({
    description: "The MCP endpoint that the token is to be good for.",
  }),
  state: StorableText.max(2_000).optional(),
};

export const previewClient = operation("preview_client", {
  summary:
    "Read which client asks to be let in by OAuth, as it says itself, and to which host the answer goes.",
  unlisted: true,
  input: z.strictObject(clientRequest),
  output: z.object({
    name: z.string().meta({ description: "What the client calls itself; nobody has checked it." }),
    redirect_host: z.string().meta({ description: "Whoever is there gets the token." }),
    refuse_to: z.string().meta({ description: "The address that tells the client of a refusal." }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ name, redirect_host }) => `client ${nameInLine(name)} at ${nameInLine(redirect_host)}`,
});

export const approveClient = operation("approve_client", {
  summary:
    "Let a client in by OAuth, as one team in one session and nowhere else; revoke_token ends that. It is never you.",
  unlisted: true,
  input: z.strictObject({
    session_id: SessionRef,
    team_name: TeamName.meta({ description: "Your own team of that name, else a new one." }),
    ...clientRequest,
    ...retryable,
  }),
  output: z.object({
    token_id: z.int(),
    team_name: z.string(),
    redirect_to: z.string().meta({ description: "The address that brings the client its code, good once." }),
    expires_at: Timestamp.meta({ description: "Of the code." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found", "conflict", "session_closed"],
  compact: ({ token_id, team_name }) => `token ${token_id} is for ${nameInLine(team_name)}`,
});
