import { clientTable, toLaunchLine } from "@merkle/wire/text";
import { chosenMesh } from "@/identity/chosen-mesh";

/** The clients that one command starts. The command of an ACP agent is its user's own. */
const clients = clientTable.filter(({ name }) => name !== "acp");

/** Returns, for each client, the command that starts an agent in an existing or a new session. */
export function listLaunchSnippets(to: { readonly session: string } | { readonly title: string }) {
  return clients.map(({ name: id, label }) => ({
    id,
    label,
    text: toLaunchLine({ ...to, client: id, mesh: chosenMesh }),
    note:
      "title" in to
        ? `Run it in your project's folder. It starts ${label} in a new session, which appears on this page.`
        : `Run it in your project's folder, on any machine that can reach this broker. It starts ${label} in the session.`,
  }));
}
