/**
 * Pages and states that show people and agents working together: tasks, claims, approvals, briefs, alerts, usage, and
 * every kind of item that can wait for a person. `npm run screenshots -- --states <folder>` stages them and takes
 * pictures in light and dark and on two phones, for review.
 */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { toDeviceId } from "@merkle/wire/identity";

/** An agent whose jobs always fail. */
export const failingAgent = {
  name: "ana-desktop",
  startRunner: async () => ({
    run: async () => ({
      exit_code: 1,
      error_tail: "Error: not logged in. Run `claude login` and try again.\n",
      error: null,
    }),
  }),
};

/**
 * Stages more content in addition to that of staged-sessions.mjs. Returns a function that ends everything that was
 * started.
 */
export async function stageTogether({ client, session, birch, ana }) {
  const call = (operation, input) => client.call(operation, { ...session, ...input });
  await client.call("update_settings", {
    settings: { alert_inner_addresses: true, undelivered_after_s: 1, quiet_after_s: 30 },
    team_id: ana,
  });
  const { session_id } = session;
  const session_settings = { claim_grace_s: 60, token_budget: 2_200_000 };
  await client.call("update_settings", { session_id, session_settings, team_id: ana });
  const elm = { session_id, team_id: await joinAs(client, session_id, "Elm", "elm") };
  await stageTasks(call, { birch, elm, ana });
  await stageUsage(call, birch);
  const device = toDeviceId(ana, (bytes) => createHash("sha256").update(bytes).digest());
  await stageApprovals(client, session, { device, ana });
  const receiver = await stageAlerts(client, ana);
  await stageWaiting(client, session, ana);
  await client.call("leave_session", elm);
  // Two peers that keep polling, so their claims do not expire.
  const poll = () =>
    Promise.all([session, birch].map((as) => client.call("wait_for_messages", { ...as, timeout: 0 }))).catch(
      stop,
    );
  const polls = setInterval(poll, 5_000);
  function stop() {
    clearInterval(polls);
    receiver.close();
  }
  return { device, stop };
}

async function joinAs(client, session_id, team_name, peer_name) {
  const { peer_id, team_id } = await client.call("join_session", { session_id, team_name, peer_name });
  return peer_id ?? team_id;
}

async function stageTasks(call, { birch, elm, ana }) {
  const add = (title, more = {}) => call("create_task", { title, ...more });
  await add("Rotate tokens on every refresh", {
    text: "The gateway keeps the **last two**; a third one is refused.\n\n- `issuer/rotate.ts`\n- `gateway/accept.ts`",
    labels: ["auth", "issuer"],
    links: [{ message: 8 }, { section: "Decisions" }],
  });
  await add("Write down what a token holds", { labels: ["docs"] });
  await add("Test the rotation with a clock that jumps", { blocked_by: [1], assignee: "Birch" });
  await add("Move the gateway over", { blocked_by: [1, 3], labels: ["gateway"] });
  await add("Delete the old issuer", { blocked_by: [4] });
  await add("Tell the mobile team when v1 ends", { assignee: "Cedar" });
  await add("Measure how long a check of a token takes, beside what it took before the issuer moved out", {
    team_id: ana,
    check: { command: "npm run bench -- --only token-check" },
    labels: ["bench"],
  });
  await add("Threat model of the two issuers", { team_id: ana, check: { reviewer: "Ana" } });
  await add("Try the staging keys", { labels: ["ops"] });
  await add("Ship v1.9 first", {});
  await call("claim_task", { task: 1 });
  await call("claim_task", { task: 2, ...birch });
  await call("finish_task", { task: 2, result: "In the document, under **Tokens**.", ...birch });
  await call("claim_task", { task: 7, ...birch });
  await call("claim_task", { task: 8, ...elm });
  await call("finish_task", { task: 8, result: "Four threats, each with its answer.", ...elm });
  await call("claim_task", { task: 9, ...elm });
  await call("update_task", { task: 10, state: "cancelled", reason: "v2 is near", team_id: ana });
  const claim = (scope, more) => call("claim", { scope, ...more });
  await claim("repo:issuer/src/**", { reason: "rotating tokens" });
  await claim("repo:gateway/src/accept-both-issuers/**/*.ts", {
    ...birch,
    reason: "the key id tells them apart",
  });
  await claim("issue:#12", { ...birch, shared: true });
  await claim("deploy", { ...elm, ttl: 3_600, reason: "staging only" });
}

async function stageUsage(call, birch) {
  const opus = { model: "claude-opus-4-5", input_tokens: 212_400, output_tokens: 61_120 };
  await call("report_usage", {
    usage: [{ ...opus, cache_read_tokens: 8_420_000, cache_write_tokens: 310_200, cost_usd: 12.48 }],
  });
  await call("report_usage", {
    usage: [{ model: "gpt-5.2-codex", input_tokens: 1_420_300, output_tokens: 88_700 }],
    ...birch,
  });
}

/** Returns a function with which an agent of a session asks its person for a permission. */
function askPermission(client, session, device) {
  return (tool, input) =>
    client.call("ask_approval", {
      ...session,
      devices: [device],
      tool,
      input: JSON.stringify(input),
      folder: "/home/ana/auth-service",
      salt: randomBytes(32).toString("hex"),
    });
}

async function stageApprovals(client, session, { device, ana }) {
  const ask = askPermission(client, session, device);
  const bash = (command, description) => ask("Bash", { command, description });
  const answer = ({ approval, hash }, decision, more) =>
    client.call("answer_approval", { approval, hash, decision, team_id: ana, ...more });
  await answer(await bash("npm test -- issuer", "Run the issuer's tests"), "allow");
  await answer(await bash("git push --force origin main", "Publish the branch"), "deny", {
    words: "Never onto main. Push your branch and ask for a review.",
  });
  await answer(await ask("WebFetch", { url: "https://vault.example.com/v1/sys/health" }), "leave");
  const { approval } = await bash("make", "Build");
  await client.call("withdraw_approval", { ...session, approval });
  // No agent waits for this answer, so the approval lapses.
  await bash("rm -rf build && npm run build", "Build from nothing");
}

/** Stages new items before each round, because approvals lapse and messages have been read in earlier rounds. */
export async function stageNews({ client, session, device }) {
  const content = { text: "The rollback is one flag, `trust_old_issuer`, off by default.", kind: "decision" };
  await client.call("post_message", { ...session, content });
  const ask = askPermission(client, session, device);
  await ask("Bash", {
    command:
      "npm run migrate -- --target auth/0007 --database postgres://staging.example.com/auth?sslmode=require",
    description: "Apply the token table",
  });
  await ask("Edit", {
    file_path: "/home/ana/auth-service/gateway/accept.ts",
    old_string: 'const issuers = ["auth"];\nexport const accepts = (id) => issuers.includes(id);',
    new_string: 'const issuers = ["auth", "issuer"];\nexport const accepts = (id) => issuers.includes(id);',
  });
  await ask("AskUserQuestion", {
    questions: [
      {
        question: "How long should the gateway trust tokens of the old issuer?",
        header: "Old issuer",
        multiSelect: false,
        options: [
          { label: "One day (Recommended)", description: "As long as the longest access token is valid." },
          { label: "One week", description: "Mobile clients refresh rarely." },
          { label: "Not at all", description: "Everyone signs in again." },
        ],
      },
    ],
  });
  await ask("ExitPlanMode", {
    plan: "# Rotate on every refresh\n\n1. Add the token table\n2. Rotate under a lock\n3. Test two tabs that race",
    planFilePath: "/home/ana/.claude/plans/rotate-tokens.md",
  });
}

async function stageAlerts(client, ana) {
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(request.url === "/dead" ? 503 : 204).end();
  });
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${receiver.address().port}`;
  const put = (name, to, more) =>
    client.call("put_alert_target", { name, to, about: ["ask", "blocked"], team_id: ana, ...more });
  const quiet = { from: "22:00", to: "07:00", time_zone: "Europe/Berlin" };
  await put("Phone", { kind: "ntfy", url: `${url}/ana-merkle` }, { quiet, about: ["ask", "approval"] });
  await put("#auth", { kind: "slack", url: `${url}/services/T0/B0/x` });
  await put("Ops channel", { kind: "discord", url: `${url}/api/webhooks/1/x` }, { about: ["concluded"] });
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  await put("Pager", { kind: "webhook", url: `${url}/dead`, secret }, { about: ["ask", "job_failed"] });
  return receiver;
}

/** Stages one item of each kind that waits for a person. */
async function stageWaiting(client, session, ana) {
  const start = (title, description) =>
    client.call("create_session", { title, description, creator_team_name: "Fir" });
  const held = await start("Billing on two currencies", "Euro beside dollar.");
  const say = (at, text, more = {}) =>
    client.call("post_message", {
      session_id: at.session_id,
      team_id: at.team_id,
      content: { text },
      ...more,
    });
  await say(held, "Rates are read once a day.");
  await client.call("hold_session", {
    session_id: held.session_id,
    team_id: ana,
    reason: "Finance decides on Monday",
  });
  const spent = await start("Flaky tests", "Find why three tests fail on Mondays.");
  await client.call("update_settings", {
    session_id: spent.session_id,
    session_settings: { message_budget: 2 },
    team_id: ana,
  });
  for (const text of ["It is the clock.", "It is the week's first day."]) await say(spent, text);
  await joinAs(client, spent.session_id, "Hazel", "hazel");
  await say(session, "Can somebody of clients tell me when the app drops v1?", { to: ["Cedar"] });
  await client.call("insert_proposal", {
    session_id: session.session_id,
    team_id: session.team_id,
    base_version: 2,
    content: "Tokens come from **issuer**; the gateway accepts both until June.",
    note: "As decided in #6.",
  });
  await client.call("report_usage", {
    ...session,
    usage: [{ model: "claude-opus-4-5", input_tokens: 100, output_tokens: 20 }],
  });
  await client.call("start_job", { kind: "conclude", session_id: spent.session_id, team_id: ana });
}

const press = (page, name, role = "button") => page.getByRole(role, { name }).first().click();

/** The states, each with its path and the actions to reach it. */
export const states = {
  approvals: { path: () => "/approvals" },
  "approvals-deny": { path: () => "/approvals", act: (page) => press(page, "Deny…") },
  "approvals-empty": { path: () => "/approvals", as: "Ben" },
  "approvals-guest": { path: () => "/approvals", as: null },
  "needs-you": { path: () => "/needs-you" },
  "needs-you-question": {
    path: () => "/needs-you",
    act: (page) => press(page, /asks you a question/),
  },
  "tasks-board": { path: (slug) => `/sessions/${slug}/tasks` },
  "tasks-list": { path: (slug) => `/sessions/${slug}/tasks?view=list` },
  "tasks-filtered": { path: (slug) => `/sessions/${slug}/tasks?show=stuck` },
  "tasks-done": { path: (slug) => `/sessions/${slug}/tasks?done=1` },
  "tasks-move": { path: (slug) => `/sessions/${slug}/tasks`, act: (page) => press(page, /^Move task/) },
  "tasks-order": { path: (slug) => `/sessions/${slug}/tasks?view=order` },
  "task-open": { path: (slug) => `/sessions/${slug}/tasks?task=1` },
  "task-review": { path: (slug) => `/sessions/${slug}/tasks?task=8` },
  "task-check": { path: (slug) => `/sessions/${slug}/tasks?task=7` },
  "task-new": { path: (slug) => `/sessions/${slug}/tasks`, act: (page) => press(page, /^New task/) },
  "task-edit": { path: (slug) => `/sessions/${slug}/tasks?task=1`, act: (page) => press(page, "Edit") },
  "tasks-all": { path: () => "/tasks" },
  index: { path: () => "/" },
  "brief-all": { path: () => "/", act: (page) => press(page, "Show what changed") },
  "brief-session": { path: (slug) => `/sessions/${slug}`, act: (page) => press(page, /Catch up/i) },
  "session-feed": { path: (slug) => `/sessions/${slug}` },
  undelivered: { path: () => "/?undelivered=all" },
  agents: { path: () => "/agents" },
  wall: { path: () => "/agents?wall=1" },
  "usage-session": {
    path: (slug) => `/sessions/${slug}/audit`,
    act: (page) => page.getByRole("region", { name: "Usage reported by agents" }).scrollIntoViewIfNeeded(),
  },
  budgets: {
    path: (slug) => `/sessions/${slug}`,
    async act(page) {
      await press(page, "More about this session");
      await press(page, "Budgets…");
    },
  },
  "usage-broker": { path: () => "/settings#usage" },
  alerts: { path: () => "/settings#alerts" },
  "alerts-tested": {
    path: () => "/settings#alerts",
    async act(page) {
      await press(page, "Test Pager");
      await press(page, "Test Phone");
      await page.getByText(/The server answered 204/).waitFor();
    },
  },
  "alerts-webhook": {
    path: () => "/settings#alerts",
    async act(page) {
      await press(page, "Add a destination…");
      await page.getByRole("combobox").last().selectOption("webhook");
      await page.getByRole("textbox", { name: "Address" }).fill("https://ops.example.com/merkle");
      await page.getByRole("checkbox", { name: "Quiet hours" }).check();
    },
  },
  "alerts-browser": {
    path: () => "/settings#alerts",
    act: (page) => press(page, "Enable push in this browser…"),
  },
};

const small = { isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
export const looks = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, ...small },
  small: { colorScheme: "dark", viewport: { width: 320, height: 640 }, ...small },
};
