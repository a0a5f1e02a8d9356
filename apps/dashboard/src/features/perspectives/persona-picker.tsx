"use client";

import { showHidden } from "@/text/markdown/hidden-characters";
import { Segmented } from "@/ui/segmented";
import { Select } from "@/ui/select";
import type { OfferedPersona } from "./use-perspectives";

export interface PersonaPickerProps {
  readonly offered: readonly OfferedPersona[];
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

/** Up to this number of personas, the picker shows segmented buttons. With more personas, it shows a select. */
const besideMax = 6;

/** Selects the persona whose reading is shown. */
export function PersonaPicker({ offered, chosen, onChoose }: PersonaPickerProps) {
  if (offered.length <= besideMax) {
    return (
      <Segmented
        label="Persona"
        value={chosen}
        options={offered.map(({ persona: { name } }) => ({
          value: name,
          label: <bdi>{showHidden(name)}</bdi>,
        }))}
        onChange={onChoose}
        className="bg-background"
      />
    );
  }
  return (
    <Select
      aria-label="Persona"
      className="w-full"
      value={chosen}
      onChange={onChoose}
      options={offered.map((each) => [each.persona.name, `${showHidden(each.persona.name)} ${noteOn(each)}`])}
    />
  );
}

function noteOn({ perspective }: OfferedPersona): string {
  if (perspective === null) return "· not read yet";
  return perspective.stale ? "· stale" : "";
}
