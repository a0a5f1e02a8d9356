import * as z from "zod";
import { limits } from "../../core/limits.js";
import { retryable, SessionRef, StorableText, TeamName, Timestamp } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName } from "../../text/neutralise.js";
import { rules } from "./rules.js";

export { ClientMetadata } from "./client-metadata.js";

const operation = describeOperations(rules);

/**
 * The fields of a client's authorization request, which a member approves or denies (RFC 6749, 7636 and
 * 8707).
 */
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
    description: "MCP endpoint for which the token is valid.",
  }),
  state: StorableText.max(2_000).optional(),
};

export const previewClient = operation("preview_client", {
  summary: "Read which client requests OAuth access, by its own description, and which host gets the answer.",
  unlisted: true,
  input: z.strictObject(clientRequest),
  output: z.object({
    name: z.string().meta({ description: "The client's own name, which is not verified." }),
    redirect_host: z.string().meta({ description: "Host that receives the token." }),
    refuse_to: z.string().meta({ description: "Address that informs the client of a refusal." }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ name, redirect_host }) =>
    `client ${formatInlineName(name)} at ${formatInlineName(redirect_host)}`,
});

export const approveClient = operation("approve_client", {
  summary:
    "Authorise an OAuth client as one team in one session; revoke_token ends it. It never acts as you.",
  unlisted: true,
  input: z.strictObject({
    session_id: SessionRef,
    team_name: TeamName.meta({ description: "Your team of that name, or a new team." }),
    ...clientRequest,
    ...retryable,
  }),
  output: z.object({
    token_id: z.int(),
    team_name: z.string(),
    redirect_to: z.string().meta({ description: "Address that brings the client its one-time code." }),
    expires_at: Timestamp.meta({ description: "When the code expires." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found", "conflict", "session_closed"],
  compact: ({ token_id, team_name }) => `token ${token_id} is for ${formatInlineName(team_name)}`,
});
