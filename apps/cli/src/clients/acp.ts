import { join } from "node:path";
import { usageError } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import { toPipeName } from "../core/platform.js";
import type { Client, LaunchCall, LaunchedAgent, LaunchTarget } from "./client.js";
import { formatIntroduction } from "./introduction.js";
import { toPeerEnvironment, toPeerServer } from "./launch-server.js";

/**
 * Any agent that speaks the Agent Client Protocol (ACP). It has no terminal of its own: the launch prompts it, and
 * prompts are also how it gets messages.
 */
export const acp: Client = {
  name: "acp",
  label: "The ACP agent",
  // The user names it after `--`.
  program: "",
  installAdvice: "install the agent, then: merkle launch --client acp -- <its ACP command>",
  updateAdvice: "update the agent",
  // Each agent introduces itself to its MCP servers by its own name.
  mcpName: "",
  hint: undefined,
  isDriven: true,
  hasSocketHooks: true,
  getWakeAbility: () => ({ paths: ["inbox", "hooks", "wait"], advice: undefined }),
  configure: () => [],
  findResumeTarget: () => undefined,
  resume: () => [],
  launch,
  deliver: (_event, text) => ({ text }),
  openInbox: ({ attached }) => attached,
};

async function launch(target: LaunchTarget, agent: LaunchedAgent): Promise<LaunchCall> {
  if (agent.model !== undefined)
    throw usageError("--model is for clients that merkle knows: pass the agent's own flag after --.");
  const { command, args, env } = toPeerServer(target, agent);
  const name = `${target.storedPeerId}.acp`;
  const socket = toPipeName(name) ?? join(homeFiles.launch(target.home), name);
  return {
    // The first word is the program.
    args: agent.userArgs.slice(1),
    env: toPeerEnvironment(target),
    files: [],
    acp: {
      // Some agents pass on only a few variables of their own environment. Claude's passes on its conversation, which
      // must not select the peer.
      server: { command, args, env: { ...env, MERKLE_ACP_SOCKET: socket, CLAUDE_CODE_SESSION_ID: "" } },
      socket,
      introduction: formatIntroduction({
        session: target.slug,
        team: target.teamName,
        peer: target.peerName,
      }),
    },
  };
}
