import { inject, it } from "vitest";
import { withPosts } from "../kit/team-scripts.js";
import { runTeam } from "../kit/team-session.js";

it.runIf(inject("clientPrograms")["codex"])(
  "a team plans, asks a human, works on three tasks and concludes, and what that costs is counted",
  async () => void (await runTeam(withPosts)),
  600_000,
);
