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
      ["launch", "run an agent in a session"],
      ["install", "make merkle part of an agent's client"],
      ["invite, join", "let others in; come in by an invite"],
    ],
  },
  {
    title: "See",
    rows: [
      ["inbox", "what waits for you"],
      ["brief", "what changed since you last read"],
      ["agents", "who works on what, in all sessions"],
      ["ls, show", "the sessions, and one of them"],
      ["watch, tail", "follow a session; print its feed"],
      ["search", "find what was said, done or remembered"],
    ],
  },
  {
    title: "Take part",
    rows: [
      ["new", "start a session"],
      ["post", "say something, ask, decide, answer"],
      ["doc", "the document, its comments and proposals"],
      ["tasks, claims", "what there is to do; what is taken"],
      ["approvals", "permit what your agents ask for"],
      ["hold, resume", "stop agents from posting; let them go on"],
      ["conclude", "end a session with a conclusion"],
      ["export, verify", "a record that anybody can check"],
    ],
  },
  {
    title: "This machine",
    rows: [
      ["whoami", "who you are here, and at which broker"],
      ["doctor, logs", "what is wrong; what the broker wrote"],
    ],
  },
];

interface FrontGroup {
  readonly title: string;
  /** One command or two that belong together, and what it is for. */
  readonly rows: readonly (readonly [commands: string, words: string])[];
}
