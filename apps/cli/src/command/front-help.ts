/**
 * The commands that help shows first, in words of their own: a line each that a terminal of 60 columns does not break. All the
 * others are found by a topic.
 */
export const frontCommands: readonly FrontGroup[] = [
  {
    title: "Begin",
    rows: [
      ["up", "start the broker and its dashboard"],
      ["demo", "see two agents and a person at work"],
      ["launch", "start an agent in a session"],
      ["install", "add Merkle to an agent client"],
      ["invite, join", "invite people; join with an invite"],
    ],
  },
  {
    title: "See",
    rows: [
      ["inbox", "what needs you"],
      ["brief", "what changed since you last read"],
      ["agents", "agents and their work, in all sessions"],
      ["ls, show", "list sessions; show one"],
      ["watch, tail", "follow a session; print its messages"],
      ["search", "find messages, work and memories"],
    ],
  },
  {
    title: "Take part",
    rows: [
      ["new", "start a session"],
      ["post", "post, ask, decide, answer"],
      ["doc", "the document, its comments and proposals"],
      ["tasks, claims", "tasks; files agents have claimed"],
      ["approvals", "answer your agents' permission requests"],
      ["hold, resume", "pause agents; resume them"],
      ["conclude", "end a session with a conclusion"],
      ["export, verify", "a record that anyone can verify"],
    ],
  },
  {
    title: "This machine",
    rows: [
      ["whoami", "your name and broker here"],
      ["doctor, logs", "diagnose problems; broker logs"],
    ],
  },
];

interface FrontGroup {
  readonly title: string;
  /** One command or two that belong together, and what it is for. */
  readonly rows: readonly (readonly [commands: string, words: string])[];
}
