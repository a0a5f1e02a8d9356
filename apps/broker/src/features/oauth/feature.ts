import type { Feature } from "../../feature.js";
import { approveClient, previewClient } from "./approve-client.js";
import { formatMetadataUrl, mountOAuth } from "./mount-oauth.js";

/** OAuth for hosted MCP clients. */
export const oauthFeature = {
  name: "oauth",
  needs: [],
  handlers: {
    preview_client: previewClient,
    approve_client: approveClient,
  },
  mount: mountOAuth,
  toMetadataUrl: formatMetadataUrl,
} satisfies Feature;
