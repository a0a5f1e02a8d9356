import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

type Component = (props: never) => ReactNode;
type PropsOf<Part extends Component> = Parameters<Part> extends [infer Props extends object] ? Props : object;
type Modules<Name extends string> = Readonly<Record<Name, Component>>;

/**
 * A component that is loaded when it is first shown, by the name that its module exports it under.
 *
 * @param fallback - shown in the meantime
 */
export function lazyPart<Name extends string, Module extends Modules<Name>>(
  load: () => Promise<Module>,
  name: Name,
  fallback: ReactNode = null,
): ComponentType<PropsOf<Module[Name]>> {
  type Props = PropsOf<Module[Name]>;
  // React cannot type a lazy component whose props are a type parameter.
  const loadPart = async () => ({ default: (await load())[name] as unknown as ComponentType });
  const Part = lazy(loadPart) as unknown as ComponentType<Props>;
  return (props: Props) => (
    <Suspense fallback={fallback}>
      <Part {...props} />
    </Suspense>
  );
}

/** A part that the page can do without: if it cannot be loaded, nothing is shown in its place. */
export function lazyHelper<Name extends string, Module extends Modules<Name>>(
  load: () => Promise<Module>,
  name: Name,
): ComponentType<PropsOf<Module[Name]>> {
  const loadOrLeaveOut = () => load().catch(() => ({ [name]: () => null }) as unknown as Module);
  return lazyPart(loadOrLeaveOut, name);
}
