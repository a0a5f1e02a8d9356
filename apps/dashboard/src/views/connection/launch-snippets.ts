import { quoteForShell } from "@/core/quote-for-shell";

const clients = [
  { id: "claude", label: "Claude Code" },
  { id: "codex", label: "Codex" },
  { id: "opencode", label: "OpenCode" },
  { id: "copilot", label: "Copilot CLI" },
  { id: "gemini", label: "Gemini CLI" },
] as const;

/** The line that starts an agent of each client in a session that is there, or in a new one. */
export function launchSnippets(to: { readonly session: string } | { readonly title: string }) {
  const isNew = "title" in to;
  const session = isNew ? `--new ${quoteForShell(to.title)}` : `--session ${to.session}`;
  return clients.map(({ id, label }) => ({
    id,
    label,
    text: `merkle launch ${id === "claude" ? "" : `--client ${id} `}${session}`,
    note: isNew
      ? `Starts ${label} in a session of its own; this page shows it at once.`
      : `Starts ${label} in the session, on any machine that reaches this broker.`,
  }));
}
