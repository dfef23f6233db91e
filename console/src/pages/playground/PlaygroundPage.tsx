import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { useInstallation } from '../../api/app-client.ts'
import { documentUrl } from '../../base-url.ts'
import { describeError } from '../../components/describe-error.ts'
import { Empty } from '../../components/Empty.tsx'
import { SelectField } from '../../components/Field.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { Surface } from '../../components/Page.tsx'
import { Skeleton } from '../../components/Skeleton.tsx'
import { useToast } from '../../components/Toast.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useMessages } from '../../messages/messages.ts'
import { AppFrame, useAppId } from '../developer/AppFrame.tsx'
import { useDeveloperWords } from '../developer/words.ts'
import { CallPanel, type Installation } from './CallPanel.tsx'
import { OperationList } from './OperationList.tsx'
import { nameOf, type OpenApi, type Operation, operationsOf } from './operations.ts'
import styles from './Playground.module.css'
import { TokenLine } from './TokenLine.tsx'
import { useToken } from './useToken.ts'
import { usePlaygroundWords } from './words.ts'

const readDocument = async (): Promise<OpenApi> => {
  const response = await fetch(documentUrl, { credentials: 'omit' })
  if (!response.ok) throw new Error(`${documentUrl} answered ${response.status}.`)
  return response.json()
}

/** Read when the page opens, and once: it changes with the server only. */
const useOperations = () => {
  const query = useQuery({ queryKey: ['openapi'], queryFn: readDocument, staleTime: Number.POSITIVE_INFINITY })
  const operations = useMemo(() => (query.data ? operationsOf(query.data) : []), [query.data])
  return { query, operations }
}

interface InStoreProps {
  app: { id: string; name: string }
  installation: Installation
  operations: readonly Operation[]
}

const InStore = ({ app, installation, operations }: InStoreProps) => {
  const words = usePlaygroundWords()
  const messages = useMessages()
  const toast = useToast()
  const { params } = useAddress()
  const access = useToken(app.id, installation.id)
  const [isReal, setReal] = useState(false)
  const wanted = params.get('call')
  const operation = operations.find((one) => nameOf(one) === wanted)
  const list = (more: Record<string, string>) =>
    `/apps/${app.id}/playground?${new URLSearchParams({ store: installation.store_id, ...more })}`
  const renew = () => access.renew().catch((error) => toast(describeError(error, messages).message, { bad: true }))
  return (
    <>
      <Surface>
        <TokenLine token={access.token} app={app.name} store={installation.store} onRenew={renew} />
      </Surface>
      {wanted && (
        <p className={styles.back}>
          <Link href={list({})}>{words.all}</Link>
        </p>
      )}
      {!wanted && (
        <OperationList
          operations={operations}
          permissions={installation.permissions}
          hrefOf={(one) => list({ call: nameOf(one) })}
        />
      )}
      {wanted && !operation && (
        <Surface>
          <Empty title={words.unknown}>{words.unknownHelp}</Empty>
        </Surface>
      )}
      {operation && (
        <CallPanel
          key={nameOf(operation)}
          app={app.id}
          installation={installation}
          operation={operation}
          access={access}
          isReal={isReal}
          onReal={setReal}
        />
      )}
    </>
  )
}

/** Calls of the API, sent from the browser as the app sends them. */
const PlaygroundPage = () => {
  const developer = useDeveloperWords()
  const words = usePlaygroundWords()
  const id = useAppId()
  const { params } = useAddress()
  const { query: installed, installations = [], chosen, choose } = useInstallation(id)
  const { query, operations } = useOperations()
  const app = installed.data?.app
  const asked = params.get('store')
  // Another store must not take the place of the one that a link names.
  const isElsewhere = asked !== null && chosen?.store_id !== asked
  const installation = app && !app.built_in && !app.is_disabled && !isElsewhere ? chosen : undefined
  return (
    <AppFrame section="playground">
      <p className={styles.help}>{words.help}</p>
      {!app && !installed.error && <Skeleton lines={8} />}
      {app && installations.length > 0 && !app.built_in && !app.is_disabled && (
        <div className={styles.store}>
          <SelectField
            label={developer.store}
            value={isElsewhere ? '' : (chosen?.store_id ?? '')}
            choices={[
              ...(isElsewhere ? [{ value: '', label: '–' }] : []),
              ...installations.map(({ store_id, store }) => ({ value: store_id, label: store })),
            ]}
            onChange={({ target }) => choose(target.value)}
          />
        </div>
      )}
      {app?.built_in && <Empty title={words.isBuiltIn}>{words.isBuiltInHelp}</Empty>}
      {app?.is_disabled && <Empty title={words.isDisabled}>{words.isDisabledHelp}</Empty>}
      {app && !app.built_in && installations.length === 0 && (
        <Empty title={developer.noInstallations}>{developer.noInstallationsHelp}</Empty>
      )}
      {installations.length > 0 && isElsewhere && <Empty title={words.unknownStore}>{words.unknownStoreHelp}</Empty>}
      {app && installation && (
        <Loaded query={query}>
          <InStore key={installation.id} app={app} installation={installation} operations={operations} />
        </Loaded>
      )}
    </AppFrame>
  )
}

export default PlaygroundPage
