import { parseTeamCredential } from "@merkle/wire/plain";

/** The same answer with the bare id in place of the credential, which no command prints (CLI-8). */
export function withoutSecret<Answer extends { readonly team_id: string }>(answer: Answer): Answer {
  return { ...answer, team_id: parseTeamCredential(answer.team_id)?.teamId ?? answer.team_id };
}
