import type { ExtendedServer, ServerExtension } from "../../mcp/extension.js";
import type { PeerSession } from "../../mcp/peer-sessions.js";
import { findOwnLaunch } from "./own-launch.js";
import { recogniseOwnWords } from "./recognise.js";

/** Makes the MCP server publish what its peers' launches are bound to, and recognise their user's words. */
export function extendServer({ link, config: { home }, log }: ExtendedServer): ServerExtension {
  async function publish(team: PeerSession): Promise<void> {
    const stored = findOwnLaunch(home, team.storedPeerId);
    if (!stored || team.isClosed) return;
    const { sessionId: session_id, name: team_name, credential: team_id } = team;
    const own_words = { launch: stored.launch, devices: stored.devices };
    await link.call("join_session", { session_id, team_name, team_id, own_words });
  }

  function publishQuietly(team: PeerSession): void {
    publish(team).catch((error: unknown) => {
      log(`whose words count for ${team.address} could not be published: ${String(error)}`);
    });
  }

  return {
    onPeer: publishQuietly,
    refresh(team, kind) {
      if (kind === undefined) publishQuietly(team);
    },
    recognise: ({ storedPeerId, sessionId }, message) =>
      recogniseOwnWords(message, { home, storedPeerId, sessionId, now: new Date() }),
  };
}
