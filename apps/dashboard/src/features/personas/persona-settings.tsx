"use client";

import type { Persona } from "@merkle/wire";
import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { Ended, RowList } from "@/components/row-list";
import { lazyPart } from "@/core/lazy-part";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { PersonaRow } from "./persona-row";

const PersonaDialog = lazyPart(() => import("./persona-dialog"), "PersonaDialog");

/** The personas of the mesh. Everyone can create, edit, retire and restore them. */
export function PersonaSettings() {
  const { data, problem, refresh } = useRead("list_personas", { retired: true }, { on: ["personas"] });
  const [edited, setEdited] = useState<Persona | "new" | null>(null);
  const current = data?.personas.filter(({ retired }) => !retired) ?? [];
  const retired = data?.personas.filter((persona) => persona.retired) ?? [];
  const rows = (personas: readonly Persona[]) =>
    personas.map((persona) => (
      <PersonaRow key={persona.name} persona={persona} onEdit={() => setEdited(persona)} />
    ));
  return (
    <div className="grid gap-3">
      <div>
        <Button onClick={() => setEdited("new")}>New persona…</Button>
      </div>
      {problem && <ProblemAlert title="Couldn't load personas." problem={problem} onRetry={refresh} />}
      {data === undefined && problem === undefined && <Skeleton className="h-40" />}
      {current.length > 0 && <RowList label="Personas">{rows(current)}</RowList>}
      {data && current.length === 0 && <p className="text-muted-foreground">No personas in use.</p>}
      <Ended what="Retired" count={retired.length}>
        <RowList label="Retired personas">{rows(retired)}</RowList>
      </Ended>
      {edited !== null && (
        <PersonaDialog persona={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
      )}
    </div>
  );
}
