import { File as FileIcon, Film } from 'lucide-react'
import type { Client } from '../../api/store.tsx'
import { numberFormat } from '../../messages/formats.ts'
import { useWords } from '../../messages/messages.ts'
import styles from './FilesPage.module.css'

export type StoredFile = Awaited<ReturnType<Client['files']['get']>>

export const useSize = () => {
  const { locale } = useWords()
  return (bytes: number) => {
    const [value, unit] =
      bytes < 1000 ? [bytes, 'byte'] : bytes < 1_000_000 ? [bytes / 1000, 'kilobyte'] : [bytes / 1_000_000, 'megabyte']
    return numberFormat(locale, {
      style: 'unit',
      unit: unit as string,
      unitDisplay: unit === 'byte' ? 'long' : 'short',
      maximumFractionDigits: unit === 'megabyte' ? 1 : 0,
    }).format(value as number)
  }
}

export const Preview = ({ file }: { file: StoredFile }) =>
  file.thumbnail ? (
    <img src={file.thumbnail} alt={file.alt} loading="lazy" />
  ) : (
    <span className={styles.icon}>{file.mime_type.startsWith('video/') ? <Film /> : <FileIcon />}</span>
  )
