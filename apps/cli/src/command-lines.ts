import type { CommandLine } from "./command/command.js";

/** Generated from the commands' files by `npm run docs`. */
export const commandLines: Readonly<Record<string, CommandLine>> = {
  demo: {
    usage: "demo",
    summary: "watch two teams and a human work in a session: half a minute, no model, no key",
  },
  up: { usage: "up", summary: "start the broker on this machine" },
  down: { usage: "down", summary: "stop the broker of this Merkle home" },
  status: { usage: "status", summary: "say whether a broker runs, and what it holds" },
  backup: {
    usage: "backup <file>",
    summary: "write everything, as it is at this moment, to one file; the broker may go on running",
  },
  restore: {
    usage: "restore <file>",
    summary: "fill an empty Merkle home with a backup; its broker must be stopped",
  },
  "audit-key show": {
    usage: "audit-key show",
    summary: "show the keys that this machine's broker signs records with, for others to compare",
  },
  "audit-key rotate": {
    usage: "audit-key rotate",
    summary:
      "make the next key for signing records, vouched for by this one; taken at the broker's next start",
  },
  ls: { usage: "ls", summary: "list the sessions, the newest activity first" },
  show: { usage: "show [session]", summary: "show a session: its purpose, its state, who is there" },
  open: { usage: "open [session]", summary: "open the dashboard in the browser, and print its address" },
  "new": { usage: "new <title>", summary: "start a session" },
  watch: {
    usage: "watch [session]",
    summary: "show a session live: what needs you, who is there, and the feed below; take part",
  },
  tail: { usage: "tail [session]", summary: "print a session's feed as it grows" },
  post: {
    usage: "post [session] [text]",
    summary: "say something in a session, to everyone or to some; ask, decide, answer",
  },
  redact: {
    usage: "redact [session] [message]",
    summary: "remove the text of a message, or of earlier document versions, for good",
  },
  rename: {
    usage: "rename [session] [title]",
    summary: "change what a session is called or for; every team is told why",
  },
  conclude: {
    usage: "conclude [session] [text]",
    summary: "end a session for everyone, with a conclusion in its document",
  },
  seal: {
    usage: "seal [session]",
    summary: "show what the broker signs of a session's record, and what its conclusion sealed",
  },
  export: {
    usage: "export [session]",
    summary: "write a session to a file that can be verified, read, or imported elsewhere",
  },
  import: {
    usage: "import <file>",
    summary: "bring a bundle into this mesh, to be read; the same one again changes nothing",
  },
  verify: {
    usage: "verify <what>",
    summary: "check that a session's record is what was signed, here and without trusting the broker",
  },
  peers: {
    usage: "peers [session]",
    summary: "show who is in a session: what each says it does, and when it was seen",
  },
  "verify-peer": {
    usage: "verify-peer <peer>",
    summary: "compare keys with a peer's human, and accept a key that has changed",
  },
  nudge: {
    usage: "nudge [session] [who]",
    summary: "wake a team, a peer or a @group so that it reads; says what was reached",
  },
  hold: {
    usage: "hold [session]",
    summary: "stop agents from posting until a human resumes; they still read",
  },
  resume: {
    usage: "resume [session]",
    summary: "end a hold, and let agents go on whose message budget is spent",
  },
  join: {
    usage: "join [invite]",
    summary: "become a member of a mesh by an invite: a link or a spoken code",
  },
  invite: {
    usage: "invite [session]",
    summary: "make an invite for somebody else: to a session, or to the mesh alone",
  },
  "invite list": {
    usage: "invite list",
    summary: "list invites, the newest first: your own, or as an admin all",
  },
  "invite revoke": {
    usage: "invite revoke <number>",
    summary: "end an invite, so that it lets nobody in any more; who came by it stays",
  },
  members: { usage: "members", summary: "list who belongs to the mesh" },
  "member revoke": {
    usage: "member revoke <member>",
    summary: "end a membership, with its tokens, invites and connections; for admins",
  },
  observe: {
    usage: "observe [session]",
    summary: "make a link for somebody who may look on in one session, and do nothing else",
  },
  "token create": {
    usage: "token create",
    summary: "get a token with which programs act for you over HTTP and MCP",
  },
  "token list": {
    usage: "token list",
    summary: "list tokens, signed-in browsers and observer links in force: your own, or as an admin all",
  },
  "token revoke": {
    usage: "token revoke <number>",
    summary: "end a token, a signed-in browser or an observer link, and what was got by it",
  },
  "mesh create": {
    usage: "mesh create <name>",
    summary: "make a mesh: a workspace of its own on this broker, apart from the others",
  },
  "mesh list": { usage: "mesh list", summary: "list the meshes of this broker that you are a member of" },
  "doc show": { usage: "doc show [session]", summary: "print the session's document as it is" },
  "doc append": { usage: "doc append [session] [text]", summary: "add text at the end of the document" },
  "doc edit": { usage: "doc edit [session]", summary: "change the document, in your editor or by flags" },
  "doc history": {
    usage: "doc history [session]",
    summary: "list the versions of the document, the newest first",
  },
  "doc diff": {
    usage: "doc diff [session] [versions]",
    summary: "show what changed in the document, where, and by whom",
  },
  "doc topics": {
    usage: "doc topics <session> [topic]",
    summary: "list what is commented on in the document, or print all that was said in one topic",
  },
  "doc comment": {
    usage: "doc comment <session> [text]",
    summary: "open a topic about the document, or about a place of it",
  },
  "doc reply": {
    usage: "doc reply <session> <topic> [text]",
    summary: "say something in a topic, close it or open it again",
  },
  "doc proposals": {
    usage: "doc proposals [session]",
    summary: "list the texts that are proposed for the document, to be decided about",
  },
  "doc accept": {
    usage: "doc accept <session> <number>",
    summary: "make a proposal the next version, whole, in part or edited; shows what it changes first",
  },
  "doc reject": {
    usage: "doc reject <session> <number> [remark]",
    summary: "reject a proposal; its topic stays open",
  },
  "doc return": {
    usage: "doc return <session> <number> [remark]",
    summary: "ask for changes of a proposal: an agent makes another revision",
  },
  "doc rebase": {
    usage: "doc rebase <session> <number>",
    summary: "bring a stale proposal onto the newest document, to be looked at again",
  },
  "source list": {
    usage: "source list [query]",
    summary: "list the files under Git that agents may work on, and what hinders a root of them",
  },
  "source show": { usage: "source show <root/path>", summary: "print a file under Git as agents read it" },
  "source topics": {
    usage: "source topics <root/path> [topic]",
    summary: "list what is commented on in a file under Git, or print all that was said in one topic",
  },
  "source comment": {
    usage: "source comment <root/path> [text]",
    summary: "open a topic about a file under Git, or about a place of it",
  },
  "source reply": {
    usage: "source reply <root/path> <topic> [text]",
    summary: "say something in a topic, close it or open it again",
  },
  "source incorporate": {
    usage: "source incorporate <root/path> <topic>",
    summary: "have a headless agent rewrite a file for a topic; what it writes is a proposal",
  },
  "source proposals": {
    usage: "source proposals <root/path>",
    summary: "list the texts that are proposed for a file, to be decided about",
  },
  "source accept": {
    usage: "source accept <number>",
    summary: "commit a proposal, whole, in part or edited, as the agent; shows what it changes first",
  },
  "source reject": {
    usage: "source reject <number> [remark]",
    summary: "reject a proposal; its topic stays open",
  },
  "source return": {
    usage: "source return <number> [remark]",
    summary: "ask for changes of a proposal: an agent makes another revision",
  },
  "source rebase": {
    usage: "source rebase <number>",
    summary: "bring a stale proposal onto the newest text of its file, to be looked at again",
  },
  "state list": {
    usage: "state list [session]",
    summary: "list the shared facts, with who set them and when",
  },
  "state get": { usage: "state get [session] [key]", summary: "print a shared fact as JSON" },
  "state set": {
    usage: "state set [session] [key] [value]",
    summary: "set a shared fact; who watches it is told",
  },
  "state unset": { usage: "state unset [session] [key]", summary: "delete a shared fact; its history stays" },
  "state watch": {
    usage: "state watch [session] [key]",
    summary: "print the changes of shared facts as they happen",
  },
  remember: {
    usage: "remember [text]",
    summary: "keep a lesson, a decision or a fact for all later sessions; prints its id",
  },
  recall: {
    usage: "recall [query]",
    summary: "search what was remembered, the best match first; without a query the newest",
  },
  forget: {
    usage: "forget <memory>",
    summary: "hide a memory that is wrong or out of date, or bring it back",
  },
  search: {
    usage: "search <query>",
    summary:
      "search messages, decisions, documents, memories, state, sessions, progress and comments, the best match first",
  },
  "progress log": {
    usage: "progress log <title> [text]",
    summary: "log what was done, and how; prints its id",
  },
  "progress search": {
    usage: "progress search [query]",
    summary: "list what was done in a project, the newest first; with words only titles that hold them",
  },
  "progress show": { usage: "progress show <id>", summary: "show what was done: in brief, then in full" },
  "jobs run": {
    usage: "jobs run <session> <conclude|incorporate|perspective>",
    summary: "have a headless agent work on a session's document; what it writes is a proposal",
  },
  "jobs list": {
    usage: "jobs list [session]",
    summary: "list the last jobs of a session, or of all, with what became of them",
  },
  "jobs show": {
    usage: "jobs show <number>",
    summary: "show a job: how it goes, what it made, or why it failed",
  },
  "jobs cancel": {
    usage: "jobs cancel <number>",
    summary: "cancel a job that waits or runs; its agent is stopped and writes nothing more",
  },
  runner: {
    usage: "runner",
    summary: "run jobs of a broker on this machine, with the Claude Code that is installed here",
  },
  perspective: {
    usage: "perspective <session> [persona]",
    summary: "print what a persona's reading of a session's document came to, or list the readings there are",
  },
  launch: {
    usage: "launch [claude-args...]",
    summary: "run Claude Code as a peer of a team in a session; asks for what is missing",
  },
  install: {
    usage: "install",
    summary: "make merkle part of an agent's client; shows what changes, and asks",
  },
  uninstall: {
    usage: "uninstall",
    summary: "take away what merkle install has put into the files of Claude Code, and nothing else",
  },
  mcp: { usage: "mcp", summary: "speak MCP over stdio, for an agent's client" },
  "hook session-start": {
    usage: "hook session-start",
    summary: "tell a conversation of a launched Claude Code who it is; run by its hooks",
    hidden: true,
  },
  "config get": { usage: "config get <setting>", summary: "print one setting of the broker" },
  "config set": {
    usage: "config set <setting> <value>",
    summary: "change one setting of the broker while it runs",
  },
  "config list": {
    usage: "config list",
    summary: "print the settings of the broker, and what this machine uses",
  },
  "config path": { usage: "config path", summary: "print where this machine's configuration file is" },
  trust: {
    usage: "trust",
    summary: "say that this project's settings, or a broker that has moved, are to be trusted",
  },
  doctor: { usage: "doctor", summary: "check this machine, and name a fix for each fault" },
  completion: {
    usage: "completion <bash|zsh|fish>",
    summary: "print what makes a shell complete commands, flags, sessions and peers",
  },
  version: { usage: "version", summary: "print the version" },
};
