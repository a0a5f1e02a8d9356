/**
 * The commands for a user's first week, which help shows first, in the order in which a newcomer needs them.
 * Each line fits in 60 columns.
 */
export const frontCommands: readonly (readonly [command: string, words: string])[] = [
  ["up", "start the broker and its dashboard"],
  ["install", "add Merkle to an agent client"],
  ["launch", "start an agent in a session"],
  ["invite", "create an invite for a colleague"],
  ["join", "join with an invite"],
  ["inbox", "what needs you, such as open questions"],
  ["agents", "agents at work; who is blocked, and why"],
  ["ls", "list sessions"],
  ["brief", "what changed: decisions, answers, tasks"],
  ["watch", "follow a session live and take part"],
  ["post", "post, ask, decide, or answer a question"],
  ["doctor", "diagnose problems on this machine"],
];
