import { inParallel } from "./in-parallel.js";

/** A session and the credential of a team in it. */
export interface TeamInSession {
  readonly session_id: string;
  readonly team_id: string;
  /** The end of the feed after the last team had joined. */
  readonly end: number;
}

/** Parallel calls share commits. More parallel calls would only wait for each other. */
const parallel = 32;

/** Creates sessions with this number of teams each. Returns a place for each team, session by session. */
export async function openSessions(
  url: string,
  { sessions, teams }: { sessions: number; teams: number },
): Promise<TeamInSession[]> {
  const opened = await inParallel(
    Array.from({ length: sessions }, (_, index) => index),
    parallel,
    (index) => openSession(url, `Bench ${index + 1}`, teams),
  );
  return opened.flat();
}

async function openSession(url: string, title: string, teams: number): Promise<TeamInSession[]> {
  const first = await ask(`${url}/api/sessions`, { title, creator_team_name: "Bench 1" });
  const joined = [first];
  for (let team = 2; team <= teams; team += 1) {
    joined.push(await ask(`${url}/api/sessions/${first.session_id}/join`, { team_name: `Bench ${team}` }));
  }
  const end = joined.at(-1)?.cursor ?? 0;
  return joined.map(({ session_id, team_id }) => ({ session_id, team_id, end }));
}

interface JoinReply {
  readonly session_id: string;
  readonly team_id: string;
  readonly cursor: number;
}

async function ask(url: string, body: object): Promise<JoinReply> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`);
  // Both operations return the fields of `Joined`, among others.
  return answer as JoinReply;
}
