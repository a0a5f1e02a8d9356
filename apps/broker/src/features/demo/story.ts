/**
 * The demo room's script: a discussion between two agents that cannot agree, and the outcome for each answer
 * that a visitor may give.
 */

export const session = {
  title: "Short-lived login tokens",
  description:
    "A demo. Two scripted agents cannot agree about a login service; then one of them asks you. Nothing here is yours, and nothing can break.",
} as const;

export const tasks = {
  atlas: "Issue login tokens that live for 15 minutes",
  birch: "Renew tokens in the web and mobile clients",
} as const;

export const summaries = {
  atlas: "Shortening login tokens from 30 days to 15 minutes",
  birch: "Making sure that this logs no one out",
  writing: "Writing down the decisions",
  rollout: "Planning the rollout",
} as const;

export const document = {
  outline: `# ${session.title}

## Server

- An access token lives for 15 minutes, a refresh token for 30 days.
- The same renewal within 60 seconds gets the same answer.

## Clients

- A call that gets a 401 renews once and is retried.
- Open: apps before 4.2 cannot renew.
`,
  open: "- Open: apps before 4.2 cannot renew.\n",
} as const;

export const lines = {
  proposal:
    "Hello Birch. Login tokens live for 30 days; I want 15 minutes. I have the login service, you have the web and mobile clients: I issue refresh tokens, you renew on a 401. Does that split work?",
  condition:
    "It does, on one condition: a phone that loses its network sends the same renewal twice, and the second one must not fail.",
  agreement: "Good catch. The same renewal within 60 seconds gets the same answer; it is in the document.",
  objection:
    "There is worse: 3 % of our users have apps before 4.2, and those cannot renew at all. Switch today, and they are logged out on a Monday morning.",
  reply: "Keep 30-day tokens for them, and the hole that we are closing stays open. I would switch everyone.",
  refusal: "And I would rather explain one open hole than 40,000 locked doors. I disagree.",
  question: "We disagree, and it isn't our call. What happens to the 3 % whose apps cannot renew a token?",
} as const;

export const blockedOn = "needs a decision on apps before 4.2";

/** The text that the agents write after an answer. */
export interface StoryOutcome {
  readonly thanks: string;
  readonly decision: string;
  /** Text that replaces the open question in the document. */
  readonly client: string;
  readonly rollout: string;
  readonly plan: string;
  readonly conclusion: string;
}

const common =
  "Access tokens live for 15 minutes and are renewed on a 401; a renewal may be repeated for 60 seconds.";

/** The suggested answers, each with its outcome. Any other answer is quoted. */
export const outcomes: Readonly<Record<string, StoryOutcome>> = {
  "Keep their 30-day tokens until 1 March": {
    thanks: "Thank you. Then no one is locked out, and the hole has an end date that I can live with.",
    decision: "Apps before 4.2 keep their 30-day tokens until 1 March; everyone else switches now.",
    client: "- Apps before 4.2 keep their 30-day tokens until 1 March.\n",
    rollout:
      "Then here's my plan: web today, apps from 4.2 on in three steps, and a reminder to update in the old ones.",
    plan: "\n## Rollout\n\n1. Web, today.\n2. Apps from 4.2 on: 10 %, 50 %, all.\n3. Apps before 4.2, on 1 March.\n",
    conclusion: `${common} No one is logged out: apps before 4.2 keep their tokens until 1 March.\n\nResume here: switch the old apps on 1 March.`,
  },
  "Switch everyone now, and tell them why": {
    thanks: "Thank you. Then the hole is closed today, and we owe 3 % of our users a good sentence.",
    decision: "Everyone switches now; apps before 4.2 show why, and where to update.",
    client: "- Apps before 4.2 are logged out once, with a screen that says why and how to update.\n",
    rollout:
      "I can live with that if we say it well. The login screen tells them why, and support knows a day before.",
    plan: "\n## Rollout\n\n1. A sentence for the login screen, and a note to support.\n2. One day later: everyone at the same time.\n",
    conclusion: `${common} Everyone switches at the same time; apps before 4.2 are logged out once, with the reason.\n\nResume here: count in a week how many have updated.`,
  },
  "Ask them to update first, switch in two weeks": {
    thanks: "Thank you. Two weeks is short enough for me, and long enough for them.",
    decision: "Apps before 4.2 ask to be updated from today on; everyone switches in two weeks.",
    client: "- Apps before 4.2 ask to be updated from today on, and stop working in two weeks.\n",
    rollout: "Then the reminder goes out today, and I count every morning how many are left.",
    plan: "\n## Rollout\n\n1. A reminder in the old apps, today.\n2. Web and apps from 4.2 on, this week.\n3. Everyone, in two weeks.\n",
    conclusion: `${common} Users of apps before 4.2 are asked to update; everyone switches in two weeks.\n\nResume here: look at how many old apps are left.`,
  },
};

/** Returns the outcome for an answer in the visitor's own words. */
export function createOutcome(name: string, words: string): StoryOutcome {
  const quote = words.replaceAll(/\s+/g, " ").trim();
  return {
    thanks: `Thank you, ${name}. I hadn't thought of that one. We'll do it your way.`,
    decision: `As ${name} says: “${quote}”`,
    client: `- Apps before 4.2, as ${name} says: “${quote}”\n`,
    rollout:
      "Then this is the plan: web first, apps from 4.2 on in three steps, and the old apps as just decided.",
    plan: `\n## Rollout\n\n1. Web.\n2. Apps from 4.2 on: 10 %, 50 %, all.\n3. Apps before 4.2, as ${name} says.\n`,
    conclusion: `${common} For apps before 4.2 ${name} has decided: “${quote}”\n\nNext: follow that decision.`,
  };
}

/** The cautious outcome, used if no visitor answers in time. */
export const unanswered: StoryOutcome = {
  ...createOutcome("Birch", "they keep what they have"),
  thanks: "No one has answered, so we take the careful way. It can be changed later.",
  decision: "Until someone says otherwise, apps before 4.2 keep their 30-day tokens.",
  client: "- Apps before 4.2 keep their 30-day tokens until someone says otherwise.\n",
  plan: "\n## Rollout\n\n1. Web.\n2. Apps from 4.2 on: 10 %, 50 %, all.\n",
  conclusion: `${common} No one has decided about apps before 4.2, so nothing changes for them.`,
};
