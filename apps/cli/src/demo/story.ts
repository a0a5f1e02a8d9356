/** The cast, by the name of the role and the name that the others see. */
export const cast = { atlas: "Atlas", birch: "Birch", ana: "Ana" } as const;

export type Role = keyof typeof cast;
export type Name = (typeof cast)[Role];

export const session = {
  title: "Short-lived login tokens",
  description:
    "Access tokens of the login service live for 30 days. They should live for 15 minutes, and the change should log no one out.",
} as const;

export const rename = {
  title: "Short-lived login tokens, old apps in March",
  reason: "3 % of the users have apps that cannot renew a token, and no one should be logged out.",
} as const;

/** Everything that is said, in its order. */
export const lines = {
  proposal: {
    by: "Atlas",
    text: "Hello Birch. Access tokens live for 30 days; I want 15 minutes, and no one logged out. I have the login service, you have the web and mobile clients: I issue refresh tokens, you renew when a call answers 401. Does that split work for you?",
  },
  condition: {
    by: "Birch",
    text: "It does, on one condition: a phone that loses its network sends the same renewal twice, and the second one must not fail.",
  },
  agreement: {
    by: "Atlas",
    text: "Good catch. A renewal that comes again within 60 seconds gets the same answer. An outline is in the document: you write Clients, I write Server.",
  },
  start: { by: "Birch", text: "Clients is mine. I have read the outline and am writing." },
  server: { by: "Atlas", text: "Server is written." },
  merged: {
    by: "Birch",
    text: "We wrote at the same time: my text was made from an older version, so it was refused, and I was shown what had changed. Merged, the document has both parts now.",
  },
  question: {
    by: "Ana",
    text: "Ana from support, I have been reading along. Will anyone have to log in again on the day we switch?",
  },
  fact: { by: "Birch", text: "3 % of our users would: apps before 4.2 cannot renew a token." },
  decision: {
    by: "Atlas",
    text: "Then apps before 4.2 keep their 30-day tokens until 1 March, and everyone else switches now. Good enough, Ana?",
  },
  consent: { by: "Ana", text: "Yes. I will ask these users to update before 1 March." },
  rollout: {
    by: "Birch",
    text: "The new scope is clear. The rollout is in the document: web first, then apps from 4.2 on in three steps. My part is done.",
  },
} as const satisfies Record<string, Line>;

export interface Line {
  readonly by: Name;
  readonly text: string;
}

/** The texts of the story, and how they are written; each part of the document changes only what is its own. */
export const document = {
  outline: `# ${session.title}

## Server

_Atlas writes here._

## Clients

_Birch writes here._
`,
  writeServer: (content: string) =>
    content.replace(
      "_Atlas writes here._",
      "- An access token lives for 15 minutes, a refresh token for 30 days.\n- `POST /token/renew` gives a new pair. The same renewal within 60 seconds gets the same answer.",
    ),
  writeClients: (content: string) =>
    content.replace(
      "_Birch writes here._",
      "- A call that answers 401 renews once and is made again.\n- Renewals of one device wait for each other.",
    ),
  decision: {
    old_text: "## Server\n",
    new_text:
      "## Decisions\n\n- Apps before 4.2 keep their 30-day tokens until 1 March (asked by Ana).\n\n## Server\n",
  },
  rollout:
    "\n## Rollout\n\n1. Web.\n2. Apps from 4.2 on: 10 %, 50 %, all.\n3. Apps before 4.2, on 1 March.\n",
  conclusion:
    "Access tokens live for 15 minutes and are renewed on a 401; a renewal may be repeated for 60 seconds. No one is logged out: apps before 4.2 keep their tokens until 1 March.\n\nResume here: switch the old apps on 1 March.",
} as const;

/** One entry that the feed must bring. */
export type Expected =
  | ({ readonly event: "said" } & Line)
  | { readonly event: "team_joined"; readonly by: Name }
  | {
      readonly event: "session_metadata_updated";
      readonly by: Name;
      readonly title: string;
      readonly reason: string;
    }
  | { readonly event: "session_concluded"; readonly by: Name };

/** The whole feed, and who wrote each version of the document: what the demo is checked against. */
export const outcome: {
  readonly feed: readonly Expected[];
  readonly versionsBy: readonly Name[];
  readonly headings: readonly string[];
} = {
  feed: [
    { event: "team_joined", by: "Birch" },
    { event: "said", ...lines.proposal },
    { event: "said", ...lines.condition },
    { event: "said", ...lines.agreement },
    { event: "said", ...lines.start },
    { event: "said", ...lines.server },
    { event: "said", ...lines.merged },
    { event: "team_joined", by: "Ana" },
    { event: "said", ...lines.question },
    { event: "said", ...lines.fact },
    { event: "said", ...lines.decision },
    { event: "said", ...lines.consent },
    { event: "session_metadata_updated", by: "Atlas", ...rename },
    { event: "said", ...lines.rollout },
    { event: "session_concluded", by: "Atlas" },
  ],
  versionsBy: ["Atlas", "Atlas", "Birch", "Atlas", "Birch", "Atlas"],
  headings: [
    "# Short-lived login tokens",
    "## Decisions",
    "## Server",
    "## Clients",
    "## Rollout",
    "## Conclusion",
  ],
};
