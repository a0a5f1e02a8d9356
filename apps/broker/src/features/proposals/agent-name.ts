/** The name of a job's agent where it speaks or writes: it is no team and no person. */
export const agentName = "agent";
