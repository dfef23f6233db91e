import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Loaded } from '../../components/Loaded.tsx'
import { SaveBar } from '../../components/SaveBar.tsx'
import { useToast } from '../../components/Toast.tsx'
import styles from './SettingsPage.module.css'
import type { Settings } from './useSettingsForm.ts'
import { useSettingsWords } from './words.ts'

/** The fields, and while something is unsaved the bar that saves it. */
export const SettingsForm = ({
  form,
  shown,
  onReload,
  children,
}: {
  form: { isDirty: boolean; busy: boolean; error: unknown; reset: () => void; submit: () => Promise<boolean> }
  /** Fields that show their own errors. */
  shown: readonly string[]
  onReload: () => unknown
  children: ReactNode
}) => {
  const words = useSettingsWords()
  const toast = useToast()
  const id = useId()
  return (
    <>
      <form
        id={id}
        className={styles.general}
        noValidate
        onSubmit={async (event) => {
          event.preventDefault()
          if (await form.submit()) toast(words.saved)
        }}
      >
        {children}
      </form>
      {form.isDirty && (
        <SaveBar
          form={id}
          busy={form.busy}
          error={form.error}
          shown={shown}
          onReload={onReload}
          onDiscard={() => form.reset()}
        />
      )}
    </>
  )
}

/** Reads the settings for a form, which starts again when the newest are loaded. */
export const WithSettings = ({
  children,
}: {
  children: (settings: Settings, onReload: () => unknown, version: number) => ReactNode
}) => {
  const { store, client } = useStore()
  const [version, setVersion] = useState(0)
  const asked = useQuery({
    queryKey: [store.id, 'settings'],
    queryFn: ({ signal }) => client.setting.getSettings({ signal }),
    // Does not replace what the user is typing.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  })
  const { data, refetch } = asked
  if (!data) return <Loaded query={asked}>{null}</Loaded>
  return children(data, () => refetch().then(() => setVersion(version + 1)), version)
}
