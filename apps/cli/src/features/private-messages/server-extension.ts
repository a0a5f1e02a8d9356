import type { ExtendedServer, ServerExtension } from "../../mcp/extension.js";
import { createPrivateMail } from "./private-mail.js";

/**
 * Adds private messages to the MCP server, which encrypts and decrypts them for the peers that it acts for.
 */
export function extendServer({ link, config, log }: ExtendedServer): ServerExtension {
  const { publish, send, open } = createPrivateMail({ link, home: config.home, log });
  return {
    onPeer: publish,
    openMessage: open,
    refresh(team, kind) {
      if (kind === undefined) publish(team);
    },
    operations: {
      async send_message({ input, team, signal }) {
        if (input["private"] !== true) return undefined;
        return team && { output: await send(input, team, signal) };
      },
    },
  };
}
