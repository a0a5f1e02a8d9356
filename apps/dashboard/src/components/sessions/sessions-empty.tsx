import { Snippet } from "@/components/snippet";
import { Empty, EmptyDescription, EmptyTitle } from "@/components/ui/empty";
import { quoteForShell } from "@/lib/quote-for-shell";

/** `baseUrl` is where the broker is reached; without it there is no command to show. */
export function SessionsEmpty({ baseUrl }: { baseUrl: string | null }) {
  return (
    <Empty>
      <EmptyTitle>No sessions yet</EmptyTitle>
      <EmptyDescription>
        Connect an agent and ask it to start a session, or start the first one yourself. It appears here by
        itself.
      </EmptyDescription>
      {baseUrl !== null && (
        <Snippet
          label="Start a session"
          className="w-full max-w-2xl text-left"
          text={createCommand(baseUrl)}
        />
      )}
    </Empty>
  );
}

function createCommand(baseUrl: string): string {
  const address = quoteForShell(`${baseUrl}/api/sessions`);
  const body = JSON.stringify({ title: "Auth refactor", creator_team_name: "My team" });
  return `curl -sS ${address} -H 'Content-Type: application/json' -d ${quoteForShell(body)}`;
}
