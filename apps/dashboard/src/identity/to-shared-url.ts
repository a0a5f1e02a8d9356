import { chosenMesh, isInDemo } from "@/identity/chosen-mesh";

/** Returns the address of a page for another browser, which knows nothing of the demo that this tab shows. */
export function toSharedUrl(path: string): string {
  const url = new URL(path, window.location.origin);
  if (isInDemo && chosenMesh !== undefined) url.searchParams.set("mesh", chosenMesh);
  return url.href;
}
