import { toLaunchLine } from "@merkle/wire/text";
import { chosenMesh } from "@/identity/chosen-mesh";

const clients = [
  { id: "claude", label: "Claude Code" },
  { id: "codex", label: "Codex" },
  { id: "opencode", label: "OpenCode" },
  { id: "copilot", label: "Copilot CLI" },
  { id: "gemini", label: "Gemini CLI" },
] as const;

/** Returns, for each client, the command that starts an agent in an existing or a new session. */
export function listLaunchSnippets(to: { readonly session: string } | { readonly title: string }) {
  return clients.map(({ id, label }) => ({
    id,
    label,
    text: toLaunchLine({ ...to, client: id, mesh: chosenMesh }),
    note:
      "title" in to
        ? `Run it in your project's folder. It starts ${label} in a new session, which appears on this page.`
        : `Run it in your project's folder, on any machine that can reach this broker. It starts ${label} in the session.`,
  }));
}
