import type { Session } from "@merkle/wire";
import { useRead } from "@/broker/use-read";

const namedMax = 3;

/** The sessions with running agents, and their teams. Running agents keep the address that they were started with. */
export function RunningPeers() {
  const { data } = useRead("list_sessions", { status: "active", limit: 200 }, { on: ["sessions"] });
  const busySessions = (data?.sessions ?? [])
    .map((session) => ({ session, teams: listRunning(session) }))
    .filter(({ teams }) => teams.length > 0);
  if (busySessions.length === 0) return null;
  const hiddenCount = busySessions.length - namedMax;
  return (
    <div className="text-sm text-muted-foreground">
      <p>After a change, running peers use the old URL until you relaunch them:</p>
      <ul className="list-disc ps-5">
        {busySessions.slice(0, namedMax).map(({ session, teams }) => (
          <li key={session.session_id} className="[overflow-wrap:anywhere]">
            {teams.slice(0, namedMax).map((team, index) => (
              <span key={team}>
                {index > 0 && ", "}
                <bdi className="font-medium text-foreground">{team}</bdi>
              </span>
            ))}
            {teams.length > namedMax && ` and ${teams.length - namedMax} more`} in <bdi>{session.title}</bdi>
          </li>
        ))}
        {hiddenCount > 0 && (
          <li>
            and in {hiddenCount} more {hiddenCount === 1 ? "session" : "sessions"}
          </li>
        )}
      </ul>
    </div>
  );
}

function listRunning({ present }: Session): readonly string[] {
  return present
    .filter(({ kind, status }) => kind === "agent" && status !== "disconnected")
    .map(({ team_name }) => team_name);
}
