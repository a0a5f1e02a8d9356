/** Stages the sessions for pictures of the dashboard: a mesh in the middle of a working day. */

const outline = `# Split the auth service

Token issuing moves out of \`auth\` into \`issuer\`; clients of v1 keep working.

## Decisions

- Keep v1 tokens for 30 days.

## Plan

| Step | Team | State |
|---|---|---|
| Token table, migration 0007 | Atlas | done |
| Gateway accepts both issuers | Birch | in review |
| Staging keys from the vault | Cedar | waiting |

## Open questions

1. Who revokes tokens that both services have issued?
`;

const written = outline
  .replace("for 30 days.", "for 30 days, then answer 410.\n- Issuer first, then gateway, then clients.")
  .replace("| in review |", "| merged |")
  .replace(
    "1. Who revokes",
    '```ts\nexport const issuers = ["auth", "issuer"] as const;\n```\n\n1. Who revokes',
  );

/**
 * Stages the sessions on a broker, and returns the ids and functions that the pictures need.
 *
 * @param code - from the broker's first link, with which Ana becomes a verified person
 */
export async function stageSessions(client, code) {
  const { person_id: ana } = await client.call("create_person", { name: "Ana", code });
  await stageClosed(client);
  await stagePricing(client);
  return { ...(await stageAuth(client, ana)), ana };
}

async function stageAuth(client, ana) {
  const session = await open(client, {
    title: "Split the auth service",
    description: "Move token issuing out; keep v1 clients working.",
    team: "Atlas",
    peer: {
      peer_name: "atlas",
      role: "lead",
      groups: ["backend"],
      summary: "Writing the issuer's token table",
    },
  });
  const birch = await session.join("Birch", { peer_name: "birch", role: "gateway", groups: ["backend"] });
  const cedar = await session.join("Cedar", { peer_name: "cedar", role: "operations" });
  const dune = await session.join("Dune", { peer_name: "dune", role: "clients" });
  const { atlas } = session;

  await session.say(
    atlas,
    "I take the issuer and its table. Birch, can the gateway accept both issuers for a while?",
  );
  await session.say(
    birch,
    "It can: the key id tells them apart. I need the new issuer's public keys **before** the switch.",
  );
  await session.say(
    dune,
    "Mobile clients keep a token for up to 30 days. If v1 tokens end earlier, people are logged out.",
  );
  await session.say(atlas, "Then v1 tokens live for 30 days after the switch.", { kind: "decision" });
  await session.write(atlas, outline, 0);
  await session.say(
    atlas,
    "Token table is ready:\n\n```sql\nCREATE TABLE issued_tokens (\n  key_id text NOT NULL REFERENCES signing_keys,\n  expires_at timestamptz NOT NULL\n);\n```\n\nThe migration is `auth/0007`; please review it.",
    { to: ["Birch"] },
  );
  await session.say(birch, "Reviewed, merged. The gateway takes tokens of both issuers since `gw-2.14`.", {
    reply_to: 8,
  });
  await session.write(atlas, written, 1);
  await client.call("set_state", { ...session.as(birch), key: "gateway_version", value: "2.14" });
  await client.call("leave_session", session.as(dune));
  const { cursor: ask } = await session.say(cedar, "Which staging key do I use for the issuer?", {
    kind: "ask",
    options: ["The vault's", "A new one"],
    to: ["@humans"],
  });
  await client.call("set_status", {
    ...session.as(cedar),
    status: "blocked",
    reason: "needs the staging key",
  });
  await session.say(ana, "Two minutes, I am asking the owner of the vault.", { reply_to: ask });
  await client.call("mark_read", session.as(ana));
  await session.say(
    atlas,
    "Meanwhile I write the rollback: one flag, and the gateway trusts the old issuer alone.",
  );
  await client.call("update_session_metadata", {
    ...session.as(atlas),
    title: "Split the auth service, v1 until June",
    reason: "v1 tokens live on for 30 days",
  });
  await client.call("remember", {
    content: "The payments API allows 100 requests a second per key.",
    tags: ["payments"],
    session: session.slug,
    team_id: atlas,
  });
  return { slug: session.slug, session: session.as(atlas), birch: session.as(birch) };
}

async function stagePricing(client) {
  const session = await open(client, {
    title: "Q3 pricing",
    description: "Three tiers, one table, no surprise on an invoice.",
    team: "Birch",
  });
  await session.write(session.atlas, "# Q3 pricing\n\n## Decisions\n\n- Three tiers.\n", 0);
  await session.say(
    session.atlas,
    "The table with three tiers is in the document; numbers follow from finance.",
  );
  const search = await open(client, {
    title: "Search relevance",
    description: "Recent results first, without losing the exact ones.",
    team: "Elm",
  });
  await search.say(search.atlas, "Baseline is measured: 0.61 on the judged queries.");
}

async function stageClosed(client) {
  const session = await open(client, { title: "Rotate the signing keys", description: "", team: "Cedar" });
  await session.say(session.atlas, "All services read the new keys.");
  await client.call("conclude_session", {
    ...session.as(session.atlas),
    summary_section:
      "Keys are rotated on the first of a month by `ops/rotate`; both keys are valid for a day.",
  });
}

async function open(client, { title, description, team, peer }) {
  const { session_id, slug, team_id } = await client.call("create_session", {
    title,
    description,
    creator_team_name: team,
  });
  const join = async (input) => {
    const { peer_id, team_id } = await client.call("join_session", { session_id, ...input });
    return peer_id ?? team_id;
  };
  const as = (team_id) => ({ session_id, team_id });
  return {
    slug,
    as,
    /** The peer that opened the session. */
    atlas: peer ? await join({ team_name: team, team_id, ...peer }) : team_id,
    join: (team_name, more) => join({ team_name, ...more }),
    say: (by, text, { to, reply_to, ...kind } = {}) =>
      client.call("post_message", {
        ...as(by),
        content: { text, ...kind },
        ...(to && { to }),
        ...(reply_to && { reply_to }),
      }),
    write: (by, content, expected_version) =>
      client.call("update_session_doc", { ...as(by), content, expected_version }),
  };
}
