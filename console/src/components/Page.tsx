import { ChevronLeft } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useMessages } from '../messages/messages.ts'
import styles from './Page.module.css'
import { useReturn } from './useReturn.ts'

interface PageProps {
  title: ReactNode
  /** Title of the browser tab, if `title` is not plain text. */
  name?: string
  /** Where the page belongs. */
  back?: { href: string; label: string }
  badges?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** Every page has one heading. It gets the focus when the page opens, so that screen readers announce the page. */
export const Page = ({ title, name, back, badges, actions, children }: PageProps) => {
  const { shell } = useMessages()
  const page = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const text = name ?? (typeof title === 'string' ? title : '')
  useEffect(() => {
    document.title = `${text} · ${shell.console}`
  }, [text, shell])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  useReturn(page)
  return (
    <div ref={page} className={styles.page}>
      <header className={styles.header}>
        <div className={styles.titles}>
          {back && (
            <Link href={back.href} className={styles.back}>
              <ChevronLeft className="pointing" />
              {back.label}
            </Link>
          )}
          <div className={styles.title}>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {badges}
          </div>
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A white surface. Surfaces do not nest. */
export const Surface = ({ children, padded = false }: { children: ReactNode; padded?: boolean }) => (
  <div className={`${styles.surface} ${padded ? styles.padded : ''}`}>{children}</div>
)
