import type { OutputOf, Persona, Perspective } from "@merkle/wire";
import type { ChangeKind } from "@/broker/broker";
import { type ReadResult, useRead } from "@/broker/use-read";
import { toInput } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";
import { useRefreshWithText } from "@/sessions/use-refresh-with-text";

/** A persona, and its reading of this text if there is one. */
export interface OfferedPersona {
  readonly persona: Persona;
  readonly perspective: Perspective | null;
}

const on: readonly ChangeKind[] = ["perspectives", "personas", "document"];

/** Returns the newest reading of each persona for the page's document or file, kept up to date. */
export function usePerspectives(): ReadResult<{ readonly perspectives: readonly Perspective[] }> {
  const input = toInput(useSource().source);
  const documentRead = useRead("list_perspectives", "session_id" in input ? input : null, { on });
  const fileRead = useRead("list_source_perspectives", "source_path" in input ? input : null, { on });
  const read = "session_id" in input ? documentRead : fileRead;
  useRefreshWithText(read.refresh);
  return read;
}

/** Returns the reading of the text by one persona, in full. */
export function usePerspective(
  persona_name: string,
): ReadResult<OutputOf<"get_perspective"> | OutputOf<"get_source_perspective">> {
  const input = toInput(useSource().source);
  const request = { ...input, persona_name };
  const documentRead = useRead("get_perspective", "session_id" in request ? request : null, { on });
  const fileRead = useRead("get_source_perspective", "source_path" in request ? request : null, { on });
  return "session_id" in input ? documentRead : fileRead;
}
