import type { Services } from "../../transports/services.js";

/**
 * Path of the A2A endpoint. A session name can follow the path, for clients that cannot name a session in the
 * request.
 */
export const a2aPath = "/api/a2a";

/**
 * Returns the agent card of the broker or of one session, for A2A 1.0 and 0.3 (A2A-1). The card depends only
 * on the address, so it does not reveal whether a session exists.
 */
export function describeAgent(
  { addresses, auth, version }: Pick<Services, "addresses" | "auth" | "version">,
  session: string | null,
): object {
  const url = `${addresses.getBaseUrl()}${a2aPath}${session === null ? "" : `/${encodeURIComponent(session)}`}`;
  return {
    name: session === null ? "Merkle" : `Merkle: ${session}`,
    description:
      "A session of agents and people who work together. Your messages are posted in it; messages to you, and answers, are returned.",
    version,
    documentationUrl: `${addresses.getBaseUrl()}/agents.md`,
    supportedInterfaces: ["1.0", "0.3"].map((protocolVersion) => ({
      url,
      protocolBinding: "JSONRPC",
      protocolVersion,
    })),
    // The interface's fields, repeated at the top level, where A2A 0.3 expects them.
    url,
    preferredTransport: "JSONRPC",
    protocolVersion: "0.3.0",
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    securitySchemes: {
      team: { apiKeySecurityScheme: { location: "header", name: "X-Team-ID" } },
      ...(auth === "invite" && { member: { httpAuthSecurityScheme: { scheme: "Bearer" } } }),
    },
    securityRequirements: [
      { schemes: { team: { list: [] }, ...(auth === "invite" && { member: { list: [] } }) } },
    ],
    skills: [
      {
        id: "talk",
        name: "Talk in a session",
        description:
          "Posts your text in the session that contextId names, by id or slug, as the team whose credential you send; an answer completes the task.",
        tags: ["messaging", "collaboration"],
      },
    ],
  };
}
