import { ApiError } from '../../../client/src/errors.ts'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { Problem } from './Problem.tsx'

/** An error of saving. After a lost race, what was typed stays, and the newest version is offered. */
export const SaveProblem = ({
  error,
  shown,
  onReload,
}: {
  error: unknown
  shown: readonly string[]
  onReload: () => unknown
}) => {
  const { common } = useMessages()
  if (!(error instanceof ApiError && error.status === 412)) return <Problem error={error} shown={shown} />
  return (
    <>
      <Problem error={new Error(`${common.conflict} ${common.conflictHelp}`)} />
      <div>
        <Button onClick={onReload}>{common.reload}</Button>
      </div>
    </>
  )
}
