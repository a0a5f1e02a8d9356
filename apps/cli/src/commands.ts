import type { Command, CommandGroup } from "./command/command.js";
import { auditKeyRotate } from "./commands/audit-key/rotate.js";
import { auditKeyShow } from "./commands/audit-key/show.js";
import { backup } from "./commands/backup.js";
import { completeWord } from "./commands/complete.js";
import { completion } from "./commands/completion.js";
import { conclude } from "./commands/conclude.js";
import { configGet } from "./commands/config/get.js";
import { configList } from "./commands/config/list.js";
import { configPath } from "./commands/config/path.js";
import { configSet } from "./commands/config/set.js";
import { demo } from "./commands/demo.js";
import { docAppend } from "./commands/doc/append.js";
import { docDiff } from "./commands/doc/diff.js";
import { docEdit } from "./commands/doc/edit.js";
import { docHistory } from "./commands/doc/history.js";
import { docShow } from "./commands/doc/show.js";
import { doctor } from "./commands/doctor.js";
import { down } from "./commands/down.js";
import { exportCommand } from "./commands/export.js";
import { forget } from "./commands/forget.js";
import { hold } from "./commands/hold.js";
import { hookSessionStart } from "./commands/hook.js";
import { importCommand } from "./commands/import.js";
import { install } from "./commands/install.js";
import { inviteList } from "./commands/invite/list.js";
import { inviteRevoke } from "./commands/invite/revoke.js";
import { invite } from "./commands/invite.js";
import { jobsCancel } from "./commands/jobs/cancel.js";
import { jobsList } from "./commands/jobs/list.js";
import { jobsRun } from "./commands/jobs/run.js";
import { jobsShow } from "./commands/jobs/show.js";
import { join } from "./commands/join.js";
import { launch } from "./commands/launch.js";
import { ls } from "./commands/ls.js";
import { mcp } from "./commands/mcp.js";
import { memberRevoke } from "./commands/member/revoke.js";
import { members } from "./commands/members.js";
import { meshCreate } from "./commands/mesh/create.js";
import { meshList } from "./commands/mesh/list.js";
import { newSession } from "./commands/new.js";
import { nudge } from "./commands/nudge.js";
import { observe } from "./commands/observe.js";
import { open } from "./commands/open.js";
import { peers } from "./commands/peers.js";
import { perspective } from "./commands/perspective.js";
import { post } from "./commands/post.js";
import { progressLog } from "./commands/progress/log.js";
import { progressSearch } from "./commands/progress/search.js";
import { progressShow } from "./commands/progress/show.js";
import { docAccept, sourceAccept } from "./commands/proposals/accept.js";
import { docProposals, sourceProposals } from "./commands/proposals/proposals.js";
import { docRebase, sourceRebase } from "./commands/proposals/rebase.js";
import { docReject, sourceReject } from "./commands/proposals/reject.js";
import { docReturn, sourceReturn } from "./commands/proposals/return.js";
import { recall } from "./commands/recall.js";
import { redact } from "./commands/redact.js";
import { remember } from "./commands/remember.js";
import { rename } from "./commands/rename.js";
import { restore } from "./commands/restore.js";
import { resume } from "./commands/resume.js";
import { runner } from "./commands/runner.js";
import { seal } from "./commands/seal.js";
import { search } from "./commands/search.js";
import { show } from "./commands/show.js";
import { sourceIncorporate } from "./commands/source/incorporate.js";
import { sourceList } from "./commands/source/list.js";
import { sourceShow } from "./commands/source/show.js";
import { stateGet } from "./commands/state/get.js";
import { stateList } from "./commands/state/list.js";
import { stateSet } from "./commands/state/set.js";
import { stateUnset } from "./commands/state/unset.js";
import { stateWatch } from "./commands/state/watch.js";
import { status } from "./commands/status.js";
import { tail } from "./commands/tail.js";
import { tokenCreate } from "./commands/token/create.js";
import { tokenList } from "./commands/token/list.js";
import { tokenRevoke } from "./commands/token/revoke.js";
import { docComment, sourceComment } from "./commands/topics/comment.js";
import { docReply, sourceReply } from "./commands/topics/reply.js";
import { docTopics, sourceTopics } from "./commands/topics/topics.js";
import { trust } from "./commands/trust.js";
import { uninstall } from "./commands/uninstall.js";
import { up } from "./commands/up.js";
import { verify } from "./commands/verify.js";
import { verifyPeer } from "./commands/verify-peer.js";
import { version } from "./commands/version.js";
import { watch } from "./commands/watch.js";

/** All commands, in the groups and the order in which help lists them. */
export const commandGroups: readonly CommandGroup[] = [
  { title: "Start here", commands: [demo] },
  { title: "Broker", commands: [up, down, status, backup, restore, auditKeyShow, auditKeyRotate] },
  {
    title: "Sessions",
    commands: [ls, show, open, newSession, watch, tail, post, redact, rename, conclude, seal],
  },
  { title: "Record", commands: [exportCommand, importCommand, verify] },
  { title: "People and agents", commands: [peers, verifyPeer, nudge, hold, resume] },
  {
    title: "Who is let in",
    commands: [
      join,
      invite,
      inviteList,
      inviteRevoke,
      members,
      memberRevoke,
      observe,
      tokenCreate,
      tokenList,
      tokenRevoke,
      meshCreate,
      meshList,
    ],
  },
  {
    title: "Document",
    commands: [
      docShow,
      docAppend,
      docEdit,
      docHistory,
      docDiff,
      docTopics,
      docComment,
      docReply,
      docProposals,
      docAccept,
      docReject,
      docReturn,
      docRebase,
    ],
  },
  {
    title: "Files under Git",
    commands: [
      sourceList,
      sourceShow,
      sourceTopics,
      sourceComment,
      sourceReply,
      sourceIncorporate,
      sourceProposals,
      sourceAccept,
      sourceReject,
      sourceReturn,
      sourceRebase,
    ],
  },
  { title: "State", commands: [stateList, stateGet, stateSet, stateUnset, stateWatch] },
  { title: "Memory", commands: [remember, recall, forget, search] },
  { title: "Progress", commands: [progressLog, progressSearch, progressShow] },
  { title: "Jobs", commands: [jobsRun, jobsList, jobsShow, jobsCancel, runner, perspective] },
  { title: "Agents", commands: [launch, install, uninstall, mcp, hookSessionStart] },
  {
    title: "This machine",
    commands: [
      configGet,
      configSet,
      configList,
      configPath,
      trust,
      doctor,
      completion,
      completeWord,
      version,
    ],
  },
];

/** Those that people run. */
export const commands: readonly Command[] = commandGroups
  .flatMap((group) => group.commands)
  .filter((each) => !each.hidden);
