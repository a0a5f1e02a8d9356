/**
 * The mesh that this browser's pages are in where everybody is let in (DASH-280); `merkle open --mesh` leads to one by `?mesh=`. A browser
 * that is signed in is in the mesh of its sign-in, and has chosen none.
 */
const key = "merkle.mesh";
const main = "main";
/** The demo room's. Only the tab that a visitor came in by is in it. */
const demo = "demo";

/** Undefined for the main mesh. The same for as long as the page lasts: all that it shows is of one mesh. */
export const chosenMesh: string | undefined = readChosen();

/** Whether all of this page is the demo room's, where nothing is anybody's own. */
export const isInDemo: boolean = chosenMesh === demo;

function readChosen(): string | undefined {
  if (typeof window === "undefined") return undefined;
  const named = new URLSearchParams(location.search).get("mesh");
  try {
    if (named !== null) keep(named);
    return sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? undefined;
  } catch {
    // This browser keeps nothing, so the address says it alone.
    return named && named !== main ? named : undefined;
  }
}

/** Reloads the page in that mesh. */
export function enterMesh(name: string): void {
  keep(name);
  location.assign("/");
}

/** Chooses the main mesh for the pages that are loaded from now on. */
export function leaveMesh(): void {
  keep(main);
}

function keep(name: string): void {
  try {
    if (name === demo) return sessionStorage.setItem(key, name);
    sessionStorage.removeItem(key);
    if (name === main || name === "") localStorage.removeItem(key);
    else localStorage.setItem(key, name);
  } catch {
    // The next page begins in the main mesh.
  }
}
