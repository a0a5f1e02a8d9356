import type { OutputOf, Persona, Perspective } from "@merkle/wire";
import type { ChangeKind } from "@/broker/broker";
import { type Read, useRead } from "@/broker/use-read";
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
export function usePerspectives(): Read<{ readonly perspectives: readonly Perspective[] }> {
  const input = toInput(useSource().source);
  const ofDocument = useRead("list_perspectives", "session_id" in input ? input : null, { on });
  const ofFile = useRead("list_source_perspectives", "source_path" in input ? input : null, { on });
  const read = "session_id" in input ? ofDocument : ofFile;
  useRefreshWithText(read.refresh);
  return read;
}

/** Returns the reading of the text by one persona, in full. */
export function usePerspective(
  persona_name: string,
): Read<OutputOf<"get_perspective"> | OutputOf<"get_source_perspective">> {
  const input = toInput(useSource().source);
  const named = { ...input, persona_name };
  const ofDocument = useRead("get_perspective", "session_id" in named ? named : null, { on });
  const ofFile = useRead("get_source_perspective", "source_path" in named ? named : null, { on });
  return "session_id" in input ? ofDocument : ofFile;
}
