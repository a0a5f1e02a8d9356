"use client";

import { limits } from "@merkle/wire/limits";
import { type FormEvent, useId, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useAdmitted } from "@/broker/use-admitted";
import { useBroker } from "@/broker/use-broker";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { RefusalNote } from "@/components/refusal-note";
import { ListRow, RowList } from "@/components/row-list";
import { chosenMesh, enterMesh } from "@/identity/chosen-mesh";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { Skeleton } from "@/ui/skeleton";
import { useIsAdmin } from "./use-is-admin";

/** The meshes of this broker that this person is a member of. A browser is signed in to one mesh at a time. */
export function Meshes() {
  const admitted = useAdmitted();
  const isAdmin = useIsAdmin();
  const { data, problem, refresh } = useRead("list_meshes", {});
  // On an open broker no one is signed in, so only the browser knows its mesh.
  const isOpen = admitted === null;
  const isHere = ({ mesh_id, name }: { readonly mesh_id: string; readonly name: string }) =>
    isOpen ? name === (chosenMesh ?? "main") : mesh_id === admitted?.mesh_id;
  return (
    <div className="grid gap-3">
      {problem && <ProblemAlert title="Couldn't load meshes." problem={problem} onRetry={refresh} />}
      {data === undefined && problem === undefined && <Skeleton className="h-16" />}
      {data && (
        <RowList label="Meshes">
          {data.meshes.map(({ mesh_id, name, role, sessions, members, peers_online }) => (
            <ListRow
              key={mesh_id}
              title={
                <>
                  <bdi className="font-medium">{name}</bdi>
                  {isHere({ mesh_id, name }) && <Badge variant="success">this browser</Badge>}
                  {role === "admin" && <Badge>admin</Badge>}
                </>
              }
              facts={`${sessions} ${sessions === 1 ? "session" : "sessions"}, ${isOpen ? "" : `${members} ${members === 1 ? "member" : "members"}, `}${peers_online} ${peers_online === 1 ? "agent" : "agents"} online`}
              action={
                isOpen &&
                !isHere({ mesh_id, name }) && (
                  <Button variant="outline" size="sm" onClick={() => enterMesh(name)}>
                    Open <bdi>{name}</bdi>
                  </Button>
                )
              }
            />
          ))}
        </RowList>
      )}
      <p className="text-sm text-muted-foreground">
        A browser shows one mesh at a time. To open another, run{" "}
        <span className="font-mono">merkle open --mesh NAME</span>
        {!isOpen && (
          <>
            , which signs this browser out of <bdi>{admitted?.mesh ?? "this one"}</bdi>
          </>
        )}
        .
      </p>
      {(isAdmin || isOpen) && <NewMesh onMade={refresh} />}
    </div>
  );
}

function NewMesh({ onMade }: { readonly onMade: () => void }) {
  const id = useId();
  const broker = useBroker();
  const [name, setName] = useState("");
  const [createdName, setCreatedName] = useState<string | null>(null);
  const { run, isPending, refusal } = useAction();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    await run(async (signal) => {
      const mesh = await broker.call("create_mesh", { name: name.trim() }, { signal });
      setCreatedName(mesh.name);
      setName("");
      onMade();
    });
  }

  return (
    <form className="grid gap-1.5" onSubmit={(event) => void submit(event)}>
      <label htmlFor={id} className="text-sm font-medium">
        New mesh
      </label>
      <div className="flex flex-wrap gap-2">
        <Input
          id={id}
          required
          maxLength={limits.meshNameCharsMax}
          autoComplete="off"
          spellCheck={false}
          placeholder="Name"
          className="max-w-80 flex-1"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" variant="outline" disabled={isPending || name.trim() === ""}>
          {isPending ? "One moment…" : "Create"}
        </Button>
      </div>
      <p role="status" className="text-sm text-muted-foreground empty:hidden">
        {createdName !== null && (
          <>
            <bdi>{createdName}</bdi> created.
          </>
        )}
      </p>
      <RefusalNote refusal={refusal} />
    </form>
  );
}
