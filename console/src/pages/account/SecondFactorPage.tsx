import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { consoleApi } from '../../api/console.ts'
import { Button } from '../../components/Button.tsx'
import { loadable } from '../../components/loadable.tsx'
import { useMessages } from '../../messages/messages.ts'
import { leave, ME, tellTabs } from '../../session.tsx'
import { Entrance, Hint } from './Entrance.tsx'
import { RecoveryCodes, SecondFactor } from './SecondFactor.tsx'
import { useSecondFactorWords } from './second-factor-words.ts'

const GiveSecondFactor = loadable(() => import('../../components/GiveSecondFactor.tsx'))

interface SecondFactorPageProps {
  pending: 'verify' | 'enrol' | null
  /** Recovery codes are on the page: it stays until they are kept. */
  onHold: (isHeld: boolean) => void
}

/** After the password: asks for the second factor, or has one set up where it is required. */
const SecondFactorPage = ({ pending, onHold }: SecondFactorPageProps) => {
  const words = useSecondFactorWords()
  const { account } = useMessages()
  const queries = useQueryClient()
  const [codes, setCodes] = useState<string[]>()
  const goOn = async () => {
    // What was asked for before is of no use: it was refused.
    delete window.earlyReplies
    tellTabs('signed-in')
    await queries.invalidateQueries({ queryKey: ME })
  }
  const signOut = async () => {
    await consoleApi.signOut().catch(() => {})
    leave()
  }
  const isGiving = pending === 'verify' && !codes
  return (
    <Entrance title={isGiving ? account.giveTitle : words.requiredTitle}>
      {isGiving ? (
        <GiveSecondFactor onDone={goOn} />
      ) : (
        <>
          <Hint>{words.requiredHelp}</Hint>
          <SecondFactor
            onCodes={(codes) => {
              onHold(true)
              setCodes(codes)
            }}
          />
        </>
      )}
      <Button kind="quiet" onClick={signOut}>
        {words.otherAccount}
      </Button>
      {codes && (
        <RecoveryCodes
          codes={codes}
          onClose={() => {
            setCodes(undefined)
            onHold(false)
            goOn()
          }}
        />
      )}
    </Entrance>
  )
}

export default SecondFactorPage
