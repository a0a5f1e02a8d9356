import { toLaunchLine } from "@merkle/wire/text";
import { InstallSnippet } from "@/components/install-snippet";
import { Snippet } from "@/components/snippet";
import { chosenMesh } from "@/identity/chosen-mesh";

/** The commands that start the first peer of a session. */
export function StartPeer({ slug }: { readonly slug: string }) {
  return (
    <>
      <InstallSnippet className="w-96 max-w-full text-start" />
      <Snippet
        label="Start a peer in this session"
        text={toLaunchLine({ session: slug, mesh: chosenMesh })}
        className="w-96 max-w-full text-start"
      />
    </>
  );
}
