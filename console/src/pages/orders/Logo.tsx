import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ImagePlus, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { Problem } from '../../components/Problem.tsx'
import { useToast } from '../../components/Toast.tsx'
import styles from './PrintPage.module.css'
import { usePrintWords } from './print-words.ts'

/** The address of the store's logo. Who may not see its files prints none. */
export const useLogo = (id: string | null | undefined) => {
  const { store, client, can } = useStore()
  const { data } = useQuery({
    queryKey: [store.id, 'files', 'one', id],
    queryFn: ({ signal }) => client.files.get(id as string, { signal }),
    enabled: id != null && can('file:browse'),
  })
  return id == null ? undefined : data?.url
}

/** Uploads a picture as the logo of the store, or takes it away. */
export const LogoField = ({ logo }: { logo: string | undefined }) => {
  const words = usePrintWords()
  const { store, client, can } = useStore()
  const queries = useQueryClient()
  const toast = useToast()
  const input = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  if (!can('setting:update') || !can('file:upload') || !can('file:browse')) return null
  const save = async (file: File | null) => {
    setBusy(true)
    setError(undefined)
    try {
      const logo_id = file && (await client.files.upload(file)).id
      const saved = await client.setting.updateSettings({ logo_id })
      queries.setQueryData([store.id, 'settings'], saved)
      toast(file ? words.logoSaved : words.logoRemoved)
    } catch (error) {
      setError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className={styles.logoField}>
      <input
        ref={input}
        className="hidden"
        type="file"
        accept="image/*"
        tabIndex={-1}
        aria-label={words.logo}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          target.value = ''
          if (file) save(file)
        }}
      />
      <Button icon={<ImagePlus />} busy={busy} onClick={() => input.current?.click()}>
        {logo ? words.changeLogo : words.addLogo}
      </Button>
      {logo && (
        <Button icon={<Trash2 />} disabled={busy} onClick={() => save(null)}>
          {words.removeLogo}
        </Button>
      )}
      <Problem error={error} />
    </div>
  )
}
