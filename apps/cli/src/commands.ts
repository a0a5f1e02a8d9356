import type { Command, CommandEntry, CommandGroup } from "./command/command.js";
import { commandDescriptions } from "./command-descriptions.js";

/**
 * All commands, in the groups and the order in which help lists them. A command's file is loaded when it is run; until then
 * its description does, which `npm run docs` takes from the file.
 */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: "Broker",
    topic: "broker",
    commands: [
      entry("demo", async () => (await import("./commands/demo.js")).demo),
      entry("up", async () => (await import("./commands/up.js")).up),
      entry("down", async () => (await import("./commands/down.js")).down),
      entry("nodes", async () => (await import("./commands/nodes.js")).nodes),
      entry("status", async () => (await import("./commands/status.js")).status),
      entry("logs", async () => (await import("./commands/logs.js")).logs),
      entry("backup", async () => (await import("./commands/backup.js")).backup),
      entry("restore", async () => (await import("./commands/restore.js")).restore),
      entry("gc", async () => (await import("./commands/gc.js")).gc),
      entry("upgrade", async () => (await import("./commands/upgrade.js")).upgrade),
      entry("service install", async () => (await import("./commands/service/install.js")).serviceInstall),
      entry("service status", async () => (await import("./commands/service/status.js")).serviceStatus),
      entry("service logs", async () => (await import("./commands/service/logs.js")).serviceLogs),
      entry(
        "service uninstall",
        async () => (await import("./commands/service/uninstall.js")).serviceUninstall,
      ),
      entry("audit-key show", async () => (await import("./commands/audit-key/show.js")).auditKeyShow),
      entry("audit-key rotate", async () => (await import("./commands/audit-key/rotate.js")).auditKeyRotate),
    ],
  },
  {
    title: "Sessions",
    topic: "sessions",
    commands: [
      entry("inbox", async () => (await import("./commands/inbox.js")).inbox),
      entry("ls", async () => (await import("./commands/ls.js")).ls),
      entry("show", async () => (await import("./commands/show.js")).show),
      entry("open", async () => (await import("./commands/open.js")).open),
      entry("new", async () => (await import("./commands/new.js")).newSession),
      entry("watch", async () => (await import("./commands/watch.js")).watch),
      entry("brief", async () => (await import("./commands/brief.js")).brief),
      entry("undelivered", async () => (await import("./commands/undelivered.js")).undelivered),
      entry("usage", async () => (await import("./commands/usage.js")).usage),
      entry("tail", async () => (await import("./commands/tail.js")).tail),
      entry("post", async () => (await import("./commands/post.js")).post),
      entry("redact", async () => (await import("./commands/redact.js")).redact),
      entry("rename", async () => (await import("./commands/rename.js")).rename),
      entry("conclude", async () => (await import("./commands/conclude.js")).conclude),
      entry("seal", async () => (await import("./commands/seal.js")).seal),
    ],
  },
  {
    title: "Record",
    topic: "records",
    commands: [
      entry("export", async () => (await import("./commands/export.js")).exportCommand),
      entry("archive", async () => (await import("./commands/archive.js")).archive),
      entry("unarchive", async () => (await import("./commands/unarchive.js")).unarchive),
      entry("import", async () => (await import("./commands/import.js")).importCommand),
      entry("verify", async () => (await import("./commands/verify.js")).verify),
    ],
  },
  {
    title: "People and agents",
    topic: "people",
    commands: [
      entry("agents", async () => (await import("./commands/agents.js")).agents),
      entry("peers", async () => (await import("./commands/peers.js")).peers),
      entry("verify-peer", async () => (await import("./commands/verify-peer.js")).verifyPeer),
      entry("nudge", async () => (await import("./commands/nudge.js")).nudge),
      entry("hold", async () => (await import("./commands/hold.js")).hold),
      entry("resume", async () => (await import("./commands/resume.js")).resume),
    ],
  },
  {
    title: "Access",
    topic: "access",
    commands: [
      entry("join", async () => (await import("./commands/join.js")).join),
      entry("invite", async () => (await import("./commands/invite.js")).invite),
      entry("invite list", async () => (await import("./commands/invite/list.js")).inviteList),
      entry("invite revoke", async () => (await import("./commands/invite/revoke.js")).inviteRevoke),
      entry("members", async () => (await import("./commands/members.js")).members),
      entry("member revoke", async () => (await import("./commands/member/revoke.js")).memberRevoke),
      entry("observe", async () => (await import("./commands/observe.js")).observe),
      entry("token create", async () => (await import("./commands/token/create.js")).tokenCreate),
      entry("token list", async () => (await import("./commands/token/list.js")).tokenList),
      entry("token revoke", async () => (await import("./commands/token/revoke.js")).tokenRevoke),
      entry("person export", async () => (await import("./commands/person/export.js")).personExport),
      entry("person erase", async () => (await import("./commands/person/erase.js")).personErase),
      entry("mesh create", async () => (await import("./commands/mesh/create.js")).meshCreate),
      entry("mesh quota", async () => (await import("./commands/mesh/quota.js")).meshQuota),
      entry("mesh list", async () => (await import("./commands/mesh/list.js")).meshList),
    ],
  },
  {
    title: "Document",
    topic: "document",
    commands: [
      entry("doc show", async () => (await import("./commands/doc/show.js")).docShow),
      entry("doc append", async () => (await import("./commands/doc/append.js")).docAppend),
      entry("doc edit", async () => (await import("./commands/doc/edit.js")).docEdit),
      entry("doc history", async () => (await import("./commands/doc/history.js")).docHistory),
      entry("doc diff", async () => (await import("./commands/doc/diff.js")).docDiff),
      entry("doc topics", async () => (await import("./commands/topics/topics.js")).docTopics),
      entry("doc comment", async () => (await import("./commands/topics/comment.js")).docComment),
      entry("doc reply", async () => (await import("./commands/topics/reply.js")).docReply),
      entry("doc proposals", async () => (await import("./commands/proposals/proposals.js")).docProposals),
      entry("doc accept", async () => (await import("./commands/proposals/accept.js")).docAccept),
      entry("doc reject", async () => (await import("./commands/proposals/reject.js")).docReject),
      entry("doc return", async () => (await import("./commands/proposals/return.js")).docReturn),
      entry("doc rebase", async () => (await import("./commands/proposals/rebase.js")).docRebase),
    ],
  },
  {
    title: "Files under Git",
    topic: "git",
    commands: [
      entry("source list", async () => (await import("./commands/source/list.js")).sourceList),
      entry("source show", async () => (await import("./commands/source/show.js")).sourceShow),
      entry("source topics", async () => (await import("./commands/topics/topics.js")).sourceTopics),
      entry("source comment", async () => (await import("./commands/topics/comment.js")).sourceComment),
      entry("source reply", async () => (await import("./commands/topics/reply.js")).sourceReply),
      entry(
        "source incorporate",
        async () => (await import("./commands/source/incorporate.js")).sourceIncorporate,
      ),
      entry(
        "source proposals",
        async () => (await import("./commands/proposals/proposals.js")).sourceProposals,
      ),
      entry("source accept", async () => (await import("./commands/proposals/accept.js")).sourceAccept),
      entry("source reject", async () => (await import("./commands/proposals/reject.js")).sourceReject),
      entry("source return", async () => (await import("./commands/proposals/return.js")).sourceReturn),
      entry("source rebase", async () => (await import("./commands/proposals/rebase.js")).sourceRebase),
    ],
  },
  {
    title: "Tasks, claims and approvals",
    topic: "work",
    commands: [
      entry("tasks", async () => (await import("./commands/tasks/tasks.js")).tasks),
      entry("task add", async () => (await import("./commands/tasks/add.js")).taskAdd),
      entry("task claim", async () => (await import("./commands/tasks/claim.js")).taskClaim),
      entry("task done", async () => (await import("./commands/tasks/done.js")).taskDone),
      entry("task block", async () => (await import("./commands/tasks/block.js")).taskBlock),
      entry("approvals", async () => (await import("./commands/approvals.js")).approvals),
      entry("claims", async () => (await import("./commands/claims.js")).claims),
    ],
  },
  {
    title: "State, memory and progress",
    topic: "knowledge",
    commands: [
      entry("state list", async () => (await import("./commands/state/list.js")).stateList),
      entry("state get", async () => (await import("./commands/state/get.js")).stateGet),
      entry("state set", async () => (await import("./commands/state/set.js")).stateSet),
      entry("state unset", async () => (await import("./commands/state/unset.js")).stateUnset),
      entry("state watch", async () => (await import("./commands/state/watch.js")).stateWatch),
      entry("remember", async () => (await import("./commands/remember.js")).remember),
      entry("recall", async () => (await import("./commands/recall.js")).recall),
      entry("forget", async () => (await import("./commands/forget.js")).forget),
      entry("search", async () => (await import("./commands/search.js")).search),
      entry("progress log", async () => (await import("./commands/progress/log.js")).progressLog),
      entry("progress search", async () => (await import("./commands/progress/search.js")).progressSearch),
      entry("progress show", async () => (await import("./commands/progress/show.js")).progressShow),
    ],
  },
  {
    title: "Jobs",
    topic: "headless",
    commands: [
      entry("jobs run", async () => (await import("./commands/jobs/run.js")).jobsRun),
      entry("jobs list", async () => (await import("./commands/jobs/list.js")).jobsList),
      entry("jobs show", async () => (await import("./commands/jobs/show.js")).jobsShow),
      entry("jobs cancel", async () => (await import("./commands/jobs/cancel.js")).jobsCancel),
      entry("runner", async () => (await import("./commands/runner.js")).runner),
      entry("perspective", async () => (await import("./commands/perspective.js")).perspective),
    ],
  },
  {
    title: "Agents",
    topic: "clients",
    commands: [
      entry("launch", async () => (await import("./commands/launch.js")).launch),
      entry("install", async () => (await import("./commands/install.js")).install),
      entry("uninstall", async () => (await import("./commands/uninstall.js")).uninstall),
      entry("mcp", async () => (await import("./commands/mcp.js")).mcp),
      entry("hook mail", async () => (await import("./commands/hook.js")).hookMail),
      entry("hook approval", async () => (await import("./commands/hook-approval.js")).hookApproval),
      entry("hook event", async () => (await import("./commands/hook-event.js")).hookEvent),
      entry("hook session-start", async () => (await import("./commands/hook.js")).hookSessionStart),
    ],
  },
  {
    title: "This machine",
    topic: "machine",
    commands: [
      entry("config get", async () => (await import("./commands/config/get.js")).configGet),
      entry("config set", async () => (await import("./commands/config/set.js")).configSet),
      entry("config edit", async () => (await import("./commands/config/edit.js")).configEdit),
      entry("config list", async () => (await import("./commands/config/list.js")).configList),
      entry("config path", async () => (await import("./commands/config/path.js")).configPath),
      entry("whoami", async () => (await import("./commands/whoami.js")).whoami),
      entry("trust", async () => (await import("./commands/trust.js")).trust),
      entry("doctor", async () => (await import("./commands/doctor.js")).doctor),
      entry("completion", async () => (await import("./commands/completion.js")).completion),
      entry("version", async () => (await import("./commands/version.js")).version),
    ],
  },
];

/** Those that people run. */
export const commands: readonly CommandEntry[] = commandGroups
  .flatMap((group) => group.commands)
  .filter((each) => !each.hidden);

function entry(name: string, load: () => Promise<Command>): CommandEntry {
  return { name, load, ...(commandDescriptions[name] ?? { summary: "", examples: [] }) };
}
