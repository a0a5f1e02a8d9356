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
  const [editedPersona, setEditedPersona] = useState<Persona | "new" | null>(null);
  const currentPersonas = data?.personas.filter(({ retired }) => !retired) ?? [];
  const retiredPersonas = data?.personas.filter((persona) => persona.retired) ?? [];
  const renderRows = (personas: readonly Persona[]) =>
    personas.map((persona) => (
      <PersonaRow key={persona.name} persona={persona} onEdit={() => setEditedPersona(persona)} />
    ));
  return (
    <div className="grid gap-3">
      <div>
        <Button onClick={() => setEditedPersona("new")}>New persona…</Button>
      </div>
      {problem && <ProblemAlert title="Couldn't load personas." problem={problem} onRetry={refresh} />}
      {data === undefined && problem === undefined && <Skeleton className="h-40" />}
      {currentPersonas.length > 0 && <RowList label="Personas">{renderRows(currentPersonas)}</RowList>}
      {data && currentPersonas.length === 0 && <p className="text-muted-foreground">No personas in use.</p>}
      <Ended what="Retired" count={retiredPersonas.length}>
        <RowList label="Retired personas">{renderRows(retiredPersonas)}</RowList>
      </Ended>
      {editedPersona !== null && (
        <PersonaDialog
          persona={editedPersona === "new" ? null : editedPersona}
          onClose={() => setEditedPersona(null)}
        />
      )}
    </div>
  );
}
