import { type ComponentType, lazy, type ReactNode } from "react";

type Component = (props: never) => ReactNode;
type PropsOf<Part extends Component> = Parameters<Part> extends [infer Props] ? Props : object;
type Modules<Name extends string> = Readonly<Record<Name, Component>>;

/** A component that is loaded when it is first shown, by the name that its module exports it under. */
export function lazyPart<Name extends string, Module extends Modules<Name>>(
  load: () => Promise<Module>,
  name: Name,
): ComponentType<PropsOf<Module[Name]>> {
  // React cannot type a lazy component whose props are a type parameter.
  return lazy(async () => ({ default: (await load())[name] as unknown as ComponentType })) as ComponentType<
    PropsOf<Module[Name]>
  >;
}

/** A part that the page can do without: if it cannot be loaded, nothing is shown in its place. */
export function lazyHelper<Name extends string, Module extends Modules<Name>>(
  load: () => Promise<Module>,
  name: Name,
): ComponentType<PropsOf<Module[Name]>> {
  const loadOrLeaveOut = () => load().catch(() => ({ [name]: () => null }) as unknown as Module);
  return lazyPart(loadOrLeaveOut, name);
}
