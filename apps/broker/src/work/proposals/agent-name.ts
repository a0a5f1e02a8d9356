/** What the agent of a job is called where it speaks or writes: it is no team and no person. */
export const agentName = "agent";
