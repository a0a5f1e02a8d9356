import { createHash, randomBytes } from "node:crypto";
import type { InputOf, OperationName } from "@merkle/wire";
import { hashApproval, toDeviceId } from "@merkle/wire/identity";
import { type Call, type Cases, on } from "./case.js";
import type { Year } from "./make-year.js";
import type { MemberOperation } from "./member-cases.js";

export interface World {
  readonly call: Call;
  /** Calls `put_perspective` as the agent of a job. */
  putPerspective(credential: string, input: InputOf<"put_perspective">): Promise<unknown>;
  /** The home key, which is needed to verify people. */
  readonly homeKey: string;
  readonly year: Year;
  /** A file that jobs may be about. */
  readonly source_path: string;
}

type OpenOperation = Exclude<OperationName, MemberOperation>;

/**
 * Returns cases for every operation, as agents and pages call it on an open broker, in sessions of every size. An
 * operation must have a case, or a reason why it has none. Otherwise this file does not compile.
 */
export async function openCases(world: World): Promise<Readonly<Record<OpenOperation, Cases>>> {
  const { call, year } = world;
  const place = await openPlace(world);
  const { own, mate, planner, person, human, made } = place;
  const team_id = own.team_id;
  // The first of these sessions is the longest session of all.
  const some = (index: number) => ({ session_id: `year-${1 + ((index * 37) % year.sessions)}` });
  const longest = { session_id: "year-1" };
  const word = (index: number) => `word${(index * 101) % 4096}`;
  const post = (index: number) => call("post_message", { ...own, content: { text: `post ${index}` } });
  const another = (index: number) =>
    call("create_session", { title: `Another ${index}`, creator_team_name: "Today" });
  const join = (index: number) =>
    call("join_session", { session_id: own.session_id, team_name: `Team ${index}` });
  const newTask = (index: number) => call("create_task", { ...own, title: `Task ${index}` });
  const claimed = async (index: number) => {
    const { task } = await newTask(index);
    await call("claim_task", { ...own, task });
    return task;
  };
  const remember = (index: number) =>
    call("remember", { team_id, content: `Build ${index} needs more memory.` });
  const askApproval = async () => {
    const subject = approvalBy(person.team_id);
    const asked = await call("ask_approval", { ...mate, ...subject });
    return { approval: asked.approval, hash: hashApproval({ ...mate, ...subject }, sha256) };
  };
  const withdraw = ({ approval }: { approval: number }) => call("withdraw_approval", { ...mate, approval });
  const audit = { session_id: made.audit };
  const queueJob = () => call("start_job", { team_id, kind: "conclude", session_id: own.session_id });
  const cancel = ({ job_id }: { job_id: number }) => call("cancel_job", { team_id, job_id });
  const runJob = async () => {
    await queueJob();
    return claimJob(call);
  };
  const newTopic = (index: number) =>
    call("open_topic", { ...planner, ...made.document, text: `Is that all? (${index})` });
  const close = ({ topic_id }: { topic_id: number }) =>
    call("reply_to_topic", { ...planner, topic_id, close: "withdrawn" });
  const proposed = async (index: number) => {
    const { version } = await call("read_session_doc", { session_id: made.document.session_id });
    const content = `# Plan\n\nProposal ${index}.\n`;
    return { ...planner, topic_id: made.topic_id, base_version: version, content };
  };
  const newProposal = async (index: number) => call("insert_proposal", await proposed(index));
  const target = () =>
    call("put_alert_target", {
      ...person,
      ...{ name: "none", about: [], to: { kind: "slack", url: "https://example.com/x" } },
    });

  return {
    create_session: { call: another },
    join_session: { call: join },
    leave_session: on(join, ({ session_id, team_id }) => call("leave_session", { session_id, team_id })),
    get_session: { call: (index) => call("get_session", some(index)) },
    list_sessions: [
      { call: () => call("list_sessions", {}) },
      { what: "by size", call: () => call("list_sessions", { sort: "size" }) },
      { what: "where something waits", call: () => call("list_sessions", { needs: true }) },
    ],
    list_participants: { call: (index) => call("list_participants", some(index)) },
    wait_for_messages: { call: () => call("wait_for_messages", { ...mate, timeout: 0 }) },
    ack: on(post, ({ cursor }) => call("ack", { ...mate, cursor })),
    post_message: { call: post },
    get_history: [
      { what: "the end", call: (index) => call("get_history", some(index)) },
      {
        what: "amid the longest",
        call: (index) => call("get_history", { ...longest, before_cursor: 500 + index * 20 }),
      },
    ],
    read_session_doc: { call: (index) => call("read_session_doc", some(index)) },
    update_session_doc: on(
      () => call("read_session_doc", { session_id: own.session_id }),
      ({ version: expected_version }, index) =>
        call("update_session_doc", { ...own, content: `# Plan\n\nStep ${index}.\n`, expected_version }),
    ),
    append_to_session_doc: { call: () => call("append_to_session_doc", { ...own, text: "A note." }) },
    edit_session_doc: on(
      (index) => call("append_to_session_doc", { ...own, text: `Note ${index} of many.` }),
      (_, index) =>
        call("edit_session_doc", { ...own, old_text: `Note ${index} of many.`, new_text: "Edited." }),
    ),
    list_doc_versions: { call: () => call("list_doc_versions", own) },
    update_session_metadata: {
      call: (index) =>
        call("update_session_metadata", { ...own, title: `Today ${index}`, reason: "It grew." }),
    },
    conclude_session: on(another, ({ session_id, team_id }) =>
      call("conclude_session", { session_id, team_id, summary_section: "All is done." }),
    ),
    rotate_team_credential: on(join, ({ session_id, team_id }) =>
      call("rotate_team_credential", { session_id, team_id }),
    ),
    get_app_info: { call: () => call("get_app_info", {}) },
    send_message: { call: () => call("send_message", { ...own, to: "Mate", message: "Look here." }) },
    check_messages: { call: () => call("check_messages", mate) },
    message_status: on(post, ({ cursor: message }) => call("message_status", { ...own, message })),
    list_peers: { call: (index) => call("list_peers", some(index)) },
    set_summary: { call: (index) => call("set_summary", { ...own, summary: `Reads part ${index}.` }) },
    set_status: { call: (index) => call("set_status", { ...own, status: index % 2 ? "idle" : "working" }) },
    set_wake: { call: (index) => call("set_wake", { ...own, wake: index % 2 ? "addressed" : "everything" }) },
    join_group: { call: (index) => call("join_group", { ...own, name: `group-${index % 10}` }) },
    leave_group: { call: (index) => call("leave_group", { ...own, name: `group-${index % 10}` }) },
    get_state: { call: () => call("get_state", { ...own, key: "kept" }) },
    set_state: { call: (index) => call("set_state", { ...own, key: "step", value: index }) },
    delete_state: on(
      (index) => call("set_state", { ...own, key: "gone", value: index }),
      () => call("delete_state", { ...own, key: "gone" }),
    ),
    list_state: { call: () => call("list_state", own) },
    watch_state: { call: (index) => call("watch_state", { ...own, key: `step ${index % 10}` }) },
    unwatch_state: { call: (index) => call("unwatch_state", { ...own, key: `step ${index % 10}` }) },
    remember: { call: remember },
    recall: { call: (index) => call("recall", { query: `w${index % 997}` }) },
    forget: on(remember, ({ id }) => call("forget", { team_id, id })),
    restore_memory: on(
      async (index) => call("forget", { team_id, id: (await remember(index)).id }),
      ({ id }) => call("restore_memory", { ...person, id }),
    ),
    list_memory: { call: () => call("list_memory", { tags: ["build"] }) },
    tag_memory: on(remember, ({ id }, index) => call("tag_memory", { team_id, id, tags: [`tag-${index}`] })),
    create_task: { call: newTask },
    list_tasks: { call: () => call("list_tasks", own) },
    list_all_tasks: { call: () => call("list_all_tasks", {}) },
    get_task: on(newTask, ({ task }) => call("get_task", { ...own, task })),
    update_task: on(newTask, ({ task }) => call("update_task", { ...own, task, text: "In more words." })),
    claim_task: on(newTask, ({ task }) => call("claim_task", { ...own, task })),
    release_task: on(claimed, (task) => call("release_task", { ...own, task })),
    finish_task: on(claimed, (task) => call("finish_task", { ...own, task, result: "Done." })),
    split_task: on(newTask, ({ task }) =>
      call("split_task", { ...own, task, parts: [{ title: "One" }, { title: "Other" }] }),
    ),
    claim: { call: (index) => call("claim", { ...own, scope: `repo:src/${index}/**` }) },
    release: on(
      (index) => call("claim", { ...own, scope: `repo:lib/${index}/**` }),
      (_, index) => call("release", { ...own, scope: `repo:lib/${index}/**` }),
    ),
    list_claims: { call: () => call("list_claims", own) },
    log_progress: {
      call: (index) =>
        call("log_progress", {
          ...{ team_id, projectId: `project-${index % 20}`, title: `Today ${index}` },
          content: "It was done so. ".repeat(20),
        }),
    },
    get_context: {
      call: (index) =>
        call("get_context", { projectId: `project-${index % 20}`, id: made.entries[index % 20] ?? "" }),
    },
    search_logs: {
      call: (index) => call("search_logs", { projectId: `project-${index % 20}`, query: `part ${index}` }),
    },
    list_progress: { call: (index) => call("list_progress", { text: `part ${index}` }) },
    list_progress_projects: { call: () => call("list_progress_projects", {}) },
    nudge: { call: () => call("nudge", { ...own, to: "Mate" }) },
    hold_session: {
      call: () => call("hold_session", { ...human, reason: "A look first." }),
      after: () => call("resume_session", human),
    },
    resume_session: on(
      () => call("hold_session", human),
      () => call("resume_session", human),
    ),
    ask_approval: on(
      async () => approvalBy(person.team_id),
      (subject) => call("ask_approval", { ...mate, ...subject }),
      {
        after: async () => {
          for (const { approval } of (await call("list_approvals", person)).waiting)
            await withdraw({ approval });
        },
      },
    ),
    wait_for_approval: on(
      askApproval,
      ({ approval }) => call("wait_for_approval", { ...mate, approval, timeout: 0 }),
      {
        after: withdraw,
      },
    ),
    withdraw_approval: on(askApproval, withdraw),
    list_approvals: on(askApproval, () => call("list_approvals", person), { after: withdraw }),
    answer_approval: on(askApproval, ({ approval, hash }) =>
      call("answer_approval", { ...person, approval, decision: "deny", hash }),
    ),
    search: [
      { what: "one word", call: (index) => call("search", { query: word(index) }) },
      { what: "newest decisions", call: () => call("search", { kinds: ["decision"] }) },
      { what: "two words", call: (index) => call("search", { query: `${word(index)} ${word(index + 1)}` }) },
    ],
    list_attention: { call: () => call("list_attention", {}) },
    dismiss_attention: {
      call: (index) => call("dismiss_attention", { ...person, id: `quiet:${made.session_id}:${index + 1}` }),
    },
    list_undelivered: { call: () => call("list_undelivered", {}) },
    list_alert_targets: { call: () => call("list_alert_targets", person) },
    put_alert_target: on(async () => undefined, target, {
      after: async () => {
        const { targets } = await call("list_alert_targets", person);
        for (const { target_id } of targets) await call("delete_alert_target", { ...person, target_id });
      },
    }),
    delete_alert_target: on(target, ({ target_id }) => call("delete_alert_target", { ...person, target_id })),
    test_alert: { unmeasured: "it takes as long as the receiver of another machine" },
    mark_read: on(post, ({ cursor }) => call("mark_read", { ...human, cursor })),
    brief: [
      { what: "of all", call: () => call("brief", {}) },
      { what: "of the longest", call: () => call("brief", { session: longest.session_id }) },
    ],
    report_usage: {
      call: () =>
        call("report_usage", { ...own, usage: [{ model: "model", input_tokens: 10, output_tokens: 2 }] }),
    },
    report_checkout: {
      call: (index) =>
        call("report_checkout", {
          ...own,
          checkout: {
            ...{ repository: "github.com/acme/app", branch: "main", worktree: null, base: "origin/main" },
            ...{ files: index, added: index, removed: 0, pull_request: null },
          },
        }),
    },
    list_checkouts: { call: () => call("list_checkouts", {}) },
    list_files: { call: () => call("list_files", own) },
    read_attachment: {
      unmeasured: "no message of the year carries a file; it reads one message, as get_message_status does",
    },
    get_usage: [
      { what: "by session", call: () => call("get_usage", { by: "session" }) },
      { what: "by day", call: () => call("get_usage", { by: "day" }) },
    ],
    list_agents: { call: () => call("list_agents", {}) },
    get_timeline: [
      { what: "the longest", call: () => call("get_timeline", longest) },
      { what: "any", call: (index) => call("get_timeline", some(index)) },
    ],
    audit_session_start: {
      call: (index) => call("audit_session_start", { team_id, intent: `Decide on ${index}.` }),
    },
    list_audit_sessions: { call: () => call("list_audit_sessions", {}) },
    thought_record: {
      call: (index) =>
        call("thought_record", {
          team_id,
          ...audit,
          task_id: "kept",
          type: "plan",
          content: `Step ${index}.`,
        }),
    },
    thought_record_list: { call: () => call("thought_record_list", audit) },
    audit_verify_chain: { call: () => call("audit_verify_chain", audit) },
    merkle_finalize: on(
      async (index) => {
        const { session_id } = await call("audit_session_start", {
          team_id,
          intent: `Decide on ${index}.`,
          task_id: "end",
        });
        await call("thought_record", { team_id, session_id, type: "plan", content: `Step ${index}.` });
        return session_id;
      },
      (session_id) => call("merkle_finalize", { team_id, session_id }),
    ),
    merkle_root: { call: () => call("merkle_root", { session_id: made.finalized.session_id }) },
    merkle_proof: { call: () => call("merkle_proof", made.finalized) },
    redact_message: on(post, ({ cursor: sequence }) =>
      call("redact_message", { ...own, sequence, reason: "It held a key." }),
    ),
    session_seal: { call: (index) => call("session_seal", some(index)) },
    session_proof: { call: (index) => call("session_proof", { ...some(index), sequence: 1 }) },
    get_checkpoint: { call: () => call("get_checkpoint", {}) },
    get_log_entries: { call: () => call("get_log_entries", { from: 0, limit: 100 }) },
    get_log_proof: { call: () => call("get_log_proof", { from_size: 1, size: 1 }) },
    get_head_proof: on(
      async (index) => {
        const of = some(index);
        await call("session_seal", of);
        return of;
      },
      (of) => call("get_head_proof", of),
    ),
    add_cosignature: { unmeasured: "it takes a witness" },
    set_witness_policy: { unmeasured: "it takes a witness" },
    archive_session: { unmeasured: "it takes as long as the storage of another machine" },
    unarchive_session: { unmeasured: "it takes as long as the storage of another machine" },
    start_job: on(async () => undefined, queueJob, {
      after: async () => {
        const { jobs } = await call("list_jobs", { session_id: own.session_id, limit: 1 });
        for (const job of jobs) await cancel(job);
      },
    }),
    get_job: { call: () => call("get_job", { job_id: made.job_id }) },
    list_jobs: { call: () => call("list_jobs", {}) },
    cancel_job: on(queueJob, cancel),
    list_personas: { call: () => call("list_personas", {}) },
    get_persona: { call: () => call("get_persona", { name: made.persona }) },
    put_persona: on(
      () => call("get_persona", { name: made.persona }),
      ({ version }, index) =>
        call("put_persona", {
          ...person,
          name: made.persona,
          prompt: `Doubt it ${index} times.`,
          expected_version: version,
        }),
      { callsMax: 20 },
    ),
    list_perspectives: { call: () => call("list_perspectives", own) },
    get_perspective: { call: () => call("get_perspective", { ...made.reading, persona_name: made.persona }) },
    put_perspective: on(
      () => claimReading(world, made.reading, person.team_id, made.persona),
      ({ write }) => write(),
      { after: ({ end }) => end() },
    ),
    claim_job: on(queueJob, () => call("claim_job", { runner: "bench", wait: 0 }), { after: cancel }),
    renew_job: on(runJob, ({ job, fence }) => call("renew_job", { job_id: job.job_id, fence }), {
      after: ({ job }) => cancel(job),
    }),
    end_job: on(
      async () => {
        const reading = await claimReading(world, made.reading, person.team_id, made.persona);
        await reading.write();
        return reading;
      },
      ({ end }) => end(),
    ),
    open_topic: {
      call: newTopic,
      after: async () => {
        const { topics } = await call("list_topics", {
          session_id: made.document.session_id,
          status: "open",
        });
        for (const topic of topics) if (topic.topic_id !== made.topic_id) await close(topic);
      },
    },
    reply_to_topic: {
      call: (index) => call("reply_to_topic", { ...planner, topic_id: made.topic_id, text: `No, ${index}.` }),
    },
    list_topics: { call: () => call("list_topics", { session_id: made.document.session_id }) },
    get_topic: { call: () => call("get_topic", { topic_id: made.topic_id }) },
    insert_proposal: on(proposed, (input) => call("insert_proposal", input)),
    list_proposals: { call: () => call("list_proposals", {}) },
    get_proposal: on(newProposal, ({ proposal_id }) => call("get_proposal", { proposal_id })),
    decide_proposal: on(newProposal, ({ proposal_id }) =>
      call("decide_proposal", { ...person, proposal_id, decision: "reject" }),
    ),
    list_sources: { call: () => call("list_sources", {}) },
    read_source: { call: () => call("read_source", { source_path: world.source_path }) },
    list_source_perspectives: {
      call: () => call("list_source_perspectives", { source_path: world.source_path }),
    },
    get_source_perspective: {
      call: () =>
        call("get_source_perspective", { source_path: world.source_path, persona_name: made.persona }),
    },
    get_runner: { call: () => call("get_runner", {}) },
    create_person: { call: (index) => call("create_person", { name: `Guest ${index}` }) },
    get_person: { call: () => call("get_person", person) },
    create_verification_code: { call: () => call("create_verification_code", { home_key: world.homeKey }) },
    verify_person: on(
      async (index) => {
        const { person_id } = await call("create_person", { name: `Guest ${index}` });
        return { team_id: person_id, code: (await newCode(world)).code };
      },
      (input) => call("verify_person", input),
    ),
    rename_person: { call: (index) => call("rename_person", { ...person, name: `Human ${index}` }) },
    export_person: { call: () => call("export_person", person) },
    erase_person: on(
      async (index) => {
        const one = await newPerson(world, `Gone ${index}`);
        const { session_id } = own;
        await call("join_session", { session_id, team_name: `Gone ${index}`, ...one });
        for (let said = 0; said < 20; said += 1)
          await call("post_message", { session_id, ...one, content: { text: `Word ${said}.` } });
        return { ...one, confirm: `Gone ${index}` };
      },
      (input) => call("erase_person", input),
      { callsMax: 10 },
    ),
    get_settings: { call: () => call("get_settings", {}) },
    update_settings: {
      call: (index) => call("update_settings", { ...person, settings: { idle_polls: 10 + (index % 2) } }),
      callsMax: 20,
    },
    test_connection: { unmeasured: "it takes as long as the address that it tries" },
    get_health: { call: () => call("get_health", {}) },
    open_demo_room: { unmeasured: "it has two agents go on in a room beside whatever is measured next" },
    collect_garbage: { what: "dry", call: () => call("collect_garbage", { ...person, dry_run: true }) },
    create_mesh: { call: (index) => call("create_mesh", { name: `mesh-${index}` }), callsMax: 5 },
    list_meshes: { call: () => call("list_meshes", {}) },
    set_quotas: { call: () => call("set_quotas", { ...person, mesh: "main", connections: 0 }) },
  };
}

/** Creates a session with two agents and a human, and the objects that later calls use. */
async function openPlace(world: World) {
  const { call } = world;
  const created = await call("create_session", { title: "Today", creator_team_name: "Today" });
  const own = { session_id: created.session_id, team_id: created.team_id };
  const { session_id } = own;
  const joined = await call("join_session", { session_id, team_name: "Mate" });
  const person = await newPerson(world, "Human");
  await call("join_session", { session_id, team_name: "Human", ...person });
  await call("set_state", { ...own, key: "kept", value: { rows: 12 } });

  // A separate session, so that comments and proposals have a document that does not change.
  const plan = await call("create_session", { title: "Plan", creator_team_name: "Today" });
  const planning = { session_id: plan.session_id, team_id: plan.team_id };
  await call("update_session_doc", { ...planning, content: "# Plan\n\nStep 1.\n", expected_version: 0 });
  const document = { session_id: plan.session_id, version: 1 };
  const { topic_id } = await call("open_topic", { team_id: plan.team_id, ...document, text: "Is that all?" });

  const audit = await call("audit_session_start", {
    team_id: own.team_id,
    intent: "Decide.",
    task_id: "kept",
  });
  const ended = await call("audit_session_start", {
    team_id: own.team_id,
    intent: "Decide.",
    task_id: "ended",
  });
  const finalized = { session_id: ended.session_id };
  const thought = await call("thought_record", {
    team_id: own.team_id,
    ...finalized,
    type: "plan",
    content: "So.",
  });
  await call("merkle_finalize", { team_id: own.team_id, ...finalized });

  const persona = "Doubter";
  await call("put_persona", { ...person, name: persona, prompt: "Doubt it.", expected_version: 0 });
  const reading = await claimReading(world, { session_id: plan.session_id }, person.team_id, persona);
  await reading.write();
  await reading.end();
  const ofFile = await claimReading(world, { source_path: world.source_path }, person.team_id, persona);
  await ofFile.write();
  await ofFile.end();

  const entries: string[] = [];
  for (let project = 0; project < 20; project += 1) {
    const found = await call("search_logs", { projectId: `project-${project}`, limit: 1 });
    entries.push(found.entries[0]?.id ?? "");
  }
  return {
    planner: { team_id: plan.team_id },
    ...{ own, person, mate: { session_id, team_id: joined.team_id }, human: { session_id, ...person } },
    made: {
      ...{ session_id, document, topic_id, persona, entries, job_id: reading.job_id },
      audit: audit.session_id,
      finalized: { ...finalized, record_id: thought.id },
      reading: { session_id: plan.session_id },
    },
  };
}

function newCode({ call, homeKey: home_key }: World) {
  return call("create_verification_code", { home_key });
}

/** Creates a verified person, and returns their credential for further calls. */
async function newPerson(world: World, name: string): Promise<{ readonly team_id: string }> {
  const { code } = await newCode(world);
  return { team_id: (await world.call("create_person", { name, code })).person_id };
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

/** Returns an approval that an agent asks a person for, on that person's device. */
function approvalBy(person: string) {
  const subject = { tool: "Bash", input: '{"command":"make"}', folder: "/work" };
  return { devices: [toDeviceId(person, sha256) ?? ""], ...subject, salt: randomBytes(32).toString("hex") };
}

async function claimJob(call: Call) {
  const { claim } = await call("claim_job", { runner: "bench", wait: 0 });
  if (!claim) throw new Error("There is no job to claim.");
  return claim;
}

function endJob(call: Call, job_id: number, fence: number) {
  return call("end_job", { job_id, fence, exit_code: 0, error_tail: "", error: null, ended_because: null });
}

/** Claims a job that reads a document or file as a persona, and stops before writing the result. */
async function claimReading(
  { call, putPerspective }: World,
  source: { readonly session_id: string } | { readonly source_path: string },
  team_id: string,
  persona_name: string,
) {
  await call("start_job", { team_id, kind: "perspective", ...source, persona_name, again: true });
  const { job, fence, credential } = await claimJob(call);
  const { hash: persona_sha } = await call("get_persona", { name: persona_name });
  const read =
    "source_path" in source
      ? { source_sha: (await call("read_source", source)).source_sha }
      : { source_version: (await call("read_session_doc", source)).version };
  const content = "It may be so, or not.\n".repeat(20);
  return {
    job_id: job.job_id,
    write: () => putPerspective(credential, { ...read, persona_sha, content }),
    end: () => endJob(call, job.job_id, fence),
  };
}
