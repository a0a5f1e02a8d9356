import * as z from "zod";
import { limits } from "../../core/limits.js";
import { TeamName } from "../../core/values.js";

/** The metadata that a client registers with (RFC 7591). Only the fields that Merkle uses are stored. */
export const ClientMetadata = z.object({
  client_name: TeamName.default("A client without a name"),
  redirect_uris: z
    .array(
      z.string().max(limits.clientRedirectCharsMax).refine(isRedirectUri, {
        error:
          "must be https, or http on this machine (localhost, 127.0.0.1, [::1]), without user and fragment, and in the form that a URL parser returns",
      }),
    )
    .min(1)
    .max(limits.clientRedirectsMax),
  token_endpoint_auth_method: z
    .literal("none", { error: 'must be "none": clients have no secret here' })
    .default("none"),
});

/**
 * Returns true if a code may be sent to this URI: only the owner of a host's certificate, or a program on the
 * person's own machine, can receive it there. A URI that parsers rewrite, for example because it contains a
 * backslash or tab, is refused: a person and a browser might see different hosts in it.
 */
function isRedirectUri(text: string): boolean {
  const uri = URL.canParse(text) ? new URL(text) : null;
  if (!uri || (uri.href !== text && uri.href !== `${text}/`)) return false;
  if (text.includes("#") || uri.username !== "" || uri.password !== "") return false;
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(uri.hostname);
  return uri.protocol === "https:" || (uri.protocol === "http:" && isLocal);
}
