"use client";

import { X } from "lucide-react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Segmented } from "@/ui/segmented";
import { Select } from "@/ui/select";
import { Skeleton } from "@/ui/skeleton";
import { PersonaReading } from "./persona-reading";
import { anyPersona } from "./use-perspective-param";
import { type OfferedPersona, usePerspectives } from "./use-perspectives";

/** Readings of the text by personas, next to the text. One persona is selected, and its reading is shown immediately. */
export function PerspectivePane({ chosen }: { readonly chosen: string }) {
  const close = () => setQuery({ perspective: null });
  return (
    <aside
      aria-label="Perspectives"
      className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface @min-[48rem]:max-w-[26rem] @min-[48rem]:basis-[26rem] @min-[48rem]:border-s"
    >
      <header className="flex min-h-10 items-center gap-2 border-b py-1 ps-4 pe-2">
        <h3 className="flex-1 text-sm font-semibold">Perspectives</h3>
        <Button variant="ghost" size="icon" title="Close" onClick={close}>
          <X aria-hidden />
          <span className="sr-only">Close perspectives</span>
        </Button>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3">
        <PanelBoundary title="Perspectives">
          <Perspectives chosen={chosen} />
        </PanelBoundary>
      </div>
    </aside>
  );
}

function Perspectives({ chosen }: { readonly chosen: string }) {
  const personas = useRead("list_personas", { retired: true }, { on: ["personas"] });
  const readings = usePerspectives();
  const problem = personas.problem ?? readings.problem;
  if (!personas.data || !readings.data) {
    if (!problem) return <Skeleton className="h-24" />;
    const retry = () => {
      personas.refresh();
      readings.refresh();
    };
    return <ProblemAlert title="Couldn't load perspectives." problem={problem} onRetry={retry} />;
  }
  const { perspectives } = readings.data;
  const offeredPersonas = personas.data.personas.flatMap((persona) => {
    const perspective = perspectives.find(({ persona_name }) => persona_name === persona.name) ?? null;
    return persona.retired && !perspective ? [] : [{ persona, perspective }];
  });
  const current = choosePersona(offeredPersonas, chosen);
  if (!current) return <NoPersonas />;
  return (
    <div className="grid gap-4">
      <PersonaPicker
        offered={offeredPersonas}
        chosen={current.persona.name}
        onChoose={(name) => setQuery({ perspective: name }, { replace: true })}
      />
      <PersonaReading key={current.persona.name} {...current} />
      <p className="text-sm text-muted-foreground">
        Edit how each persona reads in{" "}
        <PageLink href="/settings#personas" className="text-link underline underline-offset-4">
          Settings, Personas
        </PageLink>
        .
      </p>
    </div>
  );
}

/**
 * Returns the persona that the URL names. If the URL names none, returns the first persona that has read the text, or
 * else the first persona.
 */
function choosePersona(offered: readonly OfferedPersona[], chosen: string): OfferedPersona | undefined {
  const key = chosen.toLowerCase();
  const match = offered.find(({ persona }) => persona.name.toLowerCase() === key);
  if (match && chosen !== anyPersona) return match;
  return offered.find(({ perspective }) => perspective !== null) ?? offered[0];
}

function NoPersonas() {
  return (
    <Empty>
      <EmptyTitle>No personas</EmptyTitle>
      <EmptyDescription>
        A persona is a named reader with instructions. Create or restore one in{" "}
        <PageLink href="/settings#personas" className="text-link underline underline-offset-4">
          Settings
        </PageLink>
        .
      </EmptyDescription>
    </Empty>
  );
}

interface PersonaPickerProps {
  readonly offered: readonly OfferedPersona[];
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
}

/** Up to this number, the personas are segmented buttons. Otherwise they are options of a select. */
const segmentsMax = 6;

/** Selects the persona whose reading is shown. */
function PersonaPicker({ offered, chosen, onChoose }: PersonaPickerProps) {
  if (offered.length <= segmentsMax) {
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
      options={offered.map((each) => [
        each.persona.name,
        `${showHidden(each.persona.name)} ${describePersona(each)}`,
      ])}
    />
  );
}

function describePersona({ perspective }: OfferedPersona): string {
  if (perspective === null) return "· not read yet";
  return perspective.stale ? "· stale" : "";
}
