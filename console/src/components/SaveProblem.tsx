import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { isConflict, Problem } from './Problem.tsx'

/** Shows why saving failed. After a conflict the input is kept, and loading the newest version is offered. */
export const SaveProblem = ({
  error,
  shown,
  onReload,
}: {
  error: unknown
  shown: readonly string[]
  onReload: () => unknown
}) => {
  const { controls } = useMessages()
  if (!isConflict(error)) return <Problem error={error} shown={shown} />
  return (
    <>
      <Problem error={new Error(`${controls.conflict} ${controls.conflictHelp}`)} />
      <div>
        <Button onClick={onReload}>{controls.reload}</Button>
      </div>
    </>
  )
}
