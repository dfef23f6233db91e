import { useMemo } from 'react'
import { useMessages } from '../messages/messages.ts'
import { Button } from './Button.tsx'
import { isConflict } from './describe-error.ts'
import { Problem } from './Problem.tsx'

interface SaveProblemProps {
  error: unknown
  /** Fields that show their own errors. */
  shown: readonly string[]
  labels?: Readonly<Record<string, string>>
  /** Id of the form, if this is outside of it. */
  form?: string
  onReload?: (() => unknown) | undefined
}

/** Shows why saving failed. After a conflict the input is kept, and loading the newest version is offered. */
export const SaveProblem = ({ error, onReload, ...rest }: SaveProblemProps) => {
  const { controls } = useMessages()
  const lost = useMemo(
    () => isConflict(error) && new Error(`${controls.conflict} ${controls.conflictHelp}`),
    [error, controls],
  )
  if (!lost) return <Problem error={error} {...rest} />
  return (
    <>
      <Problem error={lost} />
      {onReload && (
        <div>
          <Button onClick={onReload}>{controls.reload}</Button>
        </div>
      )}
    </>
  )
}
