/**
 * Storage key of the mesh that this browser has chosen on an open broker (DASH-280). `merkle open --mesh` sets it with
 * `?mesh=`. A signed-in browser always uses the mesh that it is signed in to.
 */
const key = "merkle.mesh";
const main = "main";
/** The demo room's mesh. Only the tab in which a visitor opened the demo uses this mesh. */
const demo = "demo";

/**
 * The chosen mesh, or undefined for the main mesh. Constant for the lifetime of the page, because all data on a page belongs to
 * one mesh.
 */
export const chosenMesh: string | undefined = readChosenMesh();

/** True if this page shows the demo room, where no data belongs to a particular person. */
export const isInDemo: boolean = chosenMesh === demo;

function readChosenMesh(): string | undefined {
  if (typeof window === "undefined") return undefined;
  const requestedMesh = new URLSearchParams(location.search).get("mesh");
  try {
    if (requestedMesh !== null) storeMesh(requestedMesh);
    return sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? undefined;
  } catch {
    // If storage is unavailable, only the URL names the mesh.
    return requestedMesh && requestedMesh !== main ? requestedMesh : undefined;
  }
}

/** Loads the dashboard in the named mesh. */
export function enterMesh(name: string): void {
  storeMesh(name);
  location.assign("/");
}

/** Selects the main mesh for pages loaded from now on. */
export function leaveMesh(): void {
  storeMesh(main);
}

function storeMesh(name: string): void {
  try {
    if (name === demo) return sessionStorage.setItem(key, name);
    sessionStorage.removeItem(key);
    if (name === main || name === "") localStorage.removeItem(key);
    else localStorage.setItem(key, name);
  } catch {
    // If storage is unavailable, the next page opens in the main mesh.
  }
}
