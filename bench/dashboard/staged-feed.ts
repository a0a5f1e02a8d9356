import { inParallel } from "../in-parallel.js";
import type { LiveBroker } from "./measurement.js";

/** A session with a feed to measure. */
export interface StagedFeed {
  readonly session_id: string;
  readonly slug: string;
  /** The sequence of the last staged message. */
  readonly last: number;
  /** Posts a message. Resolves with its sequence once the broker has stored it. */
  post(text: string): Promise<number>;
}

/** Number of posts in flight. Concurrent posts share commits. */
const atOnce = 400;

/**
 * Creates a session and posts the given number of messages. Every tenth message contains a list and code, like messages
 * from agents.
 */
export async function stageFeed(
  { client }: LiveBroker,
  title: string,
  messages: number,
): Promise<StagedFeed> {
  const { session_id, slug, team_id } = await client.call("create_session", {
    title,
    creator_team_name: "Atlas",
  });
  const teams = [team_id];
  for (const team_name of ["Birch", "Cedar"]) {
    teams.push((await client.call("join_session", { session_id, team_name })).team_id);
  }
  async function say(text: string, by = team_id): Promise<number> {
    return (await client.call("post_message", { session_id, team_id: by, content: { text } })).cursor;
  }
  // The feed also contains the join messages of the two other teams.
  const said = await inParallel(
    Array.from({ length: messages - 2 }, (_, index) => index),
    atOnce,
    (index) => say(textOf(index), teams[index % teams.length]),
  );
  return {
    session_id,
    slug,
    last: said.reduce((last, each) => Math.max(last, each), 0),
    post: (text) => say(text),
  };
}

export const words =
  "token issuer gateway migration staging key rollback client review merge deploy window".split(" ");

function textOf(index: number): string {
  const sentence = Array.from(
    { length: 8 + ((index * 7) % 40) },
    (_, place) => words[(index * 13 + place * place) % words.length],
  ).join(" ");
  if (index % 10 !== 0) return `${index}: ${sentence}.`;
  return `${index}: ${sentence}:\n\n- **first** ${words[index % 12]}\n- second \`auth/0007\`\n\n\`\`\`ts\nconst token = await issue(${index});\n\`\`\``;
}
