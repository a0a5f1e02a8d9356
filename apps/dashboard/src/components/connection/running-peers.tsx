import type { Session } from "@merkle/wire";
import { useRead } from "@/lib/broker/use-read";

/** Which agents run now: these keep the address that they were started with. */
export function RunningPeers() {
  const { data } = useRead("list_sessions", { status: "active", limit: 200 }, { on: ["sessions"] });
  const running = (data?.sessions ?? []).flatMap(runningIn);
  if (running.length === 0) return null;
  return (
    <p className="text-sm text-muted-foreground">
      Running peers keep the old URL until they are relaunched:{" "}
      {running.map(({ id, team, session }, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <bdi className="font-medium text-foreground">{team}</bdi> in <bdi>{session}</bdi>
        </span>
      ))}
      .
    </p>
  );
}

function runningIn({ title, session_id, present }: Session): { id: string; team: string; session: string }[] {
  return present
    .filter(({ kind, status }) => kind === "agent" && status !== "disconnected")
    .map(({ team_id, team_name }) => ({ id: `${session_id} ${team_id}`, team: team_name, session: title }));
}
