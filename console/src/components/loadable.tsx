import { type ComponentType, lazy, useState } from 'react'

/** A component whose code is loaded when it is drawn, or earlier by `preload`: then it is drawn at once. */
export const loadable = <Props extends object, Exports>(
  load: () => Promise<{ default: ComponentType<Props> } & Exports>,
) => {
  const Later: ComponentType<Props> = lazy(load)
  let loaded: ComponentType<Props> | undefined
  const Loadable = (props: Props) => {
    const [Code] = useState(() => loaded ?? Later)
    return <Code {...props} />
  }
  const preload = async () => {
    const module = await load()
    loaded = module.default
    return module
  }
  return Object.assign(Loadable, { preload })
}
