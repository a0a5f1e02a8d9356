import { setQuery } from "@/core/address/address";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Select } from "@/ui/select";

/** Selects the team whose work is shown, or everyone for the audit log. The address contains it. */
export function TeamSelect({ team }: { readonly team: string | null }) {
  const { participants } = useSession();
  const names = participants.map(({ team_name }) => team_name);
  // The address may name a team in another case, or one that was never in the session.
  const selected = names.find((name) => name.toLowerCase() === team?.toLowerCase()) ?? team ?? "";
  const unknown = selected === "" || names.includes(selected) ? [] : [selected];
  return (
    <Select
      aria-label="Done by"
      className="w-40"
      value={selected}
      onChange={(name) => setQuery({ by: name === "" ? null : name, kind: null })}
      options={[["", "Everyone"], ...[...names, ...unknown].map((name) => [name, showHidden(name)] as const)]}
    />
  );
}
