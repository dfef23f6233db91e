import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { Empty } from './Empty.tsx'
import { PageSkeleton } from './PageSkeleton.tsx'
import { Waiting } from './Waiting.tsx'

/** Without a connection the code does not arrive; after an update of the service it has other names. */
const NotLoaded = () => {
  const { controls } = useMessages()
  return (
    <div role="alert">
      <Empty title={controls.failed}>
        <p>{controls.notLoaded}</p>
        <Button onClick={() => location.reload()}>{controls.retry}</Button>
      </Empty>
    </div>
  )
}

/**
 * A component whose code is loaded when it is drawn, or earlier by `preload`: then it is drawn at once. React's `lazy` would
 * leave its place empty for 300 ms at least, however soon the code is there.
 */
export const loadable = <Props extends object, Exports>(
  load: () => Promise<{ default: ComponentType<Props> } & Exports>,
  /** Drawn until then. */
  waiting: ReactNode = <Waiting />,
) => {
  let loaded: ComponentType<Props> | undefined
  const preload = async () => {
    const module = await load()
    loaded = module.default
    return module
  }
  const Loadable = (props: Props) => {
    const [Code, setCode] = useState(() => loaded)
    const [hasFailed, setFailed] = useState(false)
    useEffect(() => {
      if (!Code)
        preload().then(
          (module) => setCode(() => module.default),
          () => setFailed(true),
        )
    }, [Code])
    if (Code) return <Code {...props} />
    return hasFailed ? <NotLoaded /> : waiting
  }
  return Object.assign(Loadable, { preload })
}

/** A page, in whose place there is a skeleton until its code has come. */
export const loadablePage = <Exports,>(load: () => Promise<{ default: ComponentType } & Exports>) =>
  loadable(load, <PageSkeleton />)
