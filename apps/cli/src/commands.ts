import type { CommandEntry, CommandGroup } from "./command/command.js";
import { commandDescriptions, type DescribedCommand } from "./command-descriptions.js";
import type { LoadCommand } from "./feature.js";
import { findFeature } from "./features.js";

/** A group of commands in help, with the commands that the core adds to it. */
interface CoreGroup {
  readonly title: string;
  /** The topic under which `merkle help <topic>` shows the group. */
  readonly topic: string;
  readonly commands: Readonly<Record<string, LoadCommand>>;
}

/**
 * The groups of commands, in the order in which help lists them. Features add their commands in their
 * `feature.ts`.
 */
export const coreGroups: readonly CoreGroup[] = [
  {
    title: "Broker",
    topic: "broker",
    commands: {
      up: async () => (await import("./commands/up.js")).up,
      down: async () => (await import("./commands/down.js")).down,
      nodes: async () => (await import("./commands/nodes.js")).nodes,
      status: async () => (await import("./commands/status.js")).status,
      logs: async () => (await import("./commands/logs.js")).logs,
      backup: async () => (await import("./commands/backup.js")).backup,
      restore: async () => (await import("./commands/restore.js")).restore,
      gc: async () => (await import("./commands/gc.js")).gc,
      upgrade: async () => (await import("./commands/upgrade.js")).upgrade,
      "service install": async () => (await import("./commands/service/install.js")).serviceInstall,
      "service status": async () => (await import("./commands/service/status.js")).serviceStatus,
      "service logs": async () => (await import("./commands/service/logs.js")).serviceLogs,
      "service uninstall": async () => (await import("./commands/service/uninstall.js")).serviceUninstall,
      "audit-key show": async () => (await import("./commands/audit-key/show.js")).auditKeyShow,
      "audit-key rotate": async () => (await import("./commands/audit-key/rotate.js")).auditKeyRotate,
    },
  },
  {
    title: "Sessions",
    topic: "sessions",
    commands: {
      inbox: async () => (await import("./commands/inbox.js")).inbox,
      ls: async () => (await import("./commands/ls.js")).ls,
      show: async () => (await import("./commands/show.js")).show,
      open: async () => (await import("./commands/open.js")).open,
      new: async () => (await import("./commands/new.js")).newSession,
      watch: async () => (await import("./commands/watch.js")).watch,
      undelivered: async () => (await import("./commands/undelivered.js")).undelivered,
      tail: async () => (await import("./commands/tail.js")).tail,
      post: async () => (await import("./commands/post.js")).post,
      rename: async () => (await import("./commands/rename.js")).rename,
      conclude: async () => (await import("./commands/conclude.js")).conclude,
    },
  },
  {
    title: "Record",
    topic: "records",
    commands: {},
  },
  {
    title: "People and agents",
    topic: "people",
    commands: {
      peers: async () => (await import("./commands/peers.js")).peers,
      nudge: async () => (await import("./commands/nudge.js")).nudge,
      hold: async () => (await import("./commands/hold.js")).hold,
      resume: async () => (await import("./commands/resume.js")).resume,
    },
  },
  {
    title: "Access",
    topic: "access",
    commands: {
      join: async () => (await import("./commands/join.js")).join,
      invite: async () => (await import("./commands/invite.js")).invite,
      "invite list": async () => (await import("./commands/invite/list.js")).inviteList,
      "invite revoke": async () => (await import("./commands/invite/revoke.js")).inviteRevoke,
      members: async () => (await import("./commands/members.js")).members,
      "member revoke": async () => (await import("./commands/member/revoke.js")).memberRevoke,
      observe: async () => (await import("./commands/observe.js")).observe,
      "token create": async () => (await import("./commands/token/create.js")).tokenCreate,
      "token list": async () => (await import("./commands/token/list.js")).tokenList,
      "token revoke": async () => (await import("./commands/token/revoke.js")).tokenRevoke,
      "person export": async () => (await import("./commands/person/export.js")).personExport,
      "person erase": async () => (await import("./commands/person/erase.js")).personErase,
      "mesh create": async () => (await import("./commands/mesh/create.js")).meshCreate,
      "mesh quota": async () => (await import("./commands/mesh/quota.js")).meshQuota,
      "mesh list": async () => (await import("./commands/mesh/list.js")).meshList,
    },
  },
  {
    title: "Document",
    topic: "document",
    commands: {
      "doc show": async () => (await import("./commands/doc/show.js")).docShow,
      "doc append": async () => (await import("./commands/doc/append.js")).docAppend,
      "doc edit": async () => (await import("./commands/doc/edit.js")).docEdit,
      "doc history": async () => (await import("./commands/doc/history.js")).docHistory,
      "doc diff": async () => (await import("./commands/doc/diff.js")).docDiff,
    },
  },
  {
    title: "Files under Git",
    topic: "git",
    commands: {},
  },
  {
    title: "Tasks, claims and approvals",
    topic: "work",
    commands: {},
  },
  {
    title: "State, memory and progress",
    topic: "knowledge",
    commands: {},
  },
  {
    title: "Jobs",
    topic: "headless",
    commands: {},
  },
  {
    title: "Agents",
    topic: "clients",
    commands: {
      launch: async () => (await import("./commands/launch.js")).launch,
      install: async () => (await import("./commands/install.js")).install,
      uninstall: async () => (await import("./commands/uninstall.js")).uninstall,
      mcp: async () => (await import("./commands/mcp.js")).mcp,
      "hook mail": async () => (await import("./commands/hook.js")).hookMail,
      "hook event": async () => (await import("./commands/hook-event.js")).hookEvent,
      "hook session-start": async () => (await import("./commands/hook.js")).hookSessionStart,
    },
  },
  {
    title: "This machine",
    topic: "machine",
    commands: {
      "config get": async () => (await import("./commands/config/get.js")).configGet,
      "config set": async () => (await import("./commands/config/set.js")).configSet,
      "config edit": async () => (await import("./commands/config/edit.js")).configEdit,
      "config list": async () => (await import("./commands/config/list.js")).configList,
      "config path": async () => (await import("./commands/config/path.js")).configPath,
      whoami: async () => (await import("./commands/whoami.js")).whoami,
      trust: async () => (await import("./commands/trust.js")).trust,
      doctor: async () => (await import("./commands/doctor.js")).doctor,
      completion: async () => (await import("./commands/completion.js")).completion,
      version: async () => (await import("./commands/version.js")).version,
    },
  },
];

/**
 * All commands, including those of features, in the order in which help lists them. Their descriptions are
 * generated by `npm run docs`, so a command's module and its feature are loaded only when the command runs.
 */
export const commandGroups: readonly CommandGroup[] = coreGroups
  .map(({ title, topic, commands: coreCommands }) => ({
    title,
    topic,
    commands: commandDescriptions
      .filter((each) => each.topic === topic)
      .map((each) => toEntry(each, coreCommands)),
  }))
  .filter(({ commands }) => commands.length > 0);

/** The commands that people run. Excludes hidden commands. */
export const commands: readonly CommandEntry[] = commandGroups
  .flatMap((group) => group.commands)
  .filter((each) => !each.hidden);

function toEntry(
  { topic: _, feature, ...description }: DescribedCommand,
  coreCommands: CoreGroup["commands"],
): CommandEntry {
  return {
    ...description,
    load: () => getLoader(description.name, feature, coreCommands).then((load) => load()),
  };
}

async function getLoader(
  name: string,
  feature: string | undefined,
  coreCommands: CoreGroup["commands"],
): Promise<LoadCommand> {
  const commandSets = feature
    ? ((await findFeature(feature))?.commands ?? []).map(({ load }) => load)
    : [coreCommands];
  const load = commandSets.map((each) => each[name]).find((each) => each !== undefined);
  if (load) return load;
  throw new Error(`The file of merkle ${name} is missing: run npm run docs.`);
}
